// KV cache counts: the work of decoding with a cache and without one, and the cache's size by the
// number of key/value heads.
#pragma once

#include "app/ui/panel.h"

namespace headscope::ui {

/// Both at the cursor of a window of their own width; they move the cursor below themselves.
void kvCacheWork(const Panel& panel);
void kvCacheSize(const Panel& panel);

}  // namespace headscope::ui
