#include "app/ui/heads/disc_places.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace headscope::ui {
namespace {

constexpr double kTicks = 5.0;
constexpr float kFilled = 0.33F;
constexpr int kMostRounds = 200;

/// The step of 1, 2 or 5 times a power of ten that gives about kTicks ticks.
double tickStep(double range) {
  const double power = std::pow(10.0, std::floor(std::log10(range / kTicks)));
  for (const double leading : {1.0, 2.0, 5.0}) {
    if (leading * power * kTicks >= range * (1.0 - 1e-9)) return leading * power;
  }
  return 10.0 * power;
}

}  // namespace

ChartAxis axisAround(std::span<const double> values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  double low = *least;
  double high = *most;
  if (low >= 0.0 && (high - low > 0.6 * high || high == low)) low = 0.0;
  if (high <= low) high = low + 1.0;
  const double magnitude = std::max(std::abs(low), std::abs(high));
  const double finest = std::pow(10.0, std::floor(std::log10(magnitude)) - 2.0);
  const double step = std::max(tickStep(high - low), finest);
  ChartAxis axis;
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

std::vector<ImVec2> discPlaces(const std::vector<ImVec2>& wanted, float radius, ImVec2 a,
                               ImVec2 b) {
  constexpr float kGoldenAngle = 2.399963F;
  const float apart = 2 * radius + 1.0F;
  std::vector<ImVec2> places = wanted;
  for (int round = 0; round < kMostRounds; ++round) {
    bool moved = false;
    for (std::size_t i = 0; i < places.size(); ++i) {
      for (std::size_t j = i + 1; j < places.size(); ++j) {
        ImVec2 way(places[j].x - places[i].x, places[j].y - places[i].y);
        float distance = std::sqrt(way.x * way.x + way.y * way.y);
        if (distance >= apart - 0.01F) continue;
        if (distance < 0.01F) {  // in one place: each leaves in a direction of its own
          const float angle = kGoldenAngle * static_cast<float>(j);
          way = {std::cos(angle), std::sin(angle)};
          distance = 1.0F;
        }
        const float push = (apart - std::min(distance, apart)) * 0.5F;
        const ImVec2 by(way.x / distance * push, way.y / distance * push);
        places[i] = {places[i].x - by.x, places[i].y - by.y};
        places[j] = {places[j].x + by.x, places[j].y + by.y};
        moved = true;
      }
    }
    for (ImVec2& place : places) {
      place = {std::clamp(place.x, a.x, b.x), std::clamp(place.y, a.y, b.y)};
    }
    if (!moved) break;
  }
  return places;
}

}  // namespace headscope::ui
