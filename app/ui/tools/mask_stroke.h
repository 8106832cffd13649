// Mask strokes: what dragging and keys do to a painted mask, as edits.
#pragma once

#include <string>

#include "app/ui/panel.h"
#include "app/ui/tools/mask_painter.h"

namespace headscope::ui {

/// The item that is looked at, among those the document has.
Index itemOf(const Panel& panel);

/// Begins a stroke at a point of the matrix, or goes on with it.
void strokeTo(const Panel& panel, MaskPainterMemory& memory, const MaskPlace& place, ImVec2 point,
              bool rectangle);

/// Forbids a pair that is allowed, allows one that is not.
void changePair(const Panel& panel, MaskPainterMemory& memory, const Pair& pair);

/// The pair becomes the keyboard's cursor and the cell that stage and inspector show.
void choosePair(const Panel& panel, MaskPainterMemory& memory, const Pair& pair);

/// The score-like cell of a pair that the current step shows; weights in other steps.
CellRef cellOf(const ViewState& view, Index item, const Pair& pair);

}  // namespace headscope::ui
