#include "app/ui/color_maps.h"

#include <algorithm>
#include <cmath>

#include "core/base/assets.h"
#include "core/formats/color_map_file.h"

namespace headscope::ui {
namespace {

ColorMap interpolate(const formats::ColorStops& stops) {
  ColorMap map;
  const auto last = static_cast<double>(stops.size() - 1);
  for (std::size_t i = 0; i < ColorMap::kSize; ++i) {
    const double position = static_cast<double>(i) / (ColorMap::kSize - 1) * last;
    const auto low = static_cast<std::size_t>(std::min(std::floor(position), last - 1));
    const double part = position - static_cast<double>(low);
    const auto mix = [&](std::size_t channel) {
      const double value = std::lerp(stops[low][channel], stops[low + 1][channel], part);
      return static_cast<ImU32>(std::lround(value));
    };
    map.colors[i] = IM_COL32(mix(0), mix(1), mix(2), 255);
  }
  return map;
}

}  // namespace

ImU32 ColorMap::at(float t) const {
  const float clamped = t > 0.0F ? std::min(t, 1.0F) : 0.0F;  // NaN, from an empty range, gives 0
  return colors[static_cast<std::size_t>(clamped * (kSize - 1) + 0.5F)];
}

ColorMaps ColorMaps::load() {
  ColorMaps result;
  for (const auto& pair : formats::parseColorMaps(asset("colormaps.json"))) {
    result.pairs_.push_back(pair.name);
    for (const auto& variant : {pair.light, pair.dark}) {
      result.maps_.push_back(interpolate(variant.sequential));
      result.maps_.push_back(interpolate(variant.diverging));
    }
  }
  for (const auto& map : result.maps_) {
    for (const ImU32 color : map.colors) {
      for (const int shift :
           {IM_COL32_R_SHIFT, IM_COL32_G_SHIFT, IM_COL32_B_SHIFT, IM_COL32_A_SHIFT}) {
        result.bytes_.push_back(static_cast<std::uint8_t>(color >> shift & 255U));
      }
    }
  }
  return result;
}

}  // namespace headscope::ui
