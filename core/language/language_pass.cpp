#include "core/language/language_pass.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/attention/config.h"
#include "core/attention/run_steps.h"
#include "core/attention/steps/linear.h"
#include "core/model/network.h"
#include "core/model/norms.h"
#include "core/tensor/finite.h"
#include "core/tensor/sums.h"

namespace headscope::language {
namespace {
using model::NormWeights;
using training::Parameter;

constexpr std::array kAttentionTensors{TensorId::wQ, TensorId::wK, TensorId::wV, TensorId::wO,
                                       TensorId::bQ, TensorId::bK, TensorId::bV, TensorId::bO};
constexpr Index kRowsAtOnce = 64;

/// The gradient of a parameter takes the memory of a tensor of the same shape.
void put(Tensor gradient, Parameter& parameter) {
  parameter.gradient = gradient.reshaped(parameter.value.shape());
}

}  // namespace

/// The results that the backward pass of a layer needs. Streams are (1, B·T, D).
struct LanguagePass::Layer {
  Tensor stream;  // the input
  std::unique_ptr<AttentionTensors> attention;
  std::unique_ptr<Gradients> gradients;
  Tensor half;   // behind the attention
  Tensor read;   // the network's input
  Tensor up;     // its first product
  Tensor inner;  // behind the activation
};

LanguagePass::LanguagePass(const LanguageModel& model, const Texts& texts)
    : model_(&model), texts_(&texts), config_(configOf(model.settings(), model.vocabulary())) {
  AttentionConfig attention = config_.attention(0, texts.length);
  attention.batch = texts.count;
  attention_ = std::make_unique<const AttentionConfig>(std::move(attention));
}

LanguagePass::~LanguagePass() = default;

const Tensor& LanguagePass::weights(Index layer) const {
  return layers_[static_cast<std::size_t>(layer)]->attention->tensor(TensorId::weights);
}

void LanguagePass::switchOff(const HeadOfLayer& head) {
  offIn_ = head.layer;
  AttentionConfig without = *attention_;
  without.headGains.assign(static_cast<std::size_t>(without.numHeads), 1.0F);
  without.headGains[static_cast<std::size_t>(head.head)] = 0.0F;
  withoutHead_ = std::make_unique<const AttentionConfig>(std::move(without));
}

bool LanguagePass::forward(const ExecutionContext& execution) {
  layers_.clear();
  stream_ = embedded(execution);
  for (Index layer = 0; layer < config_.layers; ++layer) {
    if (!layerForward(layer, execution)) return false;
  }
  normalized_ = normedStream(stream_, model_->places().finalNorm(), execution);
  logits_ = linear(normalized_, value(model_->places().embedding()), {}, execution)
                .reshaped({texts_->count, texts_->length, config_.vocabulary});
  return !execution.stop();
}

Tensor LanguagePass::normedStream(const Tensor& stream, std::size_t place,
                                  const ExecutionContext& execution) const {
  if (!config_.norms) return stream;
  return model::normalized(stream, {value(place), value(place + 1)}, config_, execution);
}

bool LanguagePass::layerForward(Index layer, const ExecutionContext& execution) {
  const ParameterPlaces& places = model_->places();
  layers_.push_back(std::make_unique<Layer>());
  Layer& l = *layers_.back();
  l.stream = stream_;
  l.attention =
      std::make_unique<AttentionTensors>(offIn_ == layer ? *withoutHead_ : *attention_, noPins_);
  const Shape batch{texts_->count, texts_->length, config_.dModel};
  l.attention->put(TensorId::x,
                   normedStream(stream_, places.attentionNorm(layer), execution).reshaped(batch));
  for (std::size_t i = 0; i < kAttentionTensors.size(); ++i) {
    l.attention->put(kAttentionTensors[i], value(places.attention(layer) + i));
  }
  if (!runSteps(*l.attention, nullptr, execution)) return false;
  const Tensor output = l.attention->tensor(TensorId::output).reshaped(stream_.shape());
  stream_ = l.half = sum(stream_, output, 1.0, execution);
  if (!model_->settings().networks) return !execution.stop();
  l.read = normedStream(l.half, places.networkNorm(layer), execution);
  const std::size_t network = places.network(layer);
  l.up = linear(l.read, value(network), value(network + 1), execution);
  l.inner = model::networkInner(l.up, {}, config_, execution);
  const Tensor down = linear(l.inner, value(network + 2), value(network + 3), execution);
  stream_ = sum(l.half, down, 1.0, execution);
  return !execution.stop();
}

/// The gradient of a stream through its norm; fills in those of gain and bias.
Tensor LanguagePass::normBackward(LanguageModel& model, const Tensor& stream, const Tensor& dNormed,
                                  std::size_t place, const ExecutionContext& execution) const {
  if (!config_.norms) return dNormed;
  NormWeights gradients;
  Tensor d = model::normalizedBackward(stream, dNormed, {value(place), value(place + 1)},
                                       model::normKindOf(config_), execution, &gradients);
  put(std::move(gradients.gain), model.parameters()[place]);
  put(std::move(gradients.bias), model.parameters()[place + 1]);
  return d;
}

bool LanguagePass::backward(LanguageModel& model, const Tensor& gradLogits,
                            const ExecutionContext& execution) {
  const ParameterPlaces& places = model.places();
  const Tensor dLogits = gradLogits.reshaped({1, stream_.dim(1), config_.vocabulary});
  LinearBackward readout{value(places.embedding()), dLogits};
  Tensor d = linearBackward(normalized_, {&readout, 1}, execution);
  d = normBackward(model, stream_, d, places.finalNorm(), execution);
  for (Index layer = config_.layers; layer-- > 0;) {
    if (!layerBackward(model, layer, d, execution)) return false;
  }
  put(std::move(readout.dWeight), model.parameters()[places.embedding()]);
  embeddingGradients(model, d, execution);
  return !execution.stop();
}

/// `d` is the gradient of the stream behind the layer, and becomes that of the stream before it.
bool LanguagePass::layerBackward(LanguageModel& model, Index layer, Tensor& d,
                                 const ExecutionContext& execution) {
  const ParameterPlaces& places = model.places();
  Layer& l = *layers_[static_cast<std::size_t>(layer)];
  if (model.settings().networks) {
    const std::size_t at = places.network(layer);
    const auto backwardOf = [&](const Tensor& x, const Tensor& dy, std::size_t weight) {
      LinearBackward linear{value(weight), dy, true};
      Tensor dx = linearBackward(x, {&linear, 1}, execution);
      put(std::move(linear.dWeight), model.parameters()[weight]);
      put(std::move(linear.dBias), model.parameters()[weight + 1]);
      return dx;
    };
    const Tensor dInner = backwardOf(l.inner, d, at + 2);
    Tensor none;
    model::networkInnerBackward(dInner, l.up, none, config_, execution);
    const Tensor dRead = backwardOf(l.read, l.up, at);
    d = sum(d, normBackward(model, l.half, dRead, places.networkNorm(layer), execution), 1.0,
            execution);
  }
  l.gradients = std::make_unique<Gradients>(
      *l.attention, d.reshaped({texts_->count, texts_->length, config_.dModel}));
  if (!runBackward(*l.gradients, execution)) return false;
  for (std::size_t i = 0; i < kAttentionTensors.size(); ++i) {
    put(l.gradients->tensor(kAttentionTensors[i]), model.parameters()[places.attention(layer) + i]);
  }
  const Tensor dX = l.gradients->tensor(TensorId::x).reshaped(d.shape());
  d = sum(d, normBackward(model, l.stream, dX, places.attentionNorm(layer), execution), 1.0,
          execution);
  l.gradients.reset();
  return !execution.stop();
}

Tensor LanguagePass::embedded(const ExecutionContext& execution) const {
  const Index rows = texts_->count * texts_->length, width = config_.dModel;
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
  const Index rows = texts_->count * texts_->length, width = config_.dModel;
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
  const auto found = [](const Tensor& tensor, const std::string& name) {
    const auto index = tensor.empty() ? std::nullopt : headscope::firstNotFinite(tensor);
    return index ? fmt::format("{}[{}]", name, fmt::join(*index, ", ")) : std::string();
  };
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    const Layer& l = *layers_[layer];
    const std::pair<const Tensor*, const char*> results[]{
        {&l.stream, "stream"},
        {&l.attention->tensor(TensorId::rawScores), "raw_scores"},
        {&l.attention->tensor(TensorId::output), "output"},
        {&l.up, "up"}};
    for (const auto& [tensor, name] : results) {
      std::string words = found(*tensor, fmt::format("layers.{}.{}", layer, name));
      if (!words.empty()) return words;
    }
  }
  const std::string stream = found(stream_, "stream");
  return stream.empty() ? found(logits_, "logits") : stream;
}

}  // namespace headscope::language
