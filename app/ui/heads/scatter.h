// Scatter: heads as numbered discs by two metrics, which the axes' names choose. A line ties each
// displaced disc to a dot at its value.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/parts/chart.h"
#include "core/analysis/head_report.h"

namespace headscope::ui {

struct HeadsView;
struct PanelContext;

// The places of the discs, and the axes for their values. Pure.

/// Returns an axis with round ends around `values` (at least one). It starts at 0 unless the values
/// lie close together far from 0. Three digits distinguish its ticks.
ChartAxis axisAround(std::span<const double> values);

/// Returns the largest radius, within `least` and `most`, at which the discs fill at most a third
/// of an area.
float discRadius(std::size_t count, ImVec2 area, float least, float most);

/// Returns the axis extended so that `pixels` of `length` stay free at both ends.
ChartAxis withMargin(ChartAxis axis, float pixels, float length);

/// Returns groups of indices, in order; places within `within` of a group's first place belong to
/// it.
std::vector<std::vector<std::size_t>> together(const std::vector<ImVec2>& places, float within);

struct Disc {
  ImVec2 at;    // the place of its value
  ImVec2 half;  // half of width and height
};

/// Returns the places of the discs. A disc stays at its value if it overlaps no other disc there;
/// else it moves to the nearest free place in `room` that covers neither a disc nor the dot (of
/// radius `dot`) at another's value. None where there is no free place near by.
std::vector<std::optional<ImVec2>> discPlaces(const std::vector<Disc>& discs, float dot,
                                              const Rect& room);

// The picture.

/// The metrics of the axes: the view's, or the default for a key that names no metric.
struct ScatterAxes {
  Metric x, y;
};
ScatterAxes scatterAxes(const HeadsView& view, bool patches);

/// The head or axis name under the mouse or keyboard focus.
struct ScatterPick {
  std::optional<Index> head;
  std::optional<Metric> metric;  // of the axis name pointed at
  std::vector<Index> together;   // other heads on the disc of the head pointed at or chosen
  bool empty = false;            // no head has both values; the plot gives the reasons
};

/// Draws the scatter. A click on a disc chooses its first head; further clicks choose its next
/// heads.
ScatterPick scatter(const PanelContext& panel, const HeadReport& report, Rect room);

}  // namespace headscope::ui
