// Pinned cells of a step's result: written over what was computed.
#pragma once

#include <algorithm>

#include "core/document.h"

namespace headscope {

inline void applyPins(const Document& document, TensorId tensor, Index item, Index head,
                      const MatrixView& cells) {
  for (const Pin& pin : document.pins.of(tensor, item, head)) {
    cells(pin.cell.row, pin.cell.col) = pin.value;
  }
}

/// Whether the pins of a tensor changed.
inline bool pinsDiffer(const Document& before, const Document& after, TensorId tensor) {
  const auto a = before.pins.of(tensor);
  const auto b = after.pins.of(tensor);
  return !std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace headscope
