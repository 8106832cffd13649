// Memory: large blocks straight from the system, and how much of it and of cache this machine has.
#pragma once

#include "core/index.h"

namespace headscope::platform {

/// Memory for `count` floats, 64-byte aligned; contents are undefined. Throws std::bad_alloc.
float* allocateFloats(Index count);
/// `count` as it was allocated.
void freeFloats(float* memory, Index count);

/// Of the machine, in bytes.
Index physicalMemory();

/// The second cache of one core, in bytes; where the system does not tell, a common size.
Index secondCache();

/// Has threads share one heap rather than keep one each, which would grow with every thread that
/// ever ran. To be called before there is a second thread.
void useOneHeap();

}  // namespace headscope::platform
