// ModelConfig: the sizes and switches of a whole transformer, from its config.json.
//
// L layers, D = d_model, H heads of d_k coordinates, F the width of the feed-forward network, V
// tokens known.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/rotary.h"

namespace headscope {
struct AttentionConfig;
}  // namespace headscope

namespace headscope::model {

/// The last one is for models that this program trained itself.
enum class Family { gpt2, bert, roberta, distilbert, llama, mistral, qwen2, qwen3, headscope };
/// As config.json's model_type spells them, in the order of Family.
inline constexpr std::array<std::string_view, 9> kFamilyNames{
    "gpt2", "bert", "roberta", "distilbert", "llama", "mistral", "qwen2", "qwen3", "headscope"};

enum class Activation { geluTanh, geluErf, relu, silu };

struct ModelConfig {
  Family family = Family::gpt2;
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

  /// True if the model has no norms, no feed-forward networks and no biases but the readout's
  /// (Elhage et al. 2021); F is then 0.
  bool attentionOnly = false;
  bool causal = true;    // predicts the next token; otherwise masked tokens
  bool preNorm = true;   // norms precede each half of a layer; otherwise they follow the sum
  bool rmsNorm = false;  // RMSNorm; otherwise LayerNorm
  double normEpsilon = 1e-5;
  bool embeddingNorm = false;  // a norm follows the embedding

  Index positionRows = 0;   // of learned positions; 0: none
  Index firstPosition = 0;  // the row of the first token
  Index padToken = -1;      // RoBERTa's: has position row `padToken` and is not counted; −1: none
  Rotary rotary;
  bool headNorm = false;  // Q and K are normalised per head
  bool queryKeyValueBias = true, outputBias = true, feedForwardBias = true;
  bool scale = true;           // scores × 1/√d_k
  bool scaleByLayer = false;   // and ÷ (layer + 1), counted from 0
  std::vector<Index> windows;  // of each layer; 0: none

  Activation activation = Activation::geluTanh;
  bool gated = false;  // act(gate x) · (up x), then down (SwiGLU); otherwise act(up x), then down

  std::vector<Index> endTokens;  // generation ends at any of these

  std::string example;  // a text to begin with, where the file suggests one

  enum class Tied { byFile, yes, no };
  Tied tied = Tied::byFile;       // whether the readout is the embedding
  bool languageModelHead = true;  // the saved class has one, or is unknown

  bool ends(Index token) const { return std::ranges::find(endTokens, token) != endTokens.end(); }
  std::string_view typeName() const { return modelType; }
  /// The attention settings of one layer for `tokens` tokens, without the gains of its head norm,
  /// which are weights.
  AttentionConfig attention(Index layer, Index tokens) const;
  /// The number of learned parameters. The readout's matrix counts where it is the model's own.
  Index parameters(bool readoutOfItsOwn) const;

  bool operator==(const ModelConfig&) const = default;
};

/// The largest accepted sizes. A larger field is refused before anything is allocated.
struct ModelLimits {
  static constexpr Index kLayers = 1024;
  static constexpr Index kFfWidth = Index{1} << 20;
  static constexpr Index kVocabulary = Index{1} << 24;
  static constexpr Index kPositions = Index{1} << 24;
  static constexpr Index kTokenTypes = Index{1} << 16;
};

}  // namespace headscope::model
