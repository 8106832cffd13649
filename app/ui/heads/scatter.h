// Scatter: heads as numbered discs by two metrics, which the axes' names choose. A disc that cannot
// stand at its value is tied to a dot that does.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <vector>

#include "app/ui/panel.h"
#include "core/analysis/head_report.h"

namespace headscope::ui {

/// Heads with the same values, to the eye, share a disc.
struct ScatterDisc {
  std::vector<Index> heads;
  std::string text;  // "3", "2–5", "26 heads"
  ImVec2 value;      // where it belongs
  ImVec2 place;      // where it stands: elsewhere where it would cover another
  ImVec2 half;       // of its width and height
};

/// Where the discs went: worked out again when they belong elsewhere.
struct ScatterMemory {
  std::vector<Index> heads;
  std::vector<ImVec2> values;  // of these heads
  float scale = 0.0F;
  std::vector<ScatterDisc> discs;
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
  std::vector<Index> together;   // other heads with the values of the one pointed at, else chosen
  bool empty = false;            // no head has both: its place says why
};

/// At the cursor, in this size. A click on a disc chooses its head, another the next it is of.
ScatterPointed scatter(const Panel& panel, ScatterMemory& memory, const HeadReport& report,
                       ImVec2 size);

}  // namespace headscope::ui
