// ModelConfig: the sizes and switches of a whole transformer, from its config.json.
//
// L layers, D = d_model, H heads of d_k coordinates, F the width of the feed-forward network, V
// tokens known.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/head_norm.h"
#include "core/attention/rotary.h"
#include "core/model/image_input.h"

namespace headscope {
struct AttentionConfig;
}  // namespace headscope

namespace headscope::model {

/// `geluQuick` is x · σ(1.702 x). `none` leaves the numbers as they are.
enum class Activation { geluTanh, geluErf, geluQuick, relu, silu, none };

/// A mixture of experts: a router gives every token a score for each expert; the experts with the
/// highest scores compute, and their outputs are added, times weights (Shazeer et al. 2017).
struct Experts {
  /// How scores become weights: by a softmax over all experts, or by a sigmoid of each (DeepSeek).
  enum class Scoring { softmax, sigmoid };

  Index count = 0;     // 0: none
  Index perToken = 0;  // how many compute
  Index width = 0;     // F of each
  Index shared = 0;    // F of the network that every token passes; 0: none
  Scoring scoring = Scoring::softmax;
  bool normalised = true;  // the chosen experts' weights add up to `factor`
  double factor = 1.0;     // of the weights
  Index groups = 1;        // experts are chosen from the best groups alone
  Index groupsPerToken = 1;
  double limit = 0.0;  // gpt-oss: (up + 1) · gate · σ(1.702 gate), both within ±limit; 0: as usual
  std::vector<bool> layers;  // the layers that have experts; empty: all

  bool at(Index layer) const {
    return count > 0 && (layers.empty() || layers[static_cast<std::size_t>(layer)]);
  }
  bool operator==(const Experts&) const = default;
};

/// Latent attention (DeepSeek-AI 2024): queries, and keys with values, are computed from narrow
/// normalised vectors, and one rotated key is shared by all heads.
struct Latent {
  Index queries = 0;  // the width of the queries' vector; 0: queries are computed from the stream
  Index keys = 0;     // the width of the keys' and values' vector; 0: no latent attention
  Index rotated = 0;  // coordinates of each query and of the shared key that turn
  Index plain = 0;    // the others
  Index values = 0;   // coordinates of each value
  double epsilon = 1e-6;  // of the norms of these vectors

  bool on() const { return keys > 0; }
  bool operator==(const Latent&) const = default;
};

/// Scores of content and position (core/attention/relative_scores.h), whose tables are computed
/// from weights.
struct Relative {
  bool contentToPosition = false, positionToContent = false;
  Index span = 0, buckets = 0, maxDistance = 0;

  bool on() const { return contentToPosition || positionToContent; }
  bool operator==(const Relative&) const = default;
};

/// A bias of scores by distance (core/attention/pair_bias.h), without its numbers.
struct DistanceBias {
  Index buckets = 0;  // 0: none
  Index maxDistance = 0;
  bool bothWays = true;
  bool ofEachLayer = false;  // otherwise all layers add that of the first

  bool on() const { return buckets > 0; }
  bool operator==(const DistanceBias&) const = default;
};

/// How the decoder of an encoder–decoder model begins and ends a text; −1: not said.
struct TargetTokens {
  Index start = -1;          // stands before every text
  Index forcedFirst = -1;    // the first token that is generated
  Index forcedEnd = -1;      // the last token of a text that is as long as it may be
  std::vector<Index> never;  // tokens that are not generated

  bool operator==(const TargetTokens&) const = default;
};

/// The norm of queries and keys (core/attention/head_norm.h), without its gains.
struct QueryKeyNorm {
  bool on = false;
  HeadNorm::Over over = HeadNorm::Over::head;
  HeadNorm::Kind kind = HeadNorm::Kind::rms;
  bool gainsPerHead = false;  // d_k gains for each head; otherwise d_k for all

  bool operator==(const QueryKeyNorm&) const = default;
};

/// The last states that the readout reads: each token's for itself; or for one row of logits the
/// class token's, or those of two tokens side by side (2 D).
enum class Reads { everyToken, classToken, classAndDistillation, classAndMeanPatch };

struct ModelConfig {
  std::string modelType = "gpt2";  // as config.json spells it: an "xlm-roberta" is a roberta
  Index layers = 1;
  Index dModel = 64;
  Index heads = 1;
  Index kvHeads = 1;
  Index headDim = 64;     // d_k
  Index ffWidth = 256;    // F
  Index vocabulary = 1;   // V
  Index positions = 512;  // most tokens of a text
  Index tokenTypes = 0;   // 0: the model has none

  /// The decoder of an encoder–decoder model. Each of its layers counts as two here: self-attention
  /// without a network, then cross-attention over the memory, with the network.
  bool crossAttention = false;
  TargetTokens target;
  ImageInput image;                 // of a model that reads images
  Reads reads = Reads::everyToken;  // by the readout
  std::vector<std::string> labels;  // of a classifier: V names, in the place of tokens

