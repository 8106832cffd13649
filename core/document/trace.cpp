#include "core/document/trace.h"

#include <algorithm>

#include "core/attention/gradients.h"

namespace headscope {

Trace::Trace(DocumentPtr document)
    : AttentionTensors(document->config, document->pins), document_(std::move(document)) {
  hold(document_->scoreStorage);
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

const LayerTensors& Trace::side(bool gradient) const {
  if (gradient && gradients_ != nullptr) return *gradients_;
  return *this;
}

float Trace::value(const CellRef& cell) const {
  return cell.gradient && gradients_ != nullptr ? gradients_->value(cell)
                                                : AttentionTensors::value(cell);
}

TracePtr withGradients(const Trace& trace, std::shared_ptr<const Gradients> gradients) {
  auto with = std::make_shared<Trace>(trace);
  with->gradients_ = std::move(gradients);
  return with;
}

TracePtr withSmallScores(const Trace& trace, std::shared_ptr<const SmallScores> small) {
  auto with = std::make_shared<Trace>(trace);
  with->smallScores_ = std::move(small);
  return with;
}

int Trace::stepsRun() const {
  return static_cast<int>(
      std::count_if(steps.begin(), steps.end(), [](const StepRun& s) { return s.ran; }));
}

}  // namespace headscope
