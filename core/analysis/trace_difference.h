// Trace difference: the numbers by which two passes differ: before and after an edit, or with and
// without a mistake.
#pragma once

#include <atomic>
#include <vector>

#include "core/attention/tensor_id.h"
#include "core/document/fwd.h"

namespace headscope {

/// Returns whether both passes (or neither) have the tensor, with the same shape, so that cells can
/// be compared.
bool comparable(const Trace& before, const Trace& after, TensorId tensor);

/// after − before of one cell: 0 where both are the same infinity, ±∞ where one is infinite.
inline float difference(float before, float after) {
  return before == after ? 0.0F : after - before;
}

/// The differences between two matrices of equal shape.
struct MatrixDifference {
  float largest = 0.0F;        // |after − before|
  CellRef where;               // its first cell; meaningless where it is 0
  float largestFinite = 0.0F;  // the largest where both are finite
  float magnitude = 0.0F;      // largest finite |value| of either
  Index changed = 0;           // cells that differ
  Index cells = 0;             // cells compared
};
/// Compares one matrix of a tensor; item and head as in CellRef. The tensor must be comparable.
MatrixDifference matrixDifference(const Trace& before, const Trace& after, TensorId tensor,
                                  Index item, Index head);
/// Compares the tensor over all items and heads. The result is undefined where cancelled.
MatrixDifference tensorDifference(const Trace& before, const Trace& after, TensorId tensor,
                                  const std::atomic<bool>* cancelled = nullptr);

/// The change of one token's output vector, as Euclidean norms.
struct OutputChange {
  double before = 0.0;  // ‖before‖
  double after = 0.0;   // ‖after‖
  double moved = 0.0;   // ‖after − before‖
};
/// The changes of one batch item, one per query token; empty where `output` is not comparable.
std::vector<OutputChange> outputChanges(const Trace& before, const Trace& after, Index item);

}  // namespace headscope
