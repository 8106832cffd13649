#include "core/formats/color_map_file.h"

#include <charconv>
#include <stdexcept>

#include "core/formats/asset_json.h"

namespace headscope::formats {
namespace {

Rgb parseColor(const std::string& text) {
  unsigned value = 0;
  const char* end = text.data() + text.size();
  if (text.size() != 7 || text[0] != '#' ||
      std::from_chars(text.data() + 1, end, value, 16).ptr != end) {
    throw std::runtime_error("\"" + text + "\" is no colour like \"#5b4bdb\"");
  }
  return {static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8 & 255U),
          static_cast<std::uint8_t>(value & 255U)};
}

ColorStops parseStops(const nlohmann::json& json) {
  ColorStops stops;
  for (const auto& color : json) stops.push_back(parseColor(color.get<std::string>()));
  if (stops.size() < 2) throw std::runtime_error("a map has fewer than 2 colours");
  return stops;
}

ColorMapPair::Variant parseVariant(const nlohmann::json& json) {
  return {parseStops(json.at("sequential")), parseStops(json.at("diverging"))};
}

}  // namespace

std::vector<ColorMapPair> parseColorMaps(std::string_view json) {
  return readAsset<nlohmann::json, std::runtime_error>(
      json, "colormaps.json", [](const nlohmann::json& file) {
        std::vector<ColorMapPair> pairs;
        for (const auto& pair : file.at("pairs")) {
          pairs.push_back({pair.at("name").get<std::string>(), parseVariant(pair.at("light")),
                           parseVariant(pair.at("dark"))});
        }
        return pairs;
      });
}

}  // namespace headscope::formats
