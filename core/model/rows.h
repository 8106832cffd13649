// Rows: loops over the rows of (1, T, width) tensors, in pieces of work that depend on the shape
// alone, so that the bits are the same on every thread count; and copies of their columns.
#pragma once

#include <algorithm>

#include "core/base/execution.h"
#include "core/tensor/tensor.h"

namespace headscope::model {

/// Calls a function for each of some rows.
template <typename Function>
void parallelForRows(Index rows, const ExecutionContext& execution, Function&& function) {
  constexpr Index kRowsAtOnce = 16;
  parallelFor((rows + kRowsAtOnce - 1) / kRowsAtOnce, execution, [&](Index piece) {
    const Index end = std::min(rows, (piece + 1) * kRowsAtOnce);
    for (Index row = piece * kRowsAtOnce; row < end; ++row) function(row);
  });
}

/// Copies columns [first, first + width) of (1, T, ·) into `to`, from its column `at` on.
void copyColumns(const Tensor& from, Index first, Index width, Tensor& to, Index at);
/// Returns a copy of columns [first, first + width) of (1, T, ·).
Tensor copyOfColumns(const Tensor& x, Index first, Index width);

}  // namespace headscope::model
