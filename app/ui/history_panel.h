// History panel: every state there is to go back to or forth to, and the cells that are pinned.
#pragma once

#include "app/ui/panel.h"

namespace headscope::ui {

/// Fills what is left of the current card.
void historyPanel(const Panel& panel);

}  // namespace headscope::ui
