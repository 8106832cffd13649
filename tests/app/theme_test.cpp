// The themes' colours: legible as text; heads differ from each other and from Q, K and V.
#include "app/ui/theme.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace headscope::ui {
namespace {

using Lab = std::array<double, 3>;
using Named = std::vector<std::pair<std::string, ImU32>>;

constexpr std::size_t kHeads = 12;
constexpr double kContrast = 4.5;  // WCAG AA for text

using Rgb = std::array<double, 3>;  // linear

double channel(ImU32 color, int shift) { return ((color >> shift) & 255U) / 255.0; }

Rgb linear(ImU32 color) {
  const auto of = [](double c) {
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return {of(channel(color, IM_COL32_R_SHIFT)), of(channel(color, IM_COL32_G_SHIFT)),
          of(channel(color, IM_COL32_B_SHIFT))};
}

Lab lab(const Rgb& rgb) {
  const auto& [r, g, b] = rgb;
  const auto f = [](double t) {
    return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  };
  const double x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const double y = f(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
  const double z = f((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double deltaE(ImU32 a, ImU32 b) {
  const Lab p = lab(linear(a));
  const Lab q = lab(linear(b));
  return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

/// CIEDE2000 (Sharma, Wu, Dalal 2005).
double deltaE2000(const Lab& p, const Lab& q) {
  constexpr double kDegree = 3.14159265358979323846 / 180.0;
  constexpr double k25To7 = 6103515625.0;
  const auto chroma = [](double a, double b) { return std::hypot(a, b); };
  const double mean7 = std::pow((chroma(p[1], p[2]) + chroma(q[1], q[2])) / 2, 7);
  const double grow = 1.5 - 0.5 * std::sqrt(mean7 / (mean7 + k25To7));
  const double c1 = chroma(grow * p[1], p[2]);
  const double c2 = chroma(grow * q[1], q[2]);
  const auto hue = [&](const Lab& of) {
    const double h = std::atan2(of[2], grow * of[1]) / kDegree;
    return h < 0.0 ? h + 360.0 : h;
  };
  const double h1 = hue(p);
  const double h2 = hue(q);
  double turn = c1 * c2 == 0.0 ? 0.0 : h2 - h1;
  if (turn > 180.0) turn -= 360.0;
  if (turn < -180.0) turn += 360.0;
  const double dH = 2.0 * std::sqrt(c1 * c2) * std::sin(turn / 2 * kDegree);
  const double light = (p[0] + q[0]) / 2 - 50.0;
  const double c = (c1 + c2) / 2;
  double h = h1 + h2;
  if (c1 * c2 != 0.0)
    h = std::abs(h1 - h2) <= 180.0 ? h / 2 : (h + (h < 360.0 ? 360.0 : -360.0)) / 2;
  const auto cosine = [](double degrees) { return std::cos(degrees * kDegree); };
  const double t = 1.0 - 0.17 * cosine(h - 30) + 0.24 * cosine(2 * h) + 0.32 * cosine(3 * h + 6) -
                   0.20 * cosine(4 * h - 63);
  const double c7 = std::pow(c, 7);
  const double rotation = -std::sin(60.0 * std::exp(-std::pow((h - 275.0) / 25.0, 2)) * kDegree) *
                          2.0 * std::sqrt(c7 / (c7 + k25To7));
  const double l = (q[0] - p[0]) / (1.0 + 0.015 * light * light / std::sqrt(20.0 + light * light));
  const double s = (c2 - c1) / (1.0 + 0.045 * c);
  const double d = dH / (1.0 + 0.015 * c * t);
  return std::sqrt(l * l + s * s + d * d + rotation * s * d);
}

/// The colours that people see, as rows of red, green and blue: all, or those who lack one kind of
/// cones (Machado, Oliveira, Fernandes 2009, severity 1).
struct Vision {
  const char* name;
  std::array<Rgb, 3> rows;
};
constexpr std::array<Vision, 4> kVisions{{
    {"normal", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
    {"protanopia",
     {{{0.152286, 1.052583, -0.204868},
       {0.114503, 0.786281, 0.099216},
       {-0.003882, -0.048116, 1.051998}}}},
    {"deuteranopia",
     {{{0.367322, 0.860646, -0.227968},
       {0.280085, 0.672501, 0.047413},
       {-0.011820, 0.042940, 0.968881}}}},
    {"tritanopia",
     {{{1.255528, -0.076749, -0.178779},
       {-0.078411, 0.930809, 0.147602},
       {0.004733, 0.691367, 0.303900}}}},
}};

Lab seen(ImU32 color, const Vision& vision) {
  const Rgb in = linear(color);
  Rgb out{};
  for (std::size_t i = 0; i < 3; ++i) {
    const Rgb& row = vision.rows[i];
    out[i] = std::clamp(row[0] * in[0] + row[1] * in[1] + row[2] * in[2], 0.0, 1.0);
  }
  return lab(out);
}

Named headColors(const Theme& theme) {
  Named heads;
  for (std::size_t head = 0; head < kHeads; ++head) {
    heads.emplace_back("head " + std::to_string(head + 1), headColor(theme, head));
  }
  return heads;
}

class ThemeTest : public testing::TestWithParam<std::tuple<ThemeKind, Palette>> {
 protected:
  const Theme& theme_ = theme(std::get<0>(GetParam()), std::get<1>(GetParam()));
  bool safe() const { return theme_.palette == Palette::safe; }
};

/// L* of a colour, which is all that a grey print keeps of it.
double lightness(ImU32 color) { return seen(color, kVisions.front())[0]; }

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

TEST_P(ThemeTest, HeadsAreDistinguished) {
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

/// Good and bad are no role of a token.
TEST_P(ThemeTest, GoodAndBadAreNoRole) {
  const Theme& t = theme_;
  const Named roles{{"queries", t.queryText}, {"keys", t.keyText},     {"values", t.valueText},
                    {"output", t.outputText}, {"Q", t.query},          {"K", t.key},
                    {"V", t.value},           {"accent", t.accentText}};
  for (const ImU32 verdict : {t.good, t.bad}) {
    for (const auto& [name, color] : roles) EXPECT_GE(deltaE(verdict, color), 10.0) << name;
  }
}

TEST(DeltaE2000, MatchesItsAuthorsPairs) {
  EXPECT_NEAR(deltaE2000({50, 2.6772, -79.7751}, {50, 0, -82.7485}), 2.0425, 1e-4);
  EXPECT_NEAR(deltaE2000({50, 2.5, 0}, {73, 25, -18}), 27.1492, 1e-4);
  EXPECT_NEAR(deltaE2000({50, 2.49, -0.001}, {50, -2.49, 0.0011}), 7.2195, 1e-4);
  EXPECT_NEAR(deltaE2000({22.7233, 20.0904, -46.694}, {23.0331, 14.973, -42.5619}), 2.0373, 1e-4);
}

/// Some 2 are just noticed side by side; 10 are another colour at a glance.
TEST_P(ThemeTest, EightHeadsAreDistinguishedWithoutOneKindOfCones) {
  constexpr std::size_t kFewHeads = 8;
  for (const Vision& vision : kVisions) {
    for (std::size_t a = 0; a < kFewHeads; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const double apart =
            deltaE2000(seen(headColor(theme_, a), vision), seen(headColor(theme_, b), vision));
        EXPECT_GE(apart, safe()       ? 10.0
                         : a - b == 1 ? 19.0
                                      : 15.0)
            << "heads " << b + 1 << " and " << a + 1 << ", " << vision.name;
      }
    }
  }
}

/// Chroma and hue of a colour in OKLCH (Ottosson 2020), the hue in degrees.
std::pair<double, double> chromaAndHue(ImU32 color) {
  const auto& [r, g, b] = linear(color);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const double x = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
  const double y = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
  return {std::hypot(x, y), std::atan2(y, x) * 57.29577951308232};
}

TEST(HeadColors, KeepTheirHueInBothThemes) {
  constexpr double kGrey = 0.02;  // the hue of less chroma is not seen
  for (const Palette palette : {Palette::usual, Palette::safe}) {
    for (std::size_t head = 0; head < kHeads; ++head) {
      const auto light = chromaAndHue(headColor(theme(ThemeKind::light, palette), head));
      const auto dark = chromaAndHue(headColor(theme(ThemeKind::dark, palette), head));
      EXPECT_GE(std::min(light.first, dark.first), kGrey) << "head " << head + 1;
      EXPECT_LE(std::abs(std::remainder(light.second - dark.second, 360.0)), 25.0)
          << "head " << head + 1;
    }
  }
}

TEST(SafePalette, SurvivesGrey) {
  constexpr std::size_t kFewHeads = 8;
  for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
    const Theme& t = theme(kind, Palette::safe);
    for (std::size_t a = 0; a < kFewHeads; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        EXPECT_GE(std::abs(lightness(headColor(t, a)) - lightness(headColor(t, b))), 3.0)
            << "heads " << b + 1 << " and " << a + 1;
      }
    }
    const std::array parts{t.query, t.key, t.value};
    for (std::size_t a = 0; a < parts.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        EXPECT_GE(std::abs(lightness(parts[a]) - lightness(parts[b])), 10.0) << b << " and " << a;
      }
    }
    for (const Vision& vision : kVisions) {
      EXPECT_GE(deltaE2000(seen(t.good, vision), seen(t.bad, vision)), 15.0) << vision.name;
    }
  }
}

TEST_P(ThemeTest, BlocksAreDistinguished) {
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

INSTANTIATE_TEST_SUITE_P(All, ThemeTest,
                         testing::Combine(testing::Values(ThemeKind::light, ThemeKind::dark),
                                          testing::Values(Palette::usual, Palette::safe)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param) == ThemeKind::dark
                                                  ? "dark"
                                                  : "light") +
                                  (std::get<1>(info.param) == Palette::safe ? "_safe" : "");
                         });

}  // namespace
}  // namespace headscope::ui
