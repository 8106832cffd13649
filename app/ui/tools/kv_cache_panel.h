// KV cache: decoding token by token under a causal mask; what is new, what is kept, and what the
// cache saves and takes.
#pragma once

#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"

namespace headscope::ui {

void kvCachePanel(const Panel& panel, Magnitudes& magnitudes);

/// One token back or on, for the keys.
void stepDecoding(const Panel& panel, int tokens);

}  // namespace headscope::ui
