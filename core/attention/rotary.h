// Rotary position embedding (RoPE: Su et al. 2021, "RoFormer"): each pair of coordinates of a query
// or key is turned by an angle that grows with its position, so that their product depends on the
// distance alone.
#pragma once

#include <vector>

#include "core/base/index.h"

namespace headscope {

/// Coordinates j and j + d_k/2 are a pair (as in Hugging Face's files), turned at position t by
/// t · ω_j with ω_j = theta^(−2j/d_k).
struct Rotary {
  static constexpr double kUsualTheta = 10000.0;  // Su et al.'s

  /// Longer texts than were learned: positions divided by `factor`, or (Llama 3.1) frequencies
  /// whose wave is longer than originalPositions / lowFrequencyFactor are, those shorter than
  /// originalPositions / highFrequencyFactor stay, and in between it goes over smoothly.
  enum class Scaling { none, linear, llama3 };

  double theta = 0.0;  // 0: nothing is turned
  Scaling scaling = Scaling::none;
  double factor = 1.0;
  double lowFrequencyFactor = 1.0, highFrequencyFactor = 4.0;
  Index originalPositions = 8192;

  bool on() const { return theta != 0.0; }
  bool operator==(const Rotary&) const = default;
};

/// ω_j in radians per position, d_k/2 of them.
std::vector<double> rotaryFrequencies(const Rotary& rotary, Index dK);

/// Cosine and sine of a pair's angle at a position.
struct Turn {
  double cosine = 1.0, sine = 0.0;
};
Turn rotationAt(double frequency, Index position);

}  // namespace headscope
