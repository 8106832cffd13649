// Index: a size, a count or a position.
#pragma once

#include <cstdint>

namespace headscope {

using Index = std::int64_t;

}  // namespace headscope
