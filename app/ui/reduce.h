// Reduce: the old names; parts/reduce.h takes their place.
#pragma once

#include "app/ui/parts/reduce.h"

namespace headscope::ui {

using RowSource = CellRows;

inline void largestReduce(const RowSource& source, int rows, int cols, float* out) {
  reduce(source, rows, cols, Reduction::largest, out);
}
inline void meanReduce(const ConstMatrixView& matrix, int rows, int cols, float* out) {
  const auto read = [matrix](Index row, std::span<float> cells) {
    for (Index c = 0; c < matrix.cols; ++c) cells[static_cast<std::size_t>(c)] = matrix(row, c);
  };
  reduce({matrix.rows, matrix.cols, read}, rows, cols, Reduction::mean, out);
}

}  // namespace headscope::ui
