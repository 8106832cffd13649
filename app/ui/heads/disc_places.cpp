#include "app/ui/heads/disc_places.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

namespace headscope::ui {
namespace {

constexpr double kTicks = 5.0;
constexpr float kFilled = 0.33F;
constexpr float kNear = 9.0F;      // heights of half a disc: farther ones are not found again
constexpr float kSideways = 3.0F;  // a way across counts for so many times one up or down

float square(float x) { return x * x; }

struct Box {
  ImVec2 a, b;
  bool meets(const Box& other) const {
    return a.x < other.b.x && b.x > other.a.x && a.y < other.b.y && b.y > other.a.y;
  }
};

Box boxOf(ImVec2 at, ImVec2 half) {
  return {{at.x - half.x, at.y - half.y}, {at.x + half.x, at.y + half.y}};
}

}  // namespace

PlainAxis axisAround(std::span<const double> values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  double low = *least;
  double high = *most;
  if (low >= 0.0 && (high - low > 0.6 * high || high == low)) low = 0.0;
  if (high <= low) high = low + 1.0;
  const double magnitude = std::max(std::abs(low), std::abs(high));
  const double finest = std::pow(10.0, std::floor(std::log10(magnitude)) - 2.0);
  const double step = std::max(tickStep(high - low, kTicks), finest);
  PlainAxis axis;
  axis.low = std::floor(low / step + 1e-9) * step;
  axis.high = std::ceil(high / step - 1e-9) * step;
  const auto count = static_cast<int>(std::round((axis.high - axis.low) / step));
  for (int i = 0; i <= count; ++i) axis.ticks.push_back(axis.low + i * step);
  return axis;
}

float discRadius(std::size_t count, ImVec2 area, float least, float most) {
  const float share =
      area.x * area.y * kFilled / static_cast<float>(std::max<std::size_t>(count, 1));
  return std::clamp(std::sqrt(share) * 0.5F, least, most);
}

PlainAxis withMargin(PlainAxis axis, float pixels, float length) {
  const double inner = std::max(1.0, static_cast<double>(length - 2 * pixels));
  const double margin = (axis.high - axis.low) * static_cast<double>(pixels) / inner;
  axis.low -= margin;
  axis.high += margin;
  return axis;
}

std::vector<std::vector<std::size_t>> together(const std::vector<ImVec2>& places, float within) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) {
      const ImVec2 first = places[g.front()];
      return square(first.x - places[i].x) + square(first.y - places[i].y) <= square(within);
    });
    if (group == groups.end()) {
      groups.push_back({i});
    } else {
      group->push_back(i);
    }
  }
  return groups;
}

std::vector<std::optional<ImVec2>> discPlaces(const std::vector<Disc>& discs, float dot, ImVec2 a,
                                              ImVec2 b) {
  constexpr float kGap = 1.0F;
  std::vector<std::optional<ImVec2>> places(discs.size());
  std::vector<Box> taken;
  const auto isFree = [&](const Box& box) {
    return std::none_of(taken.begin(), taken.end(), [&](const Box& t) { return t.meets(box); });
  };
  const auto boxAt = [&](const Disc& disc, ImVec2 at) {
    return boxOf(at, {disc.half.x + kGap * 0.5F, disc.half.y + kGap * 0.5F});
  };
  // those that cover no other, and stand inside, stay
  std::vector<std::size_t> moved;
  for (std::size_t i = 0; i < discs.size(); ++i) {
    const ImVec2 at = discs[i].at;
    const ImVec2 half = discs[i].half;
    bool alone = at.x - half.x >= a.x && at.x + half.x <= b.x && at.y - half.y >= a.y &&
                 at.y + half.y <= b.y;
    for (std::size_t j = 0; j < discs.size() && alone; ++j) {
      alone = i == j || !boxAt(discs[i], discs[i].at).meets(boxAt(discs[j], discs[j].at));
    }
    if (!alone) {
      moved.push_back(i);
      continue;
    }
    places[i] = at;
    taken.push_back(boxAt(discs[i], at));
  }
  // the others to the nearest room there is, where they cover no dot of another
  for (const std::size_t i : moved) {
    const Disc& disc = discs[i];
    const float step = std::max(1.0F, disc.half.y * 0.5F);
    // its own dot may lie in its middle, but not beside its number
    const auto coversDot = [&](ImVec2 at) {
      const bool home = at.x == disc.at.x && at.y == disc.at.y;
      return std::any_of(moved.begin(), moved.end(), [&](std::size_t j) {
        return !(home && j == i) && boxAt(disc, at).meets(boxOf(discs[j].at, {dot, dot}));
      });
    };
    std::optional<ImVec2> best;
    float least = kNear * disc.half.y;
    const auto offer = [&](ImVec2 at) {
      const float way = kSideways * std::abs(at.x - disc.at.x) + std::abs(at.y - disc.at.y) +
                        (at.y > disc.at.y ? 0.5F : 0.0F);  // rather up
      if (way >= least || !isFree(boxAt(disc, at)) || coversDot(at)) return;
      least = way;
      best = at;
    };
    const auto inside = [](float at, float half, float from, float to) {
      return at - half >= from && at + half <= to;
    };
    const auto down = static_cast<int>((b.y - a.y) / step);
    const auto across = static_cast<int>((b.x - a.x) / step);
    for (int y = -down; y <= down; ++y) {
      for (int x = -across; x <= across; ++x) {
        const ImVec2 at(disc.at.x + static_cast<float>(x) * step,
                        disc.at.y + static_cast<float>(y) * step);
        if (inside(at.x, disc.half.x, a.x, b.x) && inside(at.y, disc.half.y, a.y, b.y)) offer(at);
      }
    }
    places[i] = best;
    if (best) taken.push_back(boxAt(disc, *best));
  }
  return places;
}

}  // namespace headscope::ui
