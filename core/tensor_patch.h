// TensorPatch: the few cells in which one tensor differs from another of its shape.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/tensor.h"

namespace headscope {

class TensorPatch {
 public:
  /// What turns `from` into `to`, bit for bit (−0 is not 0). None where that is no saving: other
  /// shapes, views with gaps, or more than 1/kMinCellsPerPatched of the cells.
  static std::optional<TensorPatch> between(const Tensor& from, const Tensor& to);
  static constexpr Index kMinCellsPerPatched = 8;

  /// Writes its cells into `tensor` (contiguous, not shared) and takes over those it replaces: it
  /// is the way back then.
  void exchange(Tensor& tensor);

  bool empty() const { return cells_.empty(); }
  Index bytes() const { return static_cast<Index>(cells_.size() * sizeof(Cell)); }

 private:
  struct Cell {
    std::uint32_t offset;
    float value;
  };
  std::vector<Cell> cells_;  // by offset
};

}  // namespace headscope
