// Presets and examples: ready configurations and inputs, read from assets/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/weights.h"
#include "core/document/fwd.h"
#include "core/input/input.h"

namespace headscope {

struct Preset {
  std::string name;   // "original-transformer": in flags
  std::string title;  // "Dimensions of BERT base": on screen
  std::string brief;  // "BERT base": where there is less room
  std::string about;  // one line: where the numbers come from
  AttentionConfig config;
  InputSource source;            // an example's, or its own (by-hand)
  bool explicitWeights = false;  // its weights are given (by-hand), not drawn
  bool unlearned =
      false;  // opens with drawn weights: heads learned from sentences say nothing of it
  std::vector<std::string> biasedHeads;  // titles by what their bias favours; may be empty
};

struct Example {
  std::string name;
  std::string title;
  std::string about;
  std::string drawing;  // the asset that shows the image whose patches the series are; or empty
  InputSource source;
};

/// Titles of heads by what their bias favours, where it is a preset's with such; else empty.
std::vector<std::string> biasedHeads(const PairBias& bias);

/// All of assets/presets.json, in its order.
const std::vector<Preset>& presets();
const Preset& presetByName(std::string_view name);  // throws UserError listing the names
const std::vector<Example>& examples();
const Example& exampleByName(std::string_view name);

/// The asset that shows the image whose patches a series of a shipped example are; else empty.
std::string drawingOf(const Series& series);

/// The preset of an example: its input at the original Transformer's dimensions, without any
/// setting of the previous document.
Preset presetOf(const Example& example);

/// A preset's document. `weights` is ignored where the preset gives its own.
DocumentPtr makePreset(const Preset& preset, const WeightSource& weights, Index memoryBudgetBytes);

}  // namespace headscope
