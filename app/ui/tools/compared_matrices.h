// Compared matrices: one matrix of two passes and its difference, side by side; the difference has
// a scale of its own.
#pragma once

#include <cstdint>

#include "app/ui/frame_context.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/step_view/step_view_items.h"
#include "core/document/fwd.h"

namespace headscope {
struct AttentionConfig;
}  // namespace headscope

namespace headscope::ui {

struct PanelContext;
struct ViewState;

/// One of the two passes.
struct ComparedPass {
  const Trace& trace;
  std::uint64_t salt;  // the salt of its heatmaps; 0: the present pass
  const char* name;    // "after"
};

/// The two passes of a comparison; the difference is first − second.
struct ComparedPasses {
  ComparedPass first, second;
};

/// Returns the item that shows a step's result for the chosen head: its matrix, symbol and lanes.
StepViewItem resultOf(StepId step, const AttentionConfig& config, const ViewState& view);
/// Returns the item that shows a tensor, which must be a step's result.
StepViewItem resultOf(TensorId tensor, const AttentionConfig& config, const ViewState& view);

/// Returns the cells first − second, masked where both are masked.
CellRows differenceRows(const Trace& first, const Trace& second, const MatrixRef& ref);

/// Draws the comparison in a rectangle, or a sentence where the two shapes differ. A click chooses
/// a cell.
void comparedMatrices(const PanelContext& panel, const ComparedPasses& passes,
                      const StepViewItem& item, const Rect& room);

}  // namespace headscope::ui
