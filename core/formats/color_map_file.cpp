#include "core/formats/color_map_file.h"

#include <charconv>
#include <stdexcept>

#include "core/base/asset_json.h"

namespace headscope::formats {
namespace {

Rgb parseColor(const JsonField& field) {
  const std::string& text = field.text();
  unsigned value = 0;
  const char* end = text.data() + text.size();
  if (text.size() != 7 || text[0] != '#' ||
      std::from_chars(text.data() + 1, end, value, 16).ptr != end) {
    field.fail("must be a colour such as \"#5b4bdb\"");
  }
  return {static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8 & 255U),
          static_cast<std::uint8_t>(value & 255U)};
}

ColorStops parseStops(const JsonField& list) {
  ColorStops stops;
  for (const JsonField& color : list.items()) stops.push_back(parseColor(color));
  if (stops.size() < 2) list.fail("must have 2 colours or more");
  return stops;
}

ColorMapPair::Variant parseVariant(const JsonField& maps) {
  return {parseStops(maps.at("sequential")), parseStops(maps.at("diverging"))};
}

}  // namespace

std::vector<ColorMapPair> parseColorMaps(std::string_view text) {
  return readAsset<std::runtime_error>(text, "colormaps.json", [](const JsonField& file) {
    std::vector<ColorMapPair> pairs;
    for (const JsonField& pair : file.at("pairs").items()) {
      pairs.push_back(
          {pair.at("name").text(), parseVariant(pair.at("light")), parseVariant(pair.at("dark"))});
    }
    return pairs;
  });
}

}  // namespace headscope::formats
