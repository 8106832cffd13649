// Scatter: heads as numbered discs by two metrics, which the axes' names choose. A disc that cannot
// stand at its value is tied to a dot that does.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/parts/chart.h"
#include "core/analysis/head_report.h"

namespace headscope::ui {

// Where discs stand, and the axes that their values need. Pure.

/// Round numbers around all of `values` (at least one): from 0 unless they lie close together far
/// from it; ticks are told apart by three digits.
ChartAxis axisAround(std::span<const double> values);

/// The largest radius up to `most` at which so many discs fill no more than a third of an area.
float discRadius(std::size_t count, ImVec2 area, float least, float most);

/// The same axis, with so many pixels of its length left free at both ends.
ChartAxis withMargin(ChartAxis axis, float pixels, float length);

/// Indices of places as close as `within` to the first of their group, in order.
std::vector<std::vector<std::size_t>> together(const std::vector<ImVec2>& places, float within);

struct Disc {
  ImVec2 at;    // its value
  ImVec2 half;  // of its width and height
};

/// Where the discs stand: at their values those that cover no other's; the rest as near as there is
/// room within `room`, where they cover neither one another nor the dot (of this radius) at
/// another's value. None for a disc that has no room near by.
std::vector<std::optional<ImVec2>> discPlaces(const std::vector<Disc>& discs, float dot,
                                              const Rect& room);

// The picture.

/// The metrics of its axes: those of the view, or the first defaults where the view's have no name.
struct ScatterAxes {
  Metric x, y;
};
ScatterAxes scatterAxes(const HeadsView& view);

/// What the mouse or keyboard points at.
struct ScatterPick {
  std::optional<Index> head;
  std::optional<Metric> metric;  // an axis' name
  std::vector<Index> together;   // other heads with the values of the one pointed at, else chosen
  bool empty = false;            // no head has both: its place says why
};

/// A click on a disc chooses its head, another the next it is of.
ScatterPick scatter(const PanelContext& panel, const HeadReport& report, Rect room);

}  // namespace headscope::ui
