// Language model: a transformer that learns the next token of a text. Unless its settings say
// otherwise it has GPT-2's shape: embedding and learned positions; layers of LayerNorm, attention,
// sum, LayerNorm, network, sum; a last LayerNorm; and the embedding as readout.
//
// model() gives its weights as a model that every part of the program opens.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/model/model.h"
#include "core/model_training/layer_parameters.h"

namespace headscope::language {

struct LanguageModelSettings : model_training::LayerSettings {
  Index context = 96;   // most tokens of a text
  bool rotary = false;  // rotary positions in place of learned ones

  bool operator==(const LanguageModelSettings&) const = default;
};

/// Throws UserError for sizes that are not possible.
void checkModel(const LanguageModelSettings& settings);
/// The settings as those of a model.
model::ModelConfig configOf(const LanguageModelSettings& settings, Index vocabulary);
Index parameterCount(const LanguageModelSettings& settings, Index vocabulary);

/// Where the parameters of each part stand among all of them: the embedding and, without rotary
/// positions, the learned ones stand before the layers.
class ParameterPlaces : public model_training::LayerPlaces {
 public:
  explicit ParameterPlaces(const LanguageModelSettings& settings)
      : LayerPlaces(settings, settings.rotary ? 1 : 2) {}

  std::size_t embedding() const { return 0; }
  std::size_t positions() const { return 1; }
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
