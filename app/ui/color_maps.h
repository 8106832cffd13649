// Colour maps: how values become colours. Three pairs of a sequential and a diverging map, each
// for the light and the dark theme, read from assets/colormaps.json.
#pragma once

#include <imgui.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/theme.h"

namespace headscope::ui {

struct ColorMap {
  static constexpr int kSize = 256;
  std::array<ImU32, kSize> colors{};

  /// Colour of t in 0 … 1 (clamped), exactly as the heatmap shader picks it.
  ImU32 at(float t) const;
};

class ColorMaps {
 public:
  static ColorMaps load();

  int pairCount() const { return static_cast<int>(pairs_.size()); }
  const std::string& pairName(int pair) const { return pairs_[static_cast<std::size_t>(pair)]; }

  /// Index of a map: for operator[] and as HeatmapQuad::colorMap.
  static int sequential(int pair, ThemeKind theme) { return index(pair, theme, 0); }
  static int diverging(int pair, ThemeKind theme) { return index(pair, theme, 1); }

  const ColorMap& operator[](int map) const { return maps_[static_cast<std::size_t>(map)]; }

  int count() const { return static_cast<int>(maps_.size()); }
  /// The maps as an RGBA image for gl's renderer: ColorMap::kSize wide, one row per map.
  std::span<const std::uint8_t> bytes() const { return bytes_; }

 private:
  static int index(int pair, ThemeKind theme, int kind) {
    return pair * 4 + (theme == ThemeKind::dark ? 2 : 0) + kind;
  }

  std::vector<std::string> pairs_;
  std::vector<ColorMap> maps_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace headscope::ui
