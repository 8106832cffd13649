// Row turn: a query or key turned by RoPE (rotary.h), as the step `rotate` and what goes on row by
// row share it.
#pragma once

#include <vector>

#include "core/attention/rotary.h"

namespace headscope {

/// The turns of all pairs of a row at a position; backward where `direction` is −1.
class RotaryRow {
 public:
  RotaryRow(const std::vector<double>& frequencies, Index position, double direction = 1.0);
  /// Turns d_k numbers; x and y are not the same memory.
  void apply(const float* x, float* y) const;

 private:
  std::vector<float> cosine_, sine_;
};

}  // namespace headscope
