// More settings: the popup of the top bar for what is changed less often.
#pragma once

#include "app/ui/panel.h"
#include "app/ui/top_bar.h"

namespace headscope::ui {

/// The popup "more", where it is open.
void moreSettings(const Panel& panel, TopBarMemory& memory);

}  // namespace headscope::ui
