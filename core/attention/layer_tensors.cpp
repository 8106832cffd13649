#include "core/attention/layer_tensors.h"

#include <algorithm>

#include "core/attention/config.h"

namespace headscope {

Index LayerTensors::batch() const { return config_->batch; }
Index LayerTensors::numHeads() const { return config_->numHeads; }
Index LayerTensors::queries() const { return config_->seqLen; }
Index LayerTensors::keys() const { return config_->keys(); }

namespace {

/// Copies the numbers of the distances between some queries and keys.
void tileOfDistances(const AttentionConfig& c, const ConstMatrixView& ofBuckets, const Box& box,
                     float* out) {
  for (Index row = box.row; row < box.row + box.rows; ++row) {
    for (Index col = box.col; col < box.col + box.cols; ++col) {
      *out++ = ofBuckets(0, c.pairBias.bucketOf(col - c.firstQuery - row));
    }
  }
}

}  // namespace

void LayerTensors::tile(TensorId id, Index item, Index head, Index row, Index rows, Index col,
                        Index cols, float* out) const {
  // a tensor of heads without items has a matrix for each head
  const Index first = info(id).perItem ? item : head;
  if (id == TensorId::pairBias && !config_->pairBias.ofPairs()) {
    return tileOfDistances(*config_, tensor(id).matrix({head}), {0, head, row, rows, col, cols},
                           out);
  }
  const ConstMatrixView source = tensor(id).matrixOf(Box{first, head, row, rows, col, cols});
  for (Index r = 0; r < rows; ++r) {
    float* line = out + r * cols;
    if (source.colStride == 1) {
      std::copy_n(source.row(r).data(), cols, line);
    } else {
      for (Index c = 0; c < cols; ++c) line[c] = source(r, c);
    }
  }
}

float LayerTensors::value(const CellRef& cell) const {
  float out = 0.0F;
  tile(cell.tensor, cell.item, cell.head, cell.row, 1, cell.col, 1, &out);
  return out;
}

Tensor LayerTensors::materialise(TensorId id) const {
  const bool spread = id == TensorId::pairBias && config_->pairBias.on();
  const bool computed = isComputedOnDemand(id) || (isStoredScores(id) && tensor(id).empty());
  if (!spread && !computed) return tensor(id);
  Tensor whole = Tensor::uninitialised(shapeOf(id, config()));
  for (Index item = 0; item < (spread ? 1 : batch()); ++item) {
    for (Index head = 0; head < numHeads(); ++head) {
      const MatrixView m = spread ? whole.mutableMatrix({head}) : whole.mutableMatrix({item, head});
      tile(id, item, head, 0, m.rows, 0, m.cols, m.data);
    }
  }
  return whole;
}

}  // namespace headscope
