// Trace difference: what differs between two passes, in numbers: after an edit, or against the
// right way.
#pragma once

#include <atomic>
#include <vector>

#include "core/document/trace.h"

namespace headscope {

/// Whether a tensor is in both (or in none), with the same shape, so that cells can be held against
/// each other.
bool comparable(const Trace& before, const Trace& after, TensorId tensor);

/// after − before of one cell: 0 where both are the same infinity, ±∞ where one is.
inline float difference(float before, float after) {
  return before == after ? 0.0F : after - before;
}

/// How far two matrices of equal shape are apart.
struct MatrixDifference {
  float largest = 0.0F;        // |after − before|
  CellRef where;               // of it, the first of equals; meaningless where it is 0
  float largestFinite = 0.0F;  // the largest where both are finite
  float magnitude = 0.0F;      // largest finite |value| of either
  Index changed = 0;           // cells that differ …
  Index cells = 0;             // … of so many
};
/// Of one matrix; item and head as in CellRef. The tensor must be comparable.
MatrixDifference matrixDifference(const Trace& before, const Trace& after, TensorId tensor,
                                  Index item, Index head);
/// Over all items and heads; of no meaning where it was cancelled.
MatrixDifference tensorDifference(const Trace& before, const Trace& after, TensorId tensor,
                                  const std::atomic<bool>* cancelled = nullptr);

/// What happened to one token's output vector: Euclidean norms.
struct OutputChange {
  double before = 0.0;  // ‖before‖
  double after = 0.0;   // ‖after‖
  double moved = 0.0;   // ‖after − before‖
};
/// One per query token of a batch item; empty where `output` is not comparable.
std::vector<OutputChange> outputChanges(const Trace& before, const Trace& after, Index item);

}  // namespace headscope
