// Matrix64: a matrix in double precision, row-major, for sums that have to close.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/base/index.h"

namespace headscope {

struct Matrix64 {
  Index rows = 0, cols = 0;
  std::vector<double> values;  // rows · cols

  Matrix64() = default;
  Matrix64(Index rowCount, Index columnCount)
      : rows(rowCount),
        cols(columnCount),
        values(static_cast<std::size_t>(rowCount * columnCount), 0.0) {}

  double& operator()(Index row, Index col) {
    return values[static_cast<std::size_t>(row * cols + col)];
  }
  double operator()(Index row, Index col) const {
    return values[static_cast<std::size_t>(row * cols + col)];
  }
  std::span<double> row(Index r) {
    return std::span(values).subspan(static_cast<std::size_t>(r * cols),
                                     static_cast<std::size_t>(cols));
  }
  std::span<const double> row(Index r) const {
    return std::span(values).subspan(static_cast<std::size_t>(r * cols),
                                     static_cast<std::size_t>(cols));
  }
  /// The largest magnitude; 0 for an empty matrix.
  double largest() const {
    double most = 0.0;
    for (const double value : values) most = std::max(most, std::abs(value));
    return most;
  }
};

}  // namespace headscope
