// Metrics table: heads by metrics, in any column's order, under headings and beside head numbers
// that stay while the rest scrolls.
#pragma once

#include <optional>
#include <string_view>

#include "app/ui/panel.h"
#include "core/analysis/head_report.h"

namespace headscope::ui {

/// What the mouse or keyboard points at.
struct TablePointed {
  std::optional<Index> head;
  std::optional<Metric> metric;
  bool label = false;  // the labels' column
};

/// In a part of this height, or what all rows take, with a scroll of its own. A click on a heading
/// sorts, on a row chooses the head.
TablePointed metricsTable(const Panel& panel, const HeadReport& report, float height);

/// A click on a column's heading: first the order in which it is mostly read, then the other.
void sortTableBy(HeadsView& view, std::string_view column);

}  // namespace headscope::ui
