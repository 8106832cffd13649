// Entropy sums: −Σ p log2 p over many weights at once, for entropies and divergences of whole
// heads. Single precision within a piece of a row, double from piece to piece.
#pragma once

#include "core/tensor.h"

namespace headscope {

/// `value`, or `limit` where rounding alone took it above.
inline double upTo(double limit, double value) {
  constexpr double kRounding = 1e-6;
  return value > limit && value < limit + kRounding ? limit : value;
}

/// −Σ p log2 p in bits; weights that are not above 0 add nothing.
double entropyOf(const float* p, Index count);

/// The entropy of (a + b) / 2, cell by cell.
double entropyOfMean(const float* a, const float* b, Index count);

/// All of one row that needs every weight.
struct RowSums {
  double entropy = 0.0;   // −Σ p log2 p
  double distance = 0.0;  // Σ p · distance
  double largest = 0.0;
};
/// `distances` holds |i − j| for each of them.
RowSums rowSums(const float* p, const float* distances, Index count);

}  // namespace headscope
