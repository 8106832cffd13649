#include "core/attention/gradients.h"

#include "core/attention/steps/score_rows.h"
#include "core/attention/steps/step.h"

namespace headscope {

Gradients::Gradients(const AttentionTensors& values, Tensor gradOutput)
    : LayerTensors(values.config()), values_(&values) {
  put(TensorId::output, std::move(gradOutput));
}

Tensor Gradients::gradientThroughPins(TensorId result) const {
  const auto pins = values().pins().of(result);
  if (pins.empty()) return tensor(result);
  // a copy with the strides of the gradient itself
  const bool turned = !tensor(result).contiguous();
  Tensor copy =
      turned ? tensor(result).transposed(1, 2).clone().transposed(1, 2) : tensor(result).clone();
  for (const Pin& pin : pins) {
    copy.mutableMatrixOf(pin.cell.item, pin.cell.head)(pin.cell.row, pin.cell.col) = 0.0F;
  }
  return copy;
}

float Gradients::value(const CellRef& cell) const {
  return cell.gradient ? LayerTensors::value(cell) : values().value(cell);
}

void Gradients::tile(TensorId id, Index item, Index head, Index row, Index rows, Index col,
                     Index cols, float* out) const {
  if (!isComputedOnDemand(id)) return LayerTensors::tile(id, item, head, row, rows, col, cols, out);
  const Box box{item, head, row, rows, col, cols};
  const MatrixView cells{out, rows, cols, cols};
  softmaxGradients(*this, box, cells);
  if (id == TensorId::scores) maskGradients(config(), box, cells);
}

bool runBackward(Gradients& gradients, const ExecutionContext& execution, StepId from, StepId to) {
  const AttentionConfig& c = gradients.config();
  const auto steps = stepsOf(c);
  for (std::size_t i = stepPlace(from, c) + 1; i-- > stepPlace(to, c);) {
    steps[i]->backward(gradients, execution);
    if (execution.stop()) return false;
  }
  return true;
}

}  // namespace headscope
