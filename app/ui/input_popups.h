// Input popups: the sources of an input other than typing, which are examples and files.
#pragma once

#include <string>

namespace headscope::ui {

struct PanelContext;

/// Draws the popup "examples" while it is open.
void examplesPopup(const PanelContext& panel);
/// Draws the popup "open file" while it is open. `typed` keeps the path as typed.
void openFilePopup(const PanelContext& panel, std::string& typed);

}  // namespace headscope::ui
