// View keys: choosing heads, parts, tabs and the switches of the tool that is open by single
// letters.
#pragma once

#include "app/ui/panel.h"

namespace headscope::ui {

/// Handles them; true where the key was taken. Not for while something is being typed.
bool viewKeys(const Panel& panel);

}  // namespace headscope::ui
