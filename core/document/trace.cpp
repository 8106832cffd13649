#include "core/document/trace.h"

#include <algorithm>

#include "core/attention/gradients.h"
#include "core/attention/steps/step.h"
#include "core/attention/weight_tensors.h"
#include "core/document/document.h"

namespace headscope {

Trace::Trace(DocumentPtr document)
    : AttentionTensors(document->config, document->pins), document_(std::move(document)) {
  hold(document_->scoreStorage);
  put(TensorId::x, document_->input->x);
  put(TensorId::memory, document_->input->memory);
  for (const WeightTensor& w : kWeightTensors) put(w.id, document_->weights.*w.tensor);
  if (has(config(), TensorId::pairBias)) put(TensorId::pairBias, config().pairBias.tensor());
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

const StepRun& Trace::run(StepId id) const { return steps[stepPlace(id, config())]; }

int Trace::stepsRun() const {
  return static_cast<int>(
      std::count_if(steps.begin(), steps.end(), [](const StepRun& s) { return s.ran; }));
}

}  // namespace headscope
