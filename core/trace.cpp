#include "core/trace.h"

#include <algorithm>
#include <cassert>

#include "core/steps/score_tiles.h"

namespace headscope {
namespace {

bool computedOnDemand(TensorId id) {
  return id == TensorId::scores || id == TensorId::maskedScores;
}

}  // namespace

Trace::Trace(DocumentPtr document) : document_(std::move(document)) {
  put(TensorId::x, document_->input->x);
  put(TensorId::memory, document_->input->memory);
  const Weights& w = document_->weights;
  put(TensorId::wQ, w.wQ);
  put(TensorId::wK, w.wK);
  put(TensorId::wV, w.wV);
  put(TensorId::wO, w.wO);
  put(TensorId::bQ, w.bQ);
  put(TensorId::bK, w.bK);
  put(TensorId::bV, w.bV);
  put(TensorId::bO, w.bO);
}

void Trace::tile(TensorId id, Index item, Index head, Index row, Index rows, Index col, Index cols,
                 float* out) const {
  const bool derived = computedOnDemand(id);
  const TensorId stored = derived ? TensorId::rawScores : id;
  const ConstMatrixView source = tensor(stored).matrixOf(item, head);
  assert(row >= 0 && row + rows <= source.rows && col >= 0 && col + cols <= source.cols);
  for (Index r = 0; r < rows; ++r) {
    float* line = out + r * cols;
    if (source.colStride == 1) {
      std::copy_n(source.row(row + r).data() + col, cols, line);
    } else {
      for (Index c = 0; c < cols; ++c) line[c] = source(row + r, col + c);
    }
    if (!derived) continue;
    const std::span<float> part(line, static_cast<std::size_t>(cols));
    const RowPart place{item, head, row + r, col};
    scaleScores(part, part, document(), place);
    if (id == TensorId::maskedScores) maskScores(part, document(), place);
  }
}

float Trace::value(const CellRef& cell) const {
  float out = 0.0F;
  tile(cell.tensor, cell.item, cell.head, cell.row, 1, cell.col, 1, &out);
  return out;
}

Tensor Trace::materialise(TensorId id) const {
  if (!computedOnDemand(id)) return tensor(id);
  Tensor whole = Tensor::uninitialised(shapeOf(id, config()));
  for (Index item = 0; item < whole.dim(0); ++item) {
    for (Index head = 0; head < whole.dim(1); ++head) {
      const MatrixView m = whole.mutableMatrix({item, head});
      tile(id, item, head, 0, m.rows, 0, m.cols, m.data);
    }
  }
  return whole;
}

int Trace::stepsRun() const {
  return static_cast<int>(
      std::count_if(steps.begin(), steps.end(), [](const StepRun& s) { return s.ran; }));
}

}  // namespace headscope
