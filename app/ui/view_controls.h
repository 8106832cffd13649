// View controls: the menu of theme, animation, colour maps and the interface's size; and the single
// letters that choose heads, parts, tabs and the switches of the tool that is open.
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

/// Handles them; true where the key was taken. Not for while something is being typed.
bool viewKeys(const Panel& panel);

}  // namespace headscope::ui
