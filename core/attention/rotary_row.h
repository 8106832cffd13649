// Rotary row: the rotation of one query or key by RoPE (rotary.h), shared by the step `rotate` and
// code that works row by row.
#pragma once

#include <vector>

#include "core/attention/rotary.h"

namespace headscope {

/// The rotations of all pairs of a row at a position; reversed where `direction` is −1.
class RotaryRow {
 public:
  /// `frequencies` are those of `rotary`, which must live as long.
  RotaryRow(const Rotary& rotary, Index dK, const std::vector<double>& frequencies, Index position,
            double direction = 1.0);
  /// Rotates d_k numbers; x and y must not overlap.
  void apply(const float* x, float* y) const;

 private:
  const Rotary& rotary_;
  Index dK_;
  std::vector<float> cosine_, sine_;  // times the amplitude
};

}  // namespace headscope
