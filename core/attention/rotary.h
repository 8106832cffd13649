// Rotary position embedding (RoPE: Su et al. 2021, "RoFormer"): each pair of coordinates of a query
// or key is rotated by an angle proportional to its position, so that q · k depends on position
// only through the distance.
#pragma once

#include <vector>

#include "core/base/index.h"

namespace headscope {

/// Position t rotates pair j by t · ω_j with ω_j = theta^(−2j/n), n the coordinates that turn.
struct Rotary {
  static constexpr double kUsualTheta = 10000.0;  // Su et al.'s

  /// Scaling for texts longer than those of the training. `linear` divides positions by `factor`.
  /// `llama3` (Llama 3.1) divides the frequencies with a wavelength above originalPositions /
  /// lowFrequencyFactor by `factor`, keeps those below originalPositions / highFrequencyFactor, and
  /// interpolates in between. `perPair` divides each pair's frequency by its own divisor, as YaRN
  /// (Peng et al. 2023) and LongRoPE (Ding et al. 2024) compute them.
  enum class Scaling { none, linear, llama3, perPair };
  /// The two coordinates of pair j out of n: j and j + n/2 (as in Hugging Face's files of Llama),
  /// or the neighbours 2j and 2j + 1 (as in the paper, GPT-J and Cohere).
  enum class Pairing { halves, neighbours };

  double theta = 0.0;  // 0: no rotation
  Index dims = 0;      // the coordinates of a head that turn, the first ones; 0: all d_k
  Pairing pairing = Pairing::halves;
  Scaling scaling = Scaling::none;
  double factor = 1.0;
  double lowFrequencyFactor = 1.0, highFrequencyFactor = 4.0;
  Index originalPositions = 8192;
  std::vector<double> divisors = {};  // of perPair, one for each pair
  double amplitude = 1.0;             // the factor of all coordinates that turn (YaRN, LongRoPE)

  Index turning(Index dK) const { return dims > 0 ? dims : dK; }
  bool on() const { return theta != 0.0; }
  bool operator==(const Rotary&) const = default;
};

/// ω_j in radians per position, one for each pair.
std::vector<double> rotaryFrequencies(const Rotary& rotary, Index dK);

/// The coordinates of a pair within a head.
struct RotatedPair {
  Index first, second;
};
RotatedPair coordinatesOf(Index pair, const Rotary& rotary, Index dK);

/// Cosine and sine of a pair's angle at a position.
struct Turn {
  double cosine = 1.0, sine = 0.0;
};
Turn rotationAt(double frequency, Index position);

}  // namespace headscope
