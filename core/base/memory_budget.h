// Memory budget: how much memory passes may take unless the user says otherwise.
#pragma once

#include "core/base/index.h"
#include "core/platform/memory.h"

namespace headscope {

/// Half of this machine's memory, in bytes.
inline Index defaultMemoryBudget() { return platform::physicalMemory() / 2; }

}  // namespace headscope
