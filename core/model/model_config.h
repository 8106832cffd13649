// ModelConfig: the sizes and switches of a whole transformer: what its config.json says, in the
// words of this program.
//
// L layers, D = d_model, H heads of d_k coordinates, F the width of the feed-forward network, V
// tokens known.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/config.h"

namespace headscope::model {

/// The last: models that this program has trained itself.
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

  /// Without norms, feed-forward networks and biases but the readout's (Elhage et al. 2021): F is
  /// 0.
  bool attentionOnly = false;
  bool causal = true;    // predicts the next token; otherwise those that are masked
  bool preNorm = true;   // norms stand before each half of a layer; otherwise after the sum
  bool rmsNorm = false;  // RMSNorm; otherwise LayerNorm
  double normEpsilon = 1e-5;
  bool embeddingNorm = false;  // a norm follows the embedding

  Index positionRows = 0;   // of learned positions; 0: none
  Index firstPosition = 0;  // the row of the first token
  Index padToken = -1;      // RoBERTa's: stands at row `padToken` and is not counted; −1: none
  Rotary rotary;
  bool headNorm = false;  // Q and K are normalised per head
  bool queryKeyValueBias = true, outputBias = true, feedForwardBias = true;
  bool scale = true;           // scores × 1/√d_k
  bool scaleByLayer = false;   // and ÷ (layer + 1), counted from 0
  std::vector<Index> windows;  // of each layer; 0: none

  Activation activation = Activation::geluTanh;
  bool gated = false;  // act(gate x) · (up x), then down (SwiGLU); otherwise act(up x), then down

  std::vector<Index> endTokens;  // a text that is gone on with ends at one of them

  std::string example;  // a text to begin with, where the file suggests one

  enum class Tied { byFile, yes, no };
  Tied tied = Tied::byFile;       // whether the readout is the embedding
  bool languageModelHead = true;  // the class that it was saved as has one, or is not known

  bool ends(Index token) const { return std::ranges::find(endTokens, token) != endTokens.end(); }
  std::string_view typeName() const { return modelType; }
  /// Of one layer, for so many tokens. Without the gains of its head norm, which are weights.
  AttentionConfig attention(Index layer, Index tokens) const;
  /// Numbers that are learned; the readout's counted where it is the model's own.
  Index parameters(bool readoutOfItsOwn) const;

  bool operator==(const ModelConfig&) const = default;
};

/// Largest sizes taken: past them a field is refused before anything is allocated.
struct ModelLimits {
  static constexpr Index kLayers = 1024;
  static constexpr Index kFfWidth = Index{1} << 20;
  static constexpr Index kVocabulary = Index{1} << 24;
  static constexpr Index kPositions = Index{1} << 24;
  static constexpr Index kTokenTypes = Index{1} << 16;
};

}  // namespace headscope::model
