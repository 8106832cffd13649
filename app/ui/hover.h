// Hover: the cell under the mouse, and the dimensions along which other matrices light its row and
// column.
#pragma once

#include "core/attention/tensor_id.h"
#include "core/base/index.h"

namespace headscope::ui {

/// A dimension that two matrices may share, so that hovering over one lights the other.
enum class Lane { none, query, key, inner, column };

/// A place in the current step's matrices: its positions along its lanes.
struct Hover {
  CellRef cell;
  Lane rowLane = Lane::none, colLane = Lane::none;
  Index row = -1, col = -1;  // along those lanes
};

}  // namespace headscope::ui
