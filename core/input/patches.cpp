#include "core/input/patches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/input/input.h"

namespace headscope {
namespace {

/// Returns the grid of one item's places; none of them is padding.
PatchGrid gridOf(const std::vector<std::optional<PatchPlace>>& places) {
  const auto begin = std::ranges::find_if(places, [](const auto& place) { return bool(place); });
  if (begin == places.end() || !places.back()) return {};
  PatchGrid grid{begin - places.begin(), places.back()->row + 1, places.back()->column + 1};
  if (grid.first + grid.count() != std::ssize(places)) return {};
  for (Index patch = 0; patch < grid.count(); ++patch) {
    const auto& place = places[static_cast<std::size_t>(grid.first + patch)];
    if (!place || place->row * grid.columns + place->column != patch) return {};
  }
  return grid;
}

}  // namespace

bool isImage(const std::vector<std::string>& channels) {
  const auto has = [&](const char* name) {
    return std::find(channels.begin(), channels.end(), name) != channels.end();
  };
  return has("row") && has("column");
}

Index PatchGrid::beside(Index token, Index down, Index right) const {
  if (!holds(token)) return -1;
  const Index row = (token - first) / columns + down;
  const Index column = (token - first) % columns + right;
  if (row < 0 || row >= rows || column < 0 || column >= columns) return -1;
  return first + row * columns + column;
}

std::optional<PatchPlace> patchPlace(const std::vector<std::string>& channels,
                                     std::span<const float> readings) {
  if (!isImage(channels)) return std::nullopt;
  const auto read = [&](const char* name) {
    return readings[static_cast<std::size_t>(std::find(channels.begin(), channels.end(), name) -
                                             channels.begin())];
  };
  constexpr float kMostSide = 256.0F;
  const auto isPlace = [](float v) { return v >= 0.0F && v < kMostSide && v == std::floor(v); };
  const float row = read("row"), column = read("column");
  if (!isPlace(row) || !isPlace(column)) return std::nullopt;
  return PatchPlace{static_cast<Index>(row), static_cast<Index>(column)};
}

std::string patchName(const PatchPlace& place) {
  return fmt::format("patch {},{}", place.row + 1, place.column + 1);
}

PatchGrid patchGridOf(const Readings& readings) {
  if (!isImage(readings.channels)) return {};
  const Index tokens = readings.values.dim(1);
  PatchGrid grid;
  for (Index item = 0; item < std::ssize(readings.lengths); ++item) {
    if (readings.lengths[static_cast<std::size_t>(item)] != tokens) return {};
    std::vector<std::optional<PatchPlace>> places;
    for (Index token = 0; token < tokens; ++token) {
      places.push_back(patchPlace(readings.channels, readings.values.matrix({item}).row(token)));
    }
    const PatchGrid here = gridOf(places);
    if (item > 0 && here != grid) return {};
    grid = here;
  }
  return grid;
}

}  // namespace headscope
