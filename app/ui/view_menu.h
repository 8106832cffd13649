// View menu: theme, animation, colour maps and the size of the interface.
#pragma once

#include "app/ui/panel.h"

namespace headscope::ui {

struct ViewMenuMemory {
  float scale = 0.0F;  // as the slider stands while it is dragged; 0: it is not
};

/// The items of an open popup.
void viewMenu(const Look& look, ViewState& view, ViewMenuMemory& memory);

/// The interface larger or smaller by a quarter.
void zoomInterface(ViewState& view, int steps);

}  // namespace headscope::ui
