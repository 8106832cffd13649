// Cell changes: the cells in which a tensor differs from another of its shape, as values and as
// JSON,
// [[place, value], …]; a place counts the cells row by row.
#pragma once

#include <vector>

#include "core/base/json.h"
#include "core/tensor/tensor.h"

namespace headscope::formats {

struct CellChange {
  Index place = 0;
  float value = 0.0F;
};

/// The first `most` + 1 cells in which `tensor` differs from `base`, bit for bit (−0 is not 0).
std::vector<CellChange> changedCells(const Tensor& tensor, const Tensor& base, Index most);
/// A copy of `base` with the changed cells. Each place must lie within `base`.
Tensor withCells(const Tensor& base, const std::vector<CellChange>& cells);

Json cellsJson(const std::vector<CellChange>& cells);
/// Throws UserError for a place outside of a tensor of so many cells.
std::vector<CellChange> cellsFrom(const JsonField& field, Index cells);

}  // namespace headscope::formats
