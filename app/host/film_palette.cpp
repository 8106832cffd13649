#include "app/host/film_palette.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>

namespace headscope::host {
namespace {

struct CountedColor {
  Rgb color = 0;
  double count = 0.0;

  double channel(int c) const { return static_cast<double>(color >> (16 - 8 * c) & 255U); }
};

/// Colours that share one entry of the palette.
struct ColorBox {
  std::span<CountedColor> colors;
  double count = 0.0;
  std::array<double, 3> mean{};
  int widest = 0;      // the channel with the largest squared error
  double error = 0.0;  // the sum of squared distances from the mean along it

  explicit ColorBox(std::span<CountedColor> all) : colors(all) {
    std::array<double, 3> sum{}, squares{};
    for (const CountedColor& one : colors) {
      count += one.count;
      for (int c = 0; c < 3; ++c) {
        const double value = one.channel(c);
        sum[static_cast<std::size_t>(c)] += one.count * value;
        squares[static_cast<std::size_t>(c)] += one.count * value * value;
      }
    }
    for (std::size_t c = 0; c < 3; ++c) {
      mean[c] = sum[c] / count;
      const double found = squares[c] - sum[c] * mean[c];
      if (found <= error) continue;
      error = found;
      widest = static_cast<int>(c);
    }
  }

  /// Splits the box at its mean; both halves have colours where `error` is above 0.
  std::size_t middle() const {
    const double at = mean[static_cast<std::size_t>(widest)];
    const auto low = [&](const CountedColor& one) { return one.channel(widest) <= at; };
    const auto end = std::partition(colors.begin(), colors.end(), low);
    return static_cast<std::size_t>(end - colors.begin());
  }

  Rgb color() const {
    Rgb whole = 0;
    for (const double value : mean) whole = whole << 8U | static_cast<Rgb>(value + 0.5);
    return whole;
  }
};

/// Groups colours into at most `most` boxes.
std::vector<ColorBox> boxesOf(std::span<CountedColor> colors, std::size_t most) {
  constexpr double kLeastError = 0.5;  // below, all colours of a box are one
  std::vector<ColorBox> boxes{ColorBox(colors)};
  while (boxes.size() < most) {
    const auto worst = std::ranges::max_element(boxes, {}, &ColorBox::error);
    if (worst->error < kLeastError) break;
    const std::size_t middle = worst->middle();
    const std::span<CountedColor> all = worst->colors;
    *worst = ColorBox(all.first(middle));
    boxes.emplace_back(all.subspan(middle));
  }
  return boxes;
}

}  // namespace

FilmPalette paletteOf(const std::unordered_map<Rgb, std::uint32_t>& counts, std::size_t most) {
  std::vector<CountedColor> colors;
  colors.reserve(counts.size());
  for (const auto& [color, count] : counts) {
    colors.push_back({color, static_cast<double>(count)});
  }
  // by colour where they are as frequent, so that a palette depends on no hash
  std::ranges::sort(colors, [](const CountedColor& a, const CountedColor& b) {
    return a.count != b.count ? a.count > b.count : a.color < b.color;
  });
  const std::size_t exact = colors.size() <= most ? colors.size() : most / 2;
  FilmPalette palette;
  for (const CountedColor& one : std::span(colors).first(exact)) {
    palette.indexOf[one.color] = static_cast<std::uint8_t>(palette.colors.size());
    palette.colors.push_back(one.color);
  }
  if (exact == colors.size()) return palette;
  for (const ColorBox& box : boxesOf(std::span(colors).subspan(exact), most - exact)) {
    for (const CountedColor& one : box.colors) {
      palette.indexOf[one.color] = static_cast<std::uint8_t>(palette.colors.size());
    }
    palette.colors.push_back(box.color());
  }
  return palette;
}

}  // namespace headscope::host
