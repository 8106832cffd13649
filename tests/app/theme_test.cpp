// The themes' colours: legible as text; heads differ from each other and from Q, K and V.
#include "app/ui/theme.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace headscope::ui {
namespace {

using Lab = std::array<double, 3>;
using Named = std::vector<std::pair<std::string, ImU32>>;

constexpr std::size_t kHeads = 12;
constexpr double kContrast = 4.5;  // WCAG AA for text

double channel(ImU32 color, int shift) { return ((color >> shift) & 255U) / 255.0; }

Lab lab(ImU32 color) {
  const auto linear = [](double c) {
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  const double r = linear(channel(color, IM_COL32_R_SHIFT));
  const double g = linear(channel(color, IM_COL32_G_SHIFT));
  const double b = linear(channel(color, IM_COL32_B_SHIFT));
  const auto f = [](double t) {
    return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  };
  const double x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const double y = f(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
  const double z = f((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double deltaE(ImU32 a, ImU32 b) {
  const Lab p = lab(a);
  const Lab q = lab(b);
  return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

Named headColors(const Theme& theme) {
  Named heads;
  for (std::size_t head = 0; head < kHeads; ++head) {
    heads.emplace_back("head " + std::to_string(head + 1), headColor(theme, head));
  }
  return heads;
}

class ThemeTest : public testing::TestWithParam<ThemeKind> {
 protected:
  const Theme& theme_ = theme(GetParam());
};

TEST(Contrast, MatchesWcagsOwnExamples) {
  EXPECT_NEAR(contrast(IM_COL32_BLACK, IM_COL32_WHITE), 21.0, 1e-9);
  EXPECT_NEAR(contrast(IM_COL32(0x77, 0x77, 0x77, 255), IM_COL32_WHITE), 4.48, 0.005);
  EXPECT_EQ(legibleOn(IM_COL32(0x1b, 0x9a, 0x59, 255)), IM_COL32_BLACK);
  EXPECT_EQ(legibleOn(IM_COL32(0x5b, 0x4b, 0xdb, 255)), IM_COL32_WHITE);
}

TEST(WithAlpha, ReplacesAlphaAlone) {
  EXPECT_EQ(withAlpha(IM_COL32(1, 2, 3, 255), 0.5F), IM_COL32(1, 2, 3, 128));
}

TEST_P(ThemeTest, TextIsLegibleWhereverItStands) {
  const Theme& t = theme_;
  Named texts{{"text", t.text},
              {"textMuted", t.textMuted},
              {"accentText", t.accentText},
              {"good", t.good},
              {"bad", t.bad},
              {"queryText", t.queryText},
              {"keyText", t.keyText},
              {"valueText", t.valueText},
              {"outputText", t.outputText}};
  for (auto& head : headColors(t)) texts.push_back(head);
  const Named grounds{
      {"panel", t.panel}, {"window", t.window}, {"field", t.field}, {"accentSoft", t.accentSoft}};
  for (const auto& [name, color] : texts) {
    for (const auto& [ground, background] : grounds) {
      EXPECT_GE(contrast(color, background), kContrast) << name << " on " << ground;
    }
  }
  EXPECT_GE(contrast(t.text, t.fieldHover), kContrast);
  EXPECT_GE(contrast(t.text, t.fieldActive), kContrast);
  EXPECT_GE(contrast(t.text, t.maskedFill), kContrast);
  EXPECT_GE(contrast(t.textOnAccent, t.accent), kContrast);
  EXPECT_GE(contrast(t.bad, t.badSoft), kContrast);
}

TEST_P(ThemeTest, LettersOnBlocksAreLegible) {
  const Theme& t = theme_;
  for (const ImU32 block : {t.query, t.key, t.value, t.input, t.output}) {
    EXPECT_GE(contrast(legibleOn(block), block), kContrast);
  }
  for (const auto& [name, color] : headColors(t)) {
    EXPECT_GE(contrast(legibleOn(color), color), kContrast) << name;
  }
}

TEST_P(ThemeTest, HeadsAreToldApart) {
  const auto heads = headColors(theme_);
  const Named fixed{{"Q", theme_.query}, {"K", theme_.key}, {"V", theme_.value}};
  for (std::size_t a = 0; a < heads.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      EXPECT_GE(deltaE(heads[a].second, heads[b].second), 15.0)
          << heads[a].first << " and " << heads[b].first;
    }
    for (const auto& [name, color] : fixed) {
      EXPECT_GE(deltaE(heads[a].second, color), 15.0) << heads[a].first << " and " << name;
    }
  }
}

TEST_P(ThemeTest, BlocksAreToldApart) {
  const Theme& t = theme_;
  const Named blocks{
      {"X", t.input}, {"Q", t.query}, {"K", t.key}, {"V", t.value}, {"output", t.output}};
  for (std::size_t a = 0; a < blocks.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      EXPECT_GE(deltaE(blocks[a].second, blocks[b].second), 15.0)
          << blocks[a].first << " and " << blocks[b].first;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Both, ThemeTest, testing::Values(ThemeKind::light, ThemeKind::dark),
                         [](const auto& info) {
                           return info.param == ThemeKind::dark ? "dark" : "light";
                         });

}  // namespace
}  // namespace headscope::ui
