// Memory: large blocks directly from the system, and the sizes of this machine's memory and cache.
#pragma once

#include <cstdint>

namespace headscope::platform {

/// Memory for `count` floats, 64-byte aligned; contents are undefined. Throws std::bad_alloc.
float* allocateFloats(std::int64_t count);
/// `count` must be that of the allocation.
void freeFloats(float* memory, std::int64_t count);

/// The memory of the machine, in bytes.
std::int64_t physicalMemory();

/// The size of a core's second-level cache, in bytes; a common size where it is unknown.
std::int64_t secondCache();

/// Makes all threads share one heap, since separate heaps would grow with every thread that ever
/// ran. Must be called before a second thread exists.
void useOneHeap();

}  // namespace headscope::platform
