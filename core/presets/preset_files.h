// Preset files: assets/presets.json and assets/examples.json as data.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/presets/presets.h"

namespace headscope {

/// Each throws UserError that names the file and field where it is not what it should be.

/// In the order of the file; `example` gives the input of the example that a preset names.
std::vector<Preset> parsePresets(std::string_view json,
                                 const std::function<InputSource(const std::string&)>& example);

/// The weights that a preset of the file gives by itself.
Weights parsePresetWeights(std::string_view json, const Preset& preset);

/// `file` gives the text of a series that an example names.
std::vector<Example> parseExamples(std::string_view json,
                                   const std::function<std::string_view(std::string_view)>& file);

}  // namespace headscope
