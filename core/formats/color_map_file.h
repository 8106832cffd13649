// Colour map file: assets/colormaps.json, as lists of colours.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::formats {

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

/// Throws std::runtime_error that names the file and field: the file is the program's own.
std::vector<ColorMapPair> parseColorMaps(std::string_view json);

}  // namespace headscope::formats
