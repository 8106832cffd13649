// Flow panel: the dimension flow from X to the output; the current step is lit, a click opens one.
#pragma once

#include "app/ui/flow/flow_memory.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// The picture at the cursor, `size` in all.
void flowPanel(const Panel& panel, FlowMemory& memory, ImVec2 size);

}  // namespace headscope::ui
