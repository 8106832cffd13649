#include "core/attention_tensors.h"

#include "core/steps/score_rows.h"

namespace headscope {

void AttentionTensors::tile(TensorId id, Index item, Index head, Index row, Index rows, Index col,
                            Index cols, float* out) const {
  const bool onDemand = isComputedOnDemand(id);
  LayerTensors::tile(onDemand ? TensorId::rawScores : id, item, head, row, rows, col, cols, out);
  if (!onDemand) return;
  for (Index r = 0; r < rows; ++r) {
    const std::span<float> part(out + r * cols, static_cast<std::size_t>(cols));
    const RowPart place{item, head, row + r, col};
    scaleScores(part, part, config(), pins(), place);
    if (id == TensorId::maskedScores) maskScores(part, config(), place);
  }
}

}  // namespace headscope
