// Generation: a causal model goes on with a text token by token. The keys and values of the tokens
// before are kept (the KV cache), so that a new token costs one row in each layer, not a pass over
// all of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/model/model_trace.h"

namespace headscope::model {

/// How the next token is taken from what is probable.
struct Sampling {
  double temperature = 0.0;  // logits are divided by it; 0: the most probable one (greedy)
  Index topK = 0;            // of so many; 0: of all
  std::uint64_t seed = 1;
};

/// The token taken from a row of logits (V). The same for one seed and place on every machine.
Index takenFrom(std::span<const float> logits, const Sampling& sampling, Index place);

/// Why a model does not go on with a text, in words; empty where it does.
std::string whyNoGeneration(const Model& model);

/// Keys and values of so many tokens in one layer, as float32: 2 · T · H_kv · d_k · 4.
Index layerCacheBytes(const ModelConfig& config, Index tokens);

/// Goes on from a pass, with all that is edited in it. Rows are computed by the steps' own code, to
/// within rounding what a pass over all tokens gives.
class Decoder {
 public:
  /// Room for `mostNew` further tokens. Throws UserError for a model that does not predict the next
  /// token (BERT), for one without a readout, and where the text leaves no room for one more token
  /// or the cache does not fit the memory.
  Decoder(ModelTracePtr from, Index mostNew);

  /// Of the token that comes next: (V).
  const std::vector<float>& logits() const { return logits_; }
  /// So many tokens have their keys and values in the cache, and as many can.
  Index tokens() const { return tokens_; }
  Index room() const { return room_; }

  /// One more token. False where `execution` was cancelled: the decoder is of no use then, nor
  /// after it threw. Throws UserError where a number overflows, naming the part of the model.
  bool feed(Index id, const ExecutionContext& execution);

  /// Of all tokens so far, in all layers.
  Index cacheBytes() const;

 private:
  struct KeysAndValues {
    Tensor keys, values;  // (1, H_kv, room, d_k); as scores read them: normalised and turned
  };

  Tensor attend(Index layer, const Tensor& x, const ExecutionContext& execution);
  /// A part of the model at the token that is being fed, for a sentence.
  std::string atNewToken(const std::string& part) const;
  void requireInRange(const Tensor& row, const std::string& part) const;

  ModelTracePtr from_;
  Index tokens_ = 0, room_ = 0;
  std::vector<KeysAndValues> cache_;  // by layer
  std::vector<DocumentPtr> layers_;   // with what is edited there
  std::vector<float> logits_;
};

}  // namespace headscope::model
