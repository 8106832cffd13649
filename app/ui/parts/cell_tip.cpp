#include "app/ui/parts/cell_tip.h"

#include <imgui.h>

#include "app/ui/frame_context.h"
#include "app/ui/parts/token_pictures.h"
#include "app/ui/widgets.h"
#include "core/attention/tensor_id.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/words/cell_sentence.h"

namespace headscope::ui {

namespace {

/// The token that an axis of a tensor counts; −1: it counts something else.
Index tokenOf(Axis axis, Index place) {
  return axis == Axis::query || axis == Axis::key ? place : -1;
}

}  // namespace

void drawCellTip(const FrameContext& look, const Trace& trace, const CellRef& cell, const Rect& at,
                 const std::string& more) {
  const std::string words = cellInWords(trace, cell);
  showTooltip((ImGui::GetIO().KeyCtrl ? words + "\n" + toString(cell) : words) + more, at);
  const TokenPictures* pictures = look.pictures;
  if (pictures == nullptr || !pictures->x.sameAs(trace.document().input->x)) return;
  const TensorInfo& tensor = info(cell.tensor);
  patchesInTip(look, *pictures, {tokenOf(tensor.rows, cell.row), tokenOf(tensor.cols, cell.col)});
}

}  // namespace headscope::ui
