// Menus: popups that open below their button, not at the mouse.
#pragma once

namespace headscope::ui {

/// Opens the popup `id` below the item before, or where the display has room for it.
void openMenu(const char* id);

}  // namespace headscope::ui
