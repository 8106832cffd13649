// Flash: cells that an edit changed light up for a moment, the more the larger their change.
#pragma once

#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"

namespace headscope::ui {

inline constexpr double kFlashSeconds = 0.6;

/// Lays the flash over a matrix drawn in [a, b); nothing where it did not change. Cells smaller
/// than a few points light up together, by the largest change among them.
void drawFlash(const Panel& panel, const MatrixRef& ref, ImVec2 a, ImVec2 b);

}  // namespace headscope::ui
