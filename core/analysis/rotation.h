// Rotation: a query and a key as the pairs of coordinates that `rotate` turns, and their product
// wherever the two stand: with both moved on it stays, with one moved on it changes (RoPE: Su et
// al. 2021, equation 16).
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/analysis/sharpness.h"
#include "core/attention/rotary.h"
#include "core/base/index.h"
#include "core/document/fwd.h"

namespace headscope {

using Hand = std::array<double, 2>;

/// One pair of coordinates before it is turned, times the rotation's amplitude.
struct RotaryPair {
  double frequency = 0.0;  // radians per position
  RotatedPair at{};        // its coordinates
  Hand query{}, key{};
};
/// The pairs of a row's query and one of its keys. The configuration must have RoPE.
std::vector<RotaryPair> rotaryPairs(const Trace& trace, const RowRef& row, Index key);

/// The pair after its rotation to a position.
Hand handAt(const Hand& hand, double frequency, Index position);

/// The product of the coordinates that turn, after both are rotated to these positions, in double.
/// Where all coordinates turn, this is the raw score at their own positions.
double rotatedProduct(std::span<const RotaryPair> pairs, Index queryPosition, Index keyPosition);

}  // namespace headscope
