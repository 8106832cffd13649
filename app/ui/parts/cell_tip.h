// Cell tip: the tooltip of the cell under the mouse: a sentence, the cell's name in tensor notation
// while ctrl is held, and the patches of an image's tokens.
#pragma once

#include <string>

#include "app/ui/parts/layout.h"
#include "core/document/fwd.h"

namespace headscope {
struct CellRef;
}  // namespace headscope

namespace headscope::ui {

struct FrameContext;

/// Draws the tooltip next to `at`; `more` stands behind the sentence.
void drawCellTip(const FrameContext& look, const Trace& trace, const CellRef& cell, const Rect& at,
                 const std::string& more = {});

}  // namespace headscope::ui
