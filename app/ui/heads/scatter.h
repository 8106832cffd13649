// Scatter: heads as numbered discs by two metrics, which the axes' names choose.
#pragma once

#include <imgui.h>

#include <optional>
#include <vector>

#include "app/ui/panel.h"
#include "core/analysis/head_report.h"

namespace headscope::ui {

/// Where numbered discs went that would have covered each other: worked out again when they belong
/// elsewhere.
struct ScatterMemory {
  std::vector<ImVec2> wanted, places;
  float radius = 0.0F;
};

/// The metrics of its axes: those of the view, or the first defaults where the view's have no name.
struct ScatterAxes {
  Metric x, y;
};
ScatterAxes scatterAxes(const HeadsView& view);

/// What the mouse or keyboard points at.
struct ScatterPointed {
  std::optional<Index> head;
  std::optional<Metric> metric;  // an axis' name
  std::vector<Index> together;   // other heads in the place of the one pointed at, else chosen
  bool empty = false;            // no head has both: its place says why
};

/// At the cursor, in this size. A click on a disc chooses the head.
ScatterPointed scatter(const Panel& panel, ScatterMemory& memory, const HeadReport& report,
                       ImVec2 size);

}  // namespace headscope::ui
