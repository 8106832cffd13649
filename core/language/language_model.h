// Language model: a transformer that learns the next token of a text. Unless its settings say
// otherwise it has GPT-2's shape: embedding and learned positions, layers of LayerNorm → attention
// →
// + → LayerNorm → network → +, a last LayerNorm, and the embedding as readout.
//
// model() gives its weights as a model that every part of the program opens.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/model/model.h"
#include "core/training/optimiser.h"

namespace headscope::language {

struct LanguageModelSettings {
  Index layers = 2;
  Index dModel = 192;
  Index heads = 6;
  Index kvHeads = 0;     // of keys and values; 0: as many as heads
  Index context = 96;    // most tokens of a text
  bool networks = true;  // each layer has a feed-forward network, 4 d_model wide
  bool norms = true;     // LayerNorm before each half of a layer and before the readout
  bool rotary = false;   // rotary positions in place of learned ones

  bool operator==(const LanguageModelSettings&) const = default;
};

/// Throws UserError that names a setting outside of its range.
void requireCount(const char* name, Index value, Index least, Index most);
/// Throws UserError for sizes that are not possible.
void checkModel(const LanguageModelSettings& settings);
/// The settings as those of a model.
model::ModelConfig configOf(const LanguageModelSettings& settings, Index vocabulary);
Index parameterCount(const LanguageModelSettings& settings, Index vocabulary);

/// Where the parameters of each part stand among all of them. A part that the model does not have
/// is not asked for.
class ParameterPlaces {
 public:
  explicit ParameterPlaces(const LanguageModelSettings& settings);

  std::size_t embedding() const { return 0; }
  std::size_t positions() const { return 1; }
  /// The gain; the bias follows.
  std::size_t attentionNorm(Index layer) const { return layerAt(layer); }
  std::size_t networkNorm(Index layer) const { return attention(layer) + kAttention; }
  std::size_t finalNorm() const { return layerAt(layers_); }
  /// W_Q, W_K, W_V, W_O, then b_Q, b_K, b_V, b_O.
  std::size_t attention(Index layer) const { return layerAt(layer) + norm_; }
  /// The weight and the bias of `up`, then those of `down`.
  std::size_t network(Index layer) const { return networkNorm(layer) + norm_; }

 private:
  static constexpr std::size_t kAttention = 8, kNetwork = 4;
  std::size_t layerAt(Index layer) const {
    return first_ + static_cast<std::size_t>(layer) * ofLayer_;
  }

  Index layers_;
  std::size_t norm_, first_, ofLayer_;  // parameters of a norm, before the layers, of a layer
};

class LanguageModel {
 public:
  /// Draws matrices from N(0, 0.02²), from streams of the seed; biases are 0, gains 1.
  LanguageModel(const LanguageModelSettings& settings, Index vocabulary, std::uint64_t seed);
  LanguageModel(const LanguageModel&) = delete;
  LanguageModel& operator=(const LanguageModel&) = delete;

  const LanguageModelSettings& settings() const { return settings_; }
  Index vocabulary() const { return vocabulary_; }

  /// "embedding", "positions", "layers.0.attention_norm.gain", "layers.0.W_Q", "layers.0.b_Q",
  /// "layers.0.up.weight" …, "final_norm.bias". Matrices are (out, in), y = x Wᵀ + b.
  std::span<training::Parameter> parameters() { return parameters_; }
  std::span<const training::Parameter> parameters() const { return parameters_; }

  /// A copy of its present weights as a model.
  model::ModelPtr model(std::string name) const;

  const ParameterPlaces& places() const { return places_; }

 private:
  LanguageModelSettings settings_;
  ParameterPlaces places_;
  Index vocabulary_ = 0;
  std::vector<training::Parameter> parameters_;
};

}  // namespace headscope::language
