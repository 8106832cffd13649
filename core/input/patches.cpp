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

Index PatchGrid::neighbour(Index token, Index down, Index right) const {
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

std::vector<float> patchContrasts(const PatchGrid& grid, const Tensor& x, Index item) {
  if (!grid.on()) return {};
  const Index tokens = x.dim(1), width = x.dim(2);
  const float* rows = x.data() + item * tokens * width;
  // the square of a patch's distance from the mean of its two neighbours along one direction
  const auto apart = [&](Index patch, Index down, Index right) {
    const Index before = grid.neighbour(patch, -down, -right);
    const Index behind = grid.neighbour(patch, down, right);
    float sum = 0.0F;
    for (Index d = 0; d < width && before >= 0 && behind >= 0; ++d) {
      const float mean = 0.5F * (rows[before * width + d] + rows[behind * width + d]);
      sum += (rows[patch * width + d] - mean) * (rows[patch * width + d] - mean);
    }
    return sum;
  };
  std::vector<float> contrasts(static_cast<std::size_t>(tokens), 0.0F);
  for (Index i = grid.first; i < std::min(tokens, grid.first + grid.count()); ++i) {
    contrasts[static_cast<std::size_t>(i)] = std::sqrt(apart(i, 1, 0) + apart(i, 0, 1));
  }
  const float most = *std::ranges::max_element(contrasts);
  for (float& contrast : contrasts) contrast = most > 0.0F ? contrast / most : 0.0F;
  return contrasts;
}

}  // namespace headscope
