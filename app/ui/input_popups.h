// Input popups: where an input may come from, but for typing it: the examples, and files.
#pragma once

#include <string>

#include "app/ui/panel.h"

namespace headscope::ui {

/// The popup "examples", where it is open.
void examplesPopup(const PanelContext& panel);
/// The popup "open file", where it is open: gives the path that was entered, which is kept in
/// `typed` while it is; empty where there is none, or the host's own dialog was asked for.
std::string openFilePopup(const PanelContext& panel, std::string& typed);

}  // namespace headscope::ui
