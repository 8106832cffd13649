// Compared matrices: one matrix of two passes and what they differ by, side by side: the one, the
// other, and their difference on a scale of its own.
#pragma once

#include <cstdint>

#include "app/ui/panel.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/stage/stage_items.h"

namespace headscope::ui {

/// One of the two passes.
struct ComparedPass {
  const Trace& trace;
  std::uint64_t salt;  // of its heatmaps; 0: the present pass
  const char* name;    // "after"
};

/// What is compared: first − second.
struct ComparedPasses {
  ComparedPass first, second;
};

/// How a step's result is shown: its matrix for the chosen head, what it is called, its lanes.
StageItem resultOf(StepId step, const AttentionConfig& config, const ViewState& view);
/// The same of a tensor that some step gives.
StageItem resultOf(TensorId tensor, const AttentionConfig& config, const ViewState& view);

/// first − second, masked where both are.
CellRows differenceRows(const Trace& first, const Trace& second, const MatrixRef& ref);

/// Fills a rectangle; says in words where the two have different shapes. A click chooses a cell.
void comparedMatrices(const PanelContext& panel, const ComparedPasses& passes,
                      const StageItem& item, const Rect& room);

}  // namespace headscope::ui
