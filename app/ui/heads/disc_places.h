// Disc places: where the discs of a scatter stand so that none covers another, and the axes that
// its values need.
#pragma once

#include <imgui.h>

#include <span>
#include <vector>

#include "app/ui/tools/chart.h"

namespace headscope::ui {

/// Round numbers around all of `values` (at least one): from 0 unless they lie close together far
/// from it; ticks are told apart by three digits.
ChartAxis axisAround(std::span<const double> values);

/// The largest radius up to `most` at which so many discs fill no more than a third of an area.
float discRadius(std::size_t count, ImVec2 area, float least, float most);

/// Discs of one radius, each as near to where it belongs as the others let it, centres within a–b.
std::vector<ImVec2> discPlaces(const std::vector<ImVec2>& wanted, float radius, ImVec2 a, ImVec2 b);

}  // namespace headscope::ui