  bool attentionOnly = false;  // layers without feed-forward networks (Elhage et al. 2021): F is 0
  bool norms = true;           // otherwise no part of the model has a norm
  bool causal = true;          // predicts the next token; otherwise masked tokens
  /// Norms stand before or behind each half of a layer, and the stream is a sum; otherwise they
  /// follow the sum.
  bool preNorm = true;
  bool parallel = false;  // both halves of a layer read its input; otherwise one after the other
  bool rmsNorm = false;   // RMSNorm; otherwise LayerNorm
  bool normBias = true;   // of LayerNorm
  double normEpsilon = 1e-5;
  Index embeddingWidth = 0;      // E where a projection follows the embedding; 0: D, without one
  double embeddingFactor = 1.0;  // of the tokens' rows
  double residualFactor = 1.0;   // of what each half adds to the stream
  double logitFactor = 1.0;      // of the logits
  double logitCap = 0.0;         // logits stay within ±logitCap: cap·tanh(logit / cap); 0: no cap
  double scoreCap = 0.0;         // as AttentionConfig's
  std::optional<double> scoreFactor;  // of the scores, in the place of 1/√d_k
  bool alibi = false;

  Index positionRows = 0;   // of learned positions; 0: none
  Index firstPosition = 0;  // the row of the first token
  bool sinusoids = false;   // positions are fixed: sines, then cosines, of all frequencies
  Index padToken = -1;      // RoBERTa's: has position row `padToken` and is not counted; −1: none
  Rotary rotary;
  std::vector<Rotary> rotaryOfLayer;  // where layers differ
  /// The rotation of texts longer than the training's, which depends on their length.
  struct LongTexts {
    Index positions = 0;           // of the training; 0: the rotation is the same for all texts
    double dynamicFactor = 0.0;    // above 0: theta grows with the length (dynamic NTK)
    std::vector<double> divisors;  // LongRoPE's for texts of more than `positions` tokens
    bool operator==(const LongTexts&) const = default;
  } longTexts;
  QueryKeyNorm headNorm;
  bool sinks = false;  // each head has a sink
  Latent latent;
  Relative relative;
  DistanceBias distanceBias;
  bool queryKeyValueBias = true, outputBias = true, feedForwardBias = true;
  bool scale = true;           // scores × 1/√d_k
  bool scaleByLayer = false;   // and ÷ (layer + 1), counted from 0
  std::vector<Index> windows;  // of each layer; 0: none

  Activation activation = Activation::geluTanh;
  bool gated = false;  // act(gate x) · (up x), then down (SwiGLU); otherwise act(up x), then down
  Experts experts;
  bool lastStateNormed = true;   // transformers' last hidden state comes behind the final norm
  bool finalNormPooled = false;  // the final norm is that of the class token's state alone (CLIP)
  Activation readoutActivation = Activation::none;  // of a masked-word head

  std::vector<Index> endTokens;  // generation ends at any of these

  std::string example;  // a text to begin with, where the file suggests one

  enum class Tied { byFile, yes, no };
  Tied tied = Tied::byFile;       // whether the readout is the embedding
  bool languageModelHead = true;  // the saved class has one, or is unknown

  bool ends(Index token) const { return std::ranges::find(endTokens, token) != endTokens.end(); }
  std::string_view typeName() const { return modelType; }
  /// Returns whether a layer's keys and values come from the memory.
  bool readsMemory(Index layer) const { return crossAttention && layer % 2 == 1; }
  bool hasNetwork(Index layer) const {
    return !attentionOnly && (!crossAttention || readsMemory(layer));
  }
  /// The layers as the model's authors count them, and the place of a layer among these.
  Index depth() const { return crossAttention ? layers / 2 : layers; }
  Index depthOf(Index layer) const { return crossAttention ? layer / 2 : layer; }
  /// The width of the embedding's rows and of what the readout reads.
  Index embeddingRows() const { return embeddingWidth > 0 ? embeddingWidth : dModel; }
  /// The width of what the readout takes: D, or 2 D where it reads two states.
  Index readoutWidth() const {
    const bool two = reads == Reads::classAndDistillation || reads == Reads::classAndMeanPatch;
    return two ? 2 * dModel : dModel;
  }
  /// The rotation of a layer for a text of so many tokens.
  Rotary rotaryAt(Index layer, Index tokens) const;
  /// Returns whether scores are q · k of vectors that are linear in the stream, so that W_QK says
  /// all about them.
  bool plainScores() const;
  /// The width of X as the attention of a layer reads it; D but for latent attention.
  Index attentionWidth() const;
  /// The attention settings of one layer for `tokens` tokens and a memory of `memory`, without
  /// those that are weights (the gains of its head norm, sinks, the tables of relative positions):
  /// LayerWeights::complete adds them.
  AttentionConfig attention(Index layer, Index tokens, Index memory = 1) const;
  /// "layer 3", of a decoder "layer 2, cross-attention"; `capital`: "Layer 3".
  std::string layerInWords(Index layer, bool capital = false) const;
  /// "layer 3's attention", of a decoder "layer 2's cross-attention".
  std::string attentionInWords(Index layer) const;

  bool operator==(const ModelConfig&) const = default;
};

/// The largest accepted sizes. A larger field is refused before anything is allocated.
struct ModelLimits {
  static constexpr Index kLayers = 1024;
  static constexpr Index kFfWidth = Index{1} << 20;
  static constexpr Index kVocabulary = Index{1} << 24;
  static constexpr Index kPositions = Index{1} << 24;
  static constexpr Index kTokenTypes = Index{1} << 16;
  static constexpr Index kExperts = 4096;
};

}  // namespace headscope::model
