// First pass: the screen until there is a trace to show: what is computed, how far it is, or why
// there will be none.
#pragma once

#include <string>

#include "app/ui/panel.h"
#include "app/ui/status_bar.h"

namespace headscope::ui {

void firstPass(const Look& look, const AttentionConfig& config, const Status& status);

}  // namespace headscope::ui
