// Preset files: assets/presets.json and assets/examples.json as data.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/presets/presets.h"

namespace headscope {

/// Each function throws UserError that names the file and the invalid field.

/// Reads the presets in the order of the file; `example` returns the input of a named example.
std::vector<Preset> parsePresets(std::string_view json,
                                 const std::function<InputSource(const std::string&)>& example);

/// The explicit weights of a preset of the file.
Weights parsePresetWeights(std::string_view json, const Preset& preset);

/// Reads the examples; `file` returns the text of a series that an example names.
std::vector<Example> parseExamples(std::string_view json,
                                   const std::function<std::string_view(std::string_view)>& file);

}  // namespace headscope
