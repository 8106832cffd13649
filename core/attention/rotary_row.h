// Rotary row: the rotation of one query or key by RoPE (rotary.h), shared by the step `rotate` and
// code that works row by row.
#pragma once

#include <vector>

#include "core/attention/rotary.h"

namespace headscope {

/// The rotations of all pairs of a row at a position; reversed where `direction` is −1.
class RotaryRow {
 public:
  RotaryRow(const std::vector<double>& frequencies, Index position, double direction = 1.0);
  /// Rotates d_k numbers; x and y must not overlap.
  void apply(const float* x, float* y) const;

 private:
  std::vector<float> cosine_, sine_;
};

}  // namespace headscope
