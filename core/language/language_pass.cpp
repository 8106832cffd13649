#include "core/language/language_pass.h"

#include <algorithm>
#include <utility>

#include "core/attention/steps/linear.h"

namespace headscope::language {
namespace {

constexpr Index kRowsAtOnce = 64;

}  // namespace

LanguagePass::LanguagePass(const LanguageModel& model, const Texts& texts)
    : model_(&model),
      texts_(&texts),
      layers_(model.parameters(), model.places(), configOf(model.settings(), model.vocabulary()),
              texts.count, texts.length) {}

bool LanguagePass::forward(const ExecutionContext& execution) {
  if (!layers_.forward(embedded(execution), execution)) return false;
  logits_ = linear(layers_.normalized(), value(model_->places().embedding()), {}, execution)
                .reshaped({texts_->count, texts_->length, model_->vocabulary()});
  return !execution.stop();
}

bool LanguagePass::backward(LanguageModel& model, const Tensor& gradLogits,
                            const ExecutionContext& execution) {
  const Tensor& read = layers_.normalized();
  const std::size_t embedding = model.places().embedding();
  const Tensor dLogits = gradLogits.reshaped({1, read.dim(1), model.vocabulary()});
  LinearBackward readout{value(embedding), dLogits};
  Tensor d = linearBackward(read, {&readout, 1}, execution);
  if (!layers_.backward(model.parameters(), d, execution)) return false;
  model_training::putGradient(readout.dWeight, model.parameters()[embedding]);
  embeddingGradients(model, d, execution);
  return !execution.stop();
}

Tensor LanguagePass::embedded(const ExecutionContext& execution) const {
  const Index rows = texts_->count * texts_->length, width = model_->settings().dModel;
  Tensor stream = Tensor::uninitialised({1, rows, width}, execution.memory);
  const float* tokens = value(model_->places().embedding()).data();
  const float* positions =
      model_->settings().rotary ? nullptr : value(model_->places().positions()).data();
  parallelFor((rows + kRowsAtOnce - 1) / kRowsAtOnce, execution, [&](Index piece) {
    for (Index row = piece * kRowsAtOnce; row < std::min(rows, (piece + 1) * kRowsAtOnce); ++row) {
      const float* from = tokens + texts_->tokens[static_cast<std::size_t>(row)] * width;
      float* to = stream.mutableData() + row * width;
      std::copy_n(from, width, to);
      if (positions == nullptr) continue;
      const float* place = positions + row % texts_->length * width;
      for (Index j = 0; j < width; ++j) to[j] += place[j];
    }
  });
  return stream;
}

/// Adds to the embedding's gradient, which holds the readout's part, and writes that of the
/// positions. A piece of work is a band of columns; rows are added up in the order of the places.
void LanguagePass::embeddingGradients(LanguageModel& model, const Tensor& dStream,
                                      const ExecutionContext& execution) const {
  constexpr Index kColumnsAtOnce = 32;
  const Index rows = texts_->count * texts_->length, width = model_->settings().dModel;
  float* tokens = model.parameters()[model.places().embedding()].gradient.mutableData();
  Tensor none;
  Tensor& ofPositions =
      model.settings().rotary ? none : model.parameters()[model.places().positions()].gradient;
  if (!ofPositions.empty()) {
    std::fill_n(ofPositions.mutableData(), ofPositions.size(), 0.0F);
  }
  parallelFor((width + kColumnsAtOnce - 1) / kColumnsAtOnce, execution, [&](Index piece) {
    const Index begin = piece * kColumnsAtOnce, end = std::min(width, begin + kColumnsAtOnce);
    for (Index row = 0; row < rows; ++row) {
      const float* from = dStream.data() + row * width;
      float* to = tokens + texts_->tokens[static_cast<std::size_t>(row)] * width;
      for (Index j = begin; j < end; ++j) to[j] += from[j];
      if (ofPositions.empty()) continue;
      float* place = ofPositions.mutableData() + row % texts_->length * width;
      for (Index j = begin; j < end; ++j) place[j] += from[j];
    }
  });
}

std::string LanguagePass::firstNotFinite() const {
  const std::string found = layers_.firstNotFinite();
  return found.empty() ? model_training::notFiniteIn(logits_, "logits") : found;
}

}  // namespace headscope::language
