// The colour maps of assets/colormaps.json.
#include "app/ui/color_maps.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>

#include "core/formats/color_map_file.h"

namespace headscope::ui {
namespace {

const ColorMaps& maps() {
  static const ColorMaps loaded = ColorMaps::load();
  return loaded;
}

TEST(ColorMaps, ThreePairsForBothThemes) {
  ASSERT_EQ(maps().pairCount(), 3);
  EXPECT_EQ(maps().pairName(0), "default");
  EXPECT_EQ(maps().pairName(1), "viridis");
  EXPECT_EQ(maps().pairName(2), "cividis");
  EXPECT_EQ(maps().count(), 12);
  EXPECT_EQ(maps().bytes().size(), 12U * ColorMap::kSize * 4);
}

TEST(ColorMaps, ViridisAndCividisAreMatplotlibs) {
  const ColorMap& viridis = maps()[maps().sequential(1, ThemeKind::light)];
  EXPECT_EQ(viridis.colors[0], IM_COL32(0x44, 0x01, 0x54, 255));
  EXPECT_EQ(viridis.colors[60], IM_COL32(0x3d, 0x4e, 0x8a, 255));
  EXPECT_EQ(viridis.colors[255], IM_COL32(0xfd, 0xe7, 0x25, 255));
  const ColorMap& cividis = maps()[maps().sequential(2, ThemeKind::light)];
  EXPECT_EQ(cividis.colors[0], IM_COL32(0x00, 0x22, 0x4e, 255));
  EXPECT_EQ(cividis.colors[255], IM_COL32(0xfe, 0xe8, 0x38, 255));
}

TEST(ColorMaps, ZeroOfADivergingMapIsNearThePanelAndItsEndsAreFar) {
  for (int pair = 0; pair < maps().pairCount(); ++pair) {
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
      const ColorMap& map = maps()[maps().diverging(pair, kind)];
      const ImU32 panel = theme(kind).panel;
      EXPECT_LT(contrast(map.at(0.5F), panel), 1.15) << pair;
      EXPECT_GT(contrast(map.at(0.0F), panel), 4.0) << pair;
      EXPECT_GT(contrast(map.at(1.0F), panel), 4.0) << pair;
    }
  }
}

TEST(ColorMaps, SequentialMapsGoOneWay) {
  for (int pair = 0; pair < maps().pairCount(); ++pair) {
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
      const ColorMap& map = maps()[maps().sequential(pair, kind)];
      const bool brighter = legibleOn(map.at(0.0F)) == IM_COL32_WHITE;
      const ImU32 end = brighter ? IM_COL32_BLACK : IM_COL32_WHITE;
      for (int i = 8; i <= 256; i += 8) {
        const float low = static_cast<float>(i - 8) / 256;
        const float high = static_cast<float>(i) / 256;
        EXPECT_LT(contrast(map.at(low), end), contrast(map.at(high), end)) << pair << " at " << i;
      }
    }
  }
}

TEST(ColorMaps, AnyNumberGetsAColour) {
  const ColorMap& map = maps()[0];
  EXPECT_EQ(map.at(-5.0F), map.colors.front());
  EXPECT_EQ(map.at(5.0F), map.colors.back());
  EXPECT_EQ(map.at(std::numeric_limits<float>::quiet_NaN()), map.colors.front());
  EXPECT_EQ(map.at(std::numeric_limits<float>::infinity()), map.colors.back());
}

TEST(ColorMapFile, RefusesWhatIsNoColour) {
  const auto file = [](const std::string& stops) {
    const std::string variant = R"({"sequential":)" + stops + R"(,"diverging":)" + stops + "}";
    return R"({"pairs":[{"name":"a","light":)" + variant + R"(,"dark":)" + variant + "}]}";
  };
  EXPECT_EQ(formats::parseColorMaps(file(R"(["#000000","#0a0B0c"])")).size(), 1U);
  EXPECT_THROW(formats::parseColorMaps(file(R"(["#000000"])")), std::runtime_error);
  EXPECT_THROW(formats::parseColorMaps(file(R"(["#000000","#00000g"])")), std::runtime_error);
  EXPECT_THROW(formats::parseColorMaps(file(R"(["#000000","000000"])")), std::runtime_error);
}

}  // namespace
}  // namespace headscope::ui
