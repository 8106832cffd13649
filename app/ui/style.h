// Style: Dear ImGui's own widgets in the theme's colours and the interface's shapes.
#pragma once

#include "app/ui/theme.h"

namespace headscope::ui {

/// Sets the current context's style, all lengths times `scale`.
void applyStyle(const Theme& theme, float scale);

}  // namespace headscope::ui
