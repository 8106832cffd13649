// Asset files: presets, examples and the lexicon, as read from the JSON under assets/.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/presets.h"

namespace headscope::formats {

/// Each throws UserError that names the file where it is not what it should be.

/// Word classes and their words.
std::vector<std::pair<std::string, std::vector<std::string>>> parseLexicon(std::string_view json);

/// In the order of the file.
std::vector<Preset> parsePresets(std::string_view json);

/// The weights that a preset of the file gives by itself.
Weights parsePresetWeights(std::string_view json, const Preset& preset);

/// `file` gives the text of a series that an example names.
std::vector<Example> parseExamples(std::string_view json,
                                   const std::function<std::string_view(std::string_view)>& file);

}  // namespace headscope::formats
