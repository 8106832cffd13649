// Memory: large blocks straight from the system, and how much of it and of cache this machine has.
#pragma once

#include <cstdint>

namespace headscope::platform {

/// Memory for `count` floats, 64-byte aligned; contents are undefined. Throws std::bad_alloc.
float* allocateFloats(std::int64_t count);
/// `count` as it was allocated.
void freeFloats(float* memory, std::int64_t count);

/// Of the machine, in bytes.
std::int64_t physicalMemory();

/// The second cache of one core, in bytes; where the system does not tell, a common size.
std::int64_t secondCache();

/// Has threads share one heap rather than keep one each, which would grow with every thread that
/// ever ran. To be called before there is a second thread.
void useOneHeap();

}  // namespace headscope::platform
