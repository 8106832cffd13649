// Accumulated mass: the largest weights of a row that together make up a share of it, so that long
// rows stay readable: which of them are drawn as lines or named.
//
// Weights count by magnitude: a pin may be negative. One of 0, which every masked one is, never
// belongs to them.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "core/tensor.h"

namespace headscope {

/// The places of the largest weights, largest first (the first of equals first), until they make up
/// `mass` (0 … 1) of the row's sum or are `most`.
std::vector<Index> largestOfMass(std::span<const float> row, double mass,
                                 Index most = std::numeric_limits<Index>::max());

/// Whether largestOfMass gives this place.
bool isOfMass(std::span<const float> row, Index place, double mass);

}  // namespace headscope
