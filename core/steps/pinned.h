// Pinned cells of a step's result: written over what was computed.
#pragma once

#include <algorithm>

#include "core/change.h"
#include "core/document.h"

namespace headscope {

/// `cells` are the box of the tensor.
inline void applyPins(const Document& document, TensorId tensor, const Box& box,
                      const MatrixView& cells) {
  for (const Pin& pin : document.pins.of(tensor, box.item, box.head)) {
    const Index row = pin.cell.row - box.row;
    const Index col = pin.cell.col - box.col;
    if (row < 0 || row >= box.rows || col < 0 || col >= box.cols) continue;
    cells(row, col) = pin.value;
  }
}

/// The cells of a tensor whose pins came, went or took another value.
inline Change pinChanges(const Document& before, const Document& now, TensorId tensor) {
  Change cells;
  const auto addMissing = [&](const Document& from, const Document& to) {
    for (const Pin& pin : from.pins.of(tensor)) {
      if (to.pins.at(pin.cell) == pin.value) continue;
      cells.add(Box{pin.cell.item, pin.cell.head, pin.cell.row, 1, pin.cell.col, 1});
    }
  };
  addMissing(before, now);
  addMissing(now, before);
  return cells;
}

}  // namespace headscope
