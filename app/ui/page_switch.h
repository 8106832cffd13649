// Page switch: the two pages of the window, at its upper left.
#pragma once

#include "app/ui/panel.h"
#include "app/ui/wrapping_row.h"

namespace headscope::ui {

/// Draws the pages into the row; a click opens one.
void pageSwitch(const Look& look, ViewState& view, WrappingRow& row);

}  // namespace headscope::ui
