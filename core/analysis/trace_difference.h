// Trace difference: what differs between two passes, in numbers: after an edit, or against the
// right way.
#pragma once

#include <vector>

#include "core/trace.h"

namespace headscope {

/// Whether a tensor has the same shape in both, so that cells can be held against each other.
bool comparable(const Trace& before, const Trace& after, TensorId tensor);

/// after − before of one cell: 0 where both are the same infinity, ±∞ where one is.
float difference(float before, float after);

struct LargestDifference {
  float value = 0.0F;  // |after − before|
  CellRef cell;        // where, the first of equals; meaningless where the value is 0
};
/// Over all items and heads; the tensor must be comparable.
LargestDifference largestDifference(const Trace& before, const Trace& after, TensorId tensor);

/// What happened to one token's output vector: Euclidean norms.
struct OutputChange {
  double before = 0.0;  // ‖before‖
  double after = 0.0;   // ‖after‖
  double moved = 0.0;   // ‖after − before‖
};
/// One per query token of a batch item; empty where `output` is not comparable.
std::vector<OutputChange> outputChanges(const Trace& before, const Trace& after, Index item);

}  // namespace headscope
