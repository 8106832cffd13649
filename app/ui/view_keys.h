// View keys: choosing heads, parts and tabs by single letters.
#pragma once

#include "app/ui/panel.h"

namespace headscope::ui {

/// Handles them; true where the key was taken. Not for while something is being typed.
bool viewKeys(const Panel& panel);

}  // namespace headscope::ui
