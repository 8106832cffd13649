#include "core/attention/layer_tensors.h"

#include <algorithm>
#include <cassert>

namespace headscope {

void LayerTensors::tile(TensorId id, Index item, Index head, Index row, Index rows, Index col,
                        Index cols, float* out) const {
  const ConstMatrixView source = tensor(id).matrixOf(item, head);
  assert(row >= 0 && row + rows <= source.rows && col >= 0 && col + cols <= source.cols);
  for (Index r = 0; r < rows; ++r) {
    float* line = out + r * cols;
    if (source.colStride == 1) {
      std::copy_n(source.row(row + r).data() + col, cols, line);
    } else {
      for (Index c = 0; c < cols; ++c) line[c] = source(row + r, col + c);
    }
  }
}

float LayerTensors::value(const CellRef& cell) const {
  float out = 0.0F;
  tile(cell.tensor, cell.item, cell.head, cell.row, 1, cell.col, 1, &out);
  return out;
}

Tensor LayerTensors::materialise(TensorId id) const {
  if (!isComputedOnDemand(id) && !(isStoredScores(id) && tensor(id).empty())) return tensor(id);
  Tensor whole = Tensor::uninitialised(shapeOf(id, config()));
  for (Index item = 0; item < whole.dim(0); ++item) {
    for (Index head = 0; head < whole.dim(1); ++head) {
      const MatrixView m = whole.mutableMatrix({item, head});
      tile(id, item, head, 0, m.rows, 0, m.cols, m.data);
    }
  }
  return whole;
}

}  // namespace headscope
