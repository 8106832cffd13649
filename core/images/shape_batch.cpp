#include "core/images/shape_batch.h"

namespace headscope::images {
namespace {

std::vector<training::Question> whichShape() {
  return {{"shape", "the shape in the picture", kShapeKinds}};
}

}  // namespace

ShapeBatch::ShapeBatch(const std::vector<Drawing>& drawings, const ImageModelSettings& settings,
                       const ExecutionContext& execution)
    : patches(patchesOf(drawings, inputOf(settings), execution)) {
  kinds_.count = std::ssize(drawings);
  kinds_.length = 1;
  std::vector<float>& answers = kinds_.answers.emplace_back();
  for (const Drawing& drawing : drawings) {
    answers.push_back(static_cast<float>(drawing.kindIndex()));
  }
}

training::Losses ShapeBatch::losses(const Tensor& logits, const ExecutionContext& execution) const {
  return training::lossesOf(logits, whichShape(), kinds_, execution);
}

training::Losses ShapeBatch::losses(const Tensor& logits, const ExecutionContext& execution,
                                    Tensor& gradient) const {
  return training::lossesOf(logits, whichShape(), kinds_, execution, gradient);
}

}  // namespace headscope::images
