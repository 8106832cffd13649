// Asset files: presets, examples, the lexicon, meanings, the glossary, colour maps and designed
// heads, as read from the JSON under assets/.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/presets.h"
#include "core/weights/head_description.h"

namespace headscope::formats {

/// Each throws UserError that names the file where it is not what it should be.

/// The words of one class in one language, both by name.
struct LexiconList {
  std::string language, wordClass;
  std::vector<std::string> words;
};
std::vector<LexiconList> parseLexicon(std::string_view json);

/// Meanings file: each meaning with the words that carry it, in whatever language.
std::vector<std::pair<std::string, std::vector<std::string>>> parseMeanings(std::string_view json);

/// In the order of the file; `example` gives the input of the example that a preset names.
std::vector<Preset> parsePresets(std::string_view json,
                                 const std::function<InputSource(const std::string&)>& example);

/// The weights that a preset of the file gives by itself.
Weights parsePresetWeights(std::string_view json, const Preset& preset);

/// `file` gives the text of a series that an example names.
std::vector<Example> parseExamples(std::string_view json,
                                   const std::function<std::string_view(std::string_view)>& file);

// Glossary file: assets/glossary.json, the terms of attention and what each is.

struct GlossaryEntry {
  std::string term;   // in plain text: "W_O"
  std::string shown;  // with raised and lowered letters: "W^O"
  std::string about;  // one or two sentences
};

/// Throws std::runtime_error: the file is the program's own, so an error in it is ours.
std::vector<GlossaryEntry> parseGlossary(std::string_view json);

// Colour map file: assets/colormaps.json, as lists of colours.

using Rgb = std::array<std::uint8_t, 3>;
/// Colours at even distances, from the low end of a map to its high end.
using ColorStops = std::vector<Rgb>;

struct ColorMapPair {
  struct Variant {
    ColorStops sequential;
    ColorStops diverging;
  };
  std::string name;
  Variant light;
  Variant dark;
};

/// Throws std::runtime_error: the file is the program's own, so an error in it is ours.
std::vector<ColorMapPair> parseColorMaps(std::string_view json);

// Designed heads file: assets/designed_heads.json, what each designed head does and how.

/// Throws std::runtime_error: the file is the program's own, so an error in it is ours.
HeadDescriptions parseDesignedHeads(std::string_view json);

}  // namespace headscope::formats
