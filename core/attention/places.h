// Places: a head of a model, a row of a pass, a block of a matrix. A cell is a CellRef
// (tensor_id.h).
#pragma once

#include <algorithm>

#include "core/base/index.h"

namespace headscope {

/// A head of a model with several layers.
struct HeadOfLayer {
  Index layer = 0, head = 0;  // from 0

  bool operator==(const HeadOfLayer&) const = default;
};

/// The row of one query of one head.
struct RowRef {
  Index item = 0;
  Index head = 0;
  Index query = 0;

  bool operator==(const RowRef&) const = default;
};

/// A rectangle of cells of a matrix as shown.
struct CellBlock {
  Index row = 0, rows = 1;
  Index col = 0, cols = 1;

  Index endRow() const { return row + rows; }
  Index endCol() const { return col + cols; }
  /// The smallest block that contains both.
  CellBlock joined(const CellBlock& other) const {
    const Index top = std::min(row, other.row), left = std::min(col, other.col);
    return {top, std::max(endRow(), other.endRow()) - top, left,
            std::max(endCol(), other.endCol()) - left};
  }
  bool operator==(const CellBlock&) const = default;
};

}  // namespace headscope
