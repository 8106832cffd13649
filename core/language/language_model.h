// Language model: a transformer that learns the next token of a text. It has GPT-2's shape:
// embedding and learned positions, layers of LayerNorm → attention → + → LayerNorm → network → +, a
// last LayerNorm, and the embedding as readout.
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
  Index context = 96;   // most tokens of a text
  bool network = true;  // each layer has a feed-forward network, 4 d_model wide

  bool operator==(const LanguageModelSettings&) const = default;
};

/// Throws UserError for sizes that are not possible.
void checkModel(const LanguageModelSettings& settings);
/// The settings as those of a model.
model::ModelConfig configOf(const LanguageModelSettings& settings, Index vocabulary);
Index parameterCount(const LanguageModelSettings& settings, Index vocabulary);

class LanguageModel {
 public:
  /// Draws matrices from N(0, 0.02²), from streams of the seed; biases are 0, gains 1.
  LanguageModel(const LanguageModelSettings& settings, Index vocabulary, std::uint64_t seed);
  LanguageModel(const LanguageModel&) = delete;
  LanguageModel& operator=(const LanguageModel&) = delete;

  const LanguageModelSettings& settings() const { return settings_; }
  Index vocabulary() const { return vocabulary_; }

  /// By the names of GPT-2's files, but matrices are (out, in), and queries, keys and values apart.
  std::span<training::Parameter> parameters() { return parameters_; }
  std::span<const training::Parameter> parameters() const { return parameters_; }

  /// A copy of its present weights as a model.
  model::ModelPtr model(std::string name) const;

 private:
  LanguageModelSettings settings_;
  Index vocabulary_ = 0;
  std::vector<training::Parameter> parameters_;
};

}  // namespace headscope::language
