// Generation: a causal model continues a text token by token. The keys and values of earlier tokens
// are kept (the KV cache), so that a new token costs one row in each layer, not a pass over all
// tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/model/model_trace.h"
#include "core/model/token_choice.h"

namespace headscope::model {

/// Why a model cannot continue a text, in words; empty where it can.
std::string whyNoGeneration(const Model& model);

/// The bytes of the keys and values of `tokens` tokens in one layer, as float32: 2 · T · H_kv · d_k
/// · 4.
Index layerCacheBytes(const ModelConfig& config, Index tokens);

/// The pass that a generation continues.
struct Beginning {
  ModelTracePtr pass;
  /// A document like that of the pass whose pins hold for tokens to come as well, as those of a
  /// decoder's layer for a target that is being written; null: there are no more pins.
  ModelDocumentPtr whole;

  Beginning(ModelTracePtr of, ModelDocumentPtr pinned = nullptr)
      : pass(std::move(of)), whole(std::move(pinned)) {}
};

/// Continues the text of a pass, with all edits of its document. Rows are computed by the code of
/// the steps and agree with a pass over all tokens to within rounding. Where the rotation of keys
/// depends on the length of the text (dynamic NTK, LongRoPE), a change of it runs all tokens again,
/// and so does every token where there are pins for tokens to come.
class Decoder {
 public:
  /// Reserves room for at most `mostNew` further tokens. Throws UserError for a model that does not
  /// predict the next token (BERT), for one without a readout, where the text leaves no room for
  /// one more token, and where the cache does not fit the memory.
  Decoder(Beginning from, Index mostNew);

  /// The logits of the next token: (V).
  const std::vector<float>& logits() const { return logits_; }
  /// The weights of the cross-attention in the newest row, which gives these logits: for each layer
  /// that reads the memory (heads, tokens of the memory); empty where none does.
  const std::vector<Tensor>& memoryWeights() const { return memoryWeights_; }
  /// A copy with a cache of its own, which is fed other tokens.
  Decoder forked() const;

  /// The number of tokens whose keys and values are in the cache, and the number that fit.
  Index tokens() const { return tokens_; }
  Index room() const { return room_; }

  /// Appends a token. Returns false where `execution` was cancelled. After a cancellation or an
  /// exception the decoder cannot be used. Throws UserError where a number overflows, naming the
  /// part of the model.
  bool feed(Index id, const ExecutionContext& execution);
  const ModelConfig& config() const { return from_->config(); }

  /// The bytes of the keys and values of all tokens so far, in all layers, and those of the memory
  /// among them, which forked copies share.
  Index cacheBytes() const;
  Index memoryBytes() const;

 private:
  struct KeysAndValues {
    Tensor keys, values;  // (1, H_kv, room, d_k); as scores read them: normalised and turned
  };

  /// Fills the cache with the keys and values of a pass.
  void begin(ModelTracePtr from);
  /// Returns whether the rotation of one token more differs, so that earlier keys change too.
  bool rotationChanges() const;
  /// The document that holds for tokens to come.
  const ModelDocument& document() const;
  /// Runs all tokens and one more again. False where cancelled.
  bool runAgain(Index id, const ExecutionContext& execution);
  Tensor attend(Index layer, const Tensor& x, const ExecutionContext& execution);
  /// Names a part of the model at the token that is being fed, for a sentence.
  std::string atNewToken(const std::string& part) const;
  void requireInRange(const Tensor& row, const std::string& part) const;

  ModelTracePtr from_;
  ModelDocumentPtr pinned_;  // null without pins for tokens to come
  std::vector<Index> fed_;   // the tokens after those of from_
  Index tokens_ = 0, room_ = 0;
  std::vector<KeysAndValues> cache_;  // by layer
  std::vector<DocumentPtr> layers_;   // with their edits
  std::vector<float> logits_;
  std::vector<Tensor> memoryWeights_;
};

/// Continues a text by up to `most` tokens, or until the model ends it.
class Continuation {
 public:
  /// Throws UserError as Decoder does.
  Continuation(Beginning from, Index most, const Sampling& sampling)
      : decoder_(std::move(from), most),
        most_(decoder_.room() - decoder_.tokens()),
        sampling_(sampling) {}

  /// Appends the next token and returns it; nothing at the end, and where `execution` was
  /// cancelled. Throws UserError as Decoder::feed does.
  std::optional<ChosenToken> next(const ExecutionContext& execution);
  /// Returns whether the last token was one that ends a text.
  bool ended() const { return ended_; }
  Index cacheBytes() const { return decoder_.cacheBytes(); }

 private:
  Decoder decoder_;
  Index most_, made_ = 0;
  Sampling sampling_;
  bool ended_ = false;
};

}  // namespace headscope::model
