// Disc places: where the discs of a scatter stand so that none covers another, and the axes that
// its values need. Pure.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "app/ui/tools/chart.h"

namespace headscope::ui {

/// Round numbers around all of `values` (at least one): from 0 unless they lie close together far
/// from it; ticks are told apart by three digits.
PlainAxis axisAround(std::span<const double> values);

/// The largest radius up to `most` at which so many discs fill no more than a third of an area.
float discRadius(std::size_t count, ImVec2 area, float least, float most);

/// The same axis, with so many pixels of its length left free at both ends.
PlainAxis withMargin(PlainAxis axis, float pixels, float length);

/// Indices of places as close as `within` to the first of their group, in order.
std::vector<std::vector<std::size_t>> together(const std::vector<ImVec2>& places, float within);

struct Disc {
  ImVec2 at;    // its value
  ImVec2 half;  // of its width and height
};

/// Where the discs stand: at their values those that cover no other's; the rest as near as there is
/// room within a–b, where they cover neither one another nor the dot (of this radius) at another's
/// value. None for a disc that has no room near by.
std::vector<std::optional<ImVec2>> discPlaces(const std::vector<Disc>& discs, float dot, ImVec2 a,
                                              ImVec2 b);

}  // namespace headscope::ui
