// Limits: the largest sizes of a pass.
#pragma once

#include "core/base/index.h"

namespace headscope {

/// The largest permitted sizes. A larger field is refused before anything is allocated.
struct Limits {
  static constexpr Index kDModel = 65536;
  static constexpr Index kTokens = 65536;
  static constexpr Index kBatch = 4096;
};

}  // namespace headscope
