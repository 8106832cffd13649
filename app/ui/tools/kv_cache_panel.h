// KV cache: decoding token by token under a causal mask; what is new, what is kept, and what the
// cache saves and takes.
#pragma once

#include <cstdint>
#include <optional>

#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"
#include "core/analysis/kv_cache.h"

namespace headscope::ui {

struct KvCacheMemory {
  std::uint64_t pass = 0;  // of the trace the next is of
  std::optional<CacheObstacle> obstacle;
};

void kvCachePanel(const Panel& panel, KvCacheMemory& memory, Magnitudes& magnitudes);

/// One token back or on, for the keys.
void stepDecoding(const Panel& panel, int tokens);

}  // namespace headscope::ui
