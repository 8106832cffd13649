// Dropout: its settings. Which cells it drops is in dropped_cells.h.
#pragma once

#include <cstdint>

namespace headscope {

/// Dropout on the weights, as nn.MultiheadAttention's in training (Srivastava et al. 2014): each
/// weight is 0 with probability `rate`, the others are divided by 1 − rate.
struct Dropout {
  double rate = 0.0;  // 0: off, as in eval()
  std::uint64_t seed = 1;

  bool on() const { return rate > 0.0; }
  bool operator==(const Dropout&) const = default;
};

}  // namespace headscope
