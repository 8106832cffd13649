// Rotary position embedding (RoPE: Su et al. 2021, "RoFormer"): each pair of coordinates of a query
// or key is rotated by an angle proportional to its position, so that q · k depends on position
// only through the distance.
#pragma once

#include <vector>

#include "core/base/index.h"

namespace headscope {

/// Coordinates j and j + d_k/2 form a pair (as in Hugging Face's files), which position t rotates
/// by t · ω_j with ω_j = theta^(−2j/d_k).
struct Rotary {
  static constexpr double kUsualTheta = 10000.0;  // Su et al.'s

  /// Scaling for texts longer than those of the training. `linear` divides positions by `factor`.
  /// `llama3` (Llama 3.1) divides the frequencies with a wavelength above originalPositions /
  /// lowFrequencyFactor by `factor`, keeps those below originalPositions / highFrequencyFactor, and
  /// interpolates in between.
  enum class Scaling { none, linear, llama3 };

  double theta = 0.0;  // 0: no rotation
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
