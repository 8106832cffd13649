// Pins list: the computed cells that were given a value of their own, with what they would be.
#pragma once

#include "app/ui/panel.h"

namespace headscope::ui {

/// Height the list takes, at most `most`; 0 where nothing is pinned.
float pinsListHeight(const Panel& panel, float most);

/// At the cursor. A click on a pin goes to its cell.
void pinsList(const Panel& panel, float height);

}  // namespace headscope::ui
