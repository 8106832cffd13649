// Input popups: the sources of an input other than typing, which are examples and files.
#pragma once

#include <string>

#include "app/ui/panel.h"

namespace headscope::ui {

/// Draws the popup "examples" while it is open.
void examplesPopup(const PanelContext& panel);
/// Draws the popup "open file" while it is open. `typed` keeps the path as typed. Returns the
/// entered path; empty where there is none, or where the host's dialog was requested.
std::string openFilePopup(const PanelContext& panel, std::string& typed);

}  // namespace headscope::ui
