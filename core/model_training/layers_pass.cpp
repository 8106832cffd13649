#include "core/model_training/layers_pass.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>

#include "core/attention/config.h"
#include "core/attention/ledger.h"
#include "core/attention/run_steps.h"
#include "core/attention/steps/linear.h"
#include "core/model/network.h"
#include "core/model/norms.h"
#include "core/tensor/finite.h"
#include "core/tensor/sums.h"

namespace headscope::model_training {
namespace {
using model::NormWeights;
using training::Parameter;

constexpr std::array kAttentionTensors{TensorId::wQ, TensorId::wK, TensorId::wV, TensorId::wO,
                                       TensorId::bQ, TensorId::bK, TensorId::bV, TensorId::bO};

}  // namespace

void putGradient(const Tensor& gradient, Parameter& parameter) {
  parameter.gradient = gradient.reshaped(parameter.value.shape());
}

/// The results that the backward pass of a layer needs. Streams are (1, B·T, D).
struct LayersPass::Layer {
  Tensor stream;  // the input
  std::unique_ptr<AttentionTensors> attention;
  std::unique_ptr<Gradients> gradients;
  Tensor half;   // behind the attention
  Tensor read;   // the network's input
  Tensor up;     // its first product
  Tensor inner;  // behind the activation
};

LayersPass::LayersPass(std::span<const Parameter> parameters, const LayerPlaces& places,
                       model::ModelConfig config, Index count, Index length)
    : parameters_(parameters), places_(places), config_(std::move(config)) {
  AttentionConfig attention = config_.attention(0, length);
  attention.batch = count;
  attention_ = std::make_unique<const AttentionConfig>(std::move(attention));
}

LayersPass::~LayersPass() = default;

/// The shape of a stream as the attention reads it: (B, T, D).
Shape LayersPass::batchShape() const {
  return {attention_->batch, attention_->seqLen, config_.dModel};
}

const Tensor& LayersPass::weights(Index layer) const {
  return layers_[static_cast<std::size_t>(layer)]->attention->tensor(TensorId::weights);
}

void LayersPass::switchOff(const HeadOfLayer& head) {
  offIn_ = head.layer;
  AttentionConfig without = *attention_;
  without.headGains.assign(static_cast<std::size_t>(without.numHeads), 1.0F);
  without.headGains[static_cast<std::size_t>(head.head)] = 0.0F;
  withoutHead_ = std::make_unique<const AttentionConfig>(std::move(without));
}

bool LayersPass::forward(Tensor stream, const ExecutionContext& execution) {
  layers_.clear();
  stream_ = std::move(stream);
  for (Index layer = 0; layer < config_.layers; ++layer) {
    if (!layerForward(layer, execution)) return false;
  }
  normalized_ = normedStream(stream_, places_.finalNorm(), execution);
  return !execution.stop();
}

Tensor LayersPass::normedStream(const Tensor& stream, std::size_t place,
                                const ExecutionContext& execution) const {
  if (!config_.norms) return stream;
  return model::normalized(stream, {value(place), value(place + 1)}, config_, execution);
}

bool LayersPass::layerForward(Index layer, const ExecutionContext& execution) {
  layers_.push_back(std::make_unique<Layer>());
  Layer& l = *layers_.back();
  l.stream = stream_;
  l.attention =
      std::make_unique<AttentionTensors>(offIn_ == layer ? *withoutHead_ : *attention_, noPins_);
  l.attention->put(
      TensorId::x,
      normedStream(stream_, places_.attentionNorm(layer), execution).reshaped(batchShape()));
  for (std::size_t i = 0; i < kAttentionTensors.size(); ++i) {
    l.attention->put(kAttentionTensors[i], value(places_.attention(layer) + i));
  }
  if (!runSteps(*l.attention, nullptr, execution)) return false;
  const Tensor output = l.attention->tensor(TensorId::output).reshaped(stream_.shape());
  stream_ = l.half = sum(stream_, output, 1.0, execution);
  if (config_.attentionOnly) return !execution.stop();
  l.read = normedStream(l.half, places_.networkNorm(layer), execution);
  const std::size_t network = places_.network(layer);
  l.up = linear(l.read, value(network), value(network + 1), execution);
  l.inner = model::networkInner(l.up, {}, config_, execution);
  const Tensor down = linear(l.inner, value(network + 2), value(network + 3), execution);
  stream_ = sum(l.half, down, 1.0, execution);
  return !execution.stop();
}

/// The gradient of a stream through its norm; fills in those of gain and bias.
Tensor LayersPass::normBackward(std::span<Parameter> parameters, const Tensor& stream,
                                const Tensor& dNormed, std::size_t place,
                                const ExecutionContext& execution) const {
  if (!config_.norms) return dNormed;
  NormWeights gradients;
  Tensor d = model::normalizedBackward(stream, dNormed, {value(place), value(place + 1)},
                                       model::normKindOf(config_), execution, &gradients);
  putGradient(gradients.gain, parameters[place]);
  putGradient(gradients.bias, parameters[place + 1]);
  return d;
}

bool LayersPass::backward(std::span<Parameter> parameters, Tensor& d,
                          const ExecutionContext& execution) {
  d = normBackward(parameters, stream_, d, places_.finalNorm(), execution);
  for (Index layer = config_.layers; layer-- > 0;) {
    if (!layerBackward(parameters, layer, d, execution)) return false;
  }
  return !execution.stop();
}

/// `d` is the gradient of the stream behind the layer, and becomes that of the stream before it.
bool LayersPass::layerBackward(std::span<Parameter> parameters, Index layer, Tensor& d,
                               const ExecutionContext& execution) {
  Layer& l = *layers_[static_cast<std::size_t>(layer)];
  if (!config_.attentionOnly) {
    const std::size_t at = places_.network(layer);
    const auto backwardOf = [&](const Tensor& x, const Tensor& dy, std::size_t weight) {
      LinearBackward linear{value(weight), dy, true};
      Tensor dx = linearBackward(x, {&linear, 1}, execution);
      putGradient(linear.dWeight, parameters[weight]);
      putGradient(linear.dBias, parameters[weight + 1]);
      return dx;
    };
    const Tensor dInner = backwardOf(l.inner, d, at + 2);
    Tensor none;
    model::networkInnerBackward(dInner, l.up, none, config_, execution);
    const Tensor dRead = backwardOf(l.read, l.up, at);
    d = sum(d, normBackward(parameters, l.half, dRead, places_.networkNorm(layer), execution), 1.0,
            execution);
  }
  l.gradients = std::make_unique<Gradients>(*l.attention, d.reshaped(batchShape()));
  if (!runBackward(*l.gradients, execution)) return false;
  for (std::size_t i = 0; i < kAttentionTensors.size(); ++i) {
    putGradient(l.gradients->tensor(kAttentionTensors[i]),
                parameters[places_.attention(layer) + i]);
  }
  const Tensor dX = l.gradients->tensor(TensorId::x).reshaped(d.shape());
  d = sum(d, normBackward(parameters, l.stream, dX, places_.attentionNorm(layer), execution), 1.0,
          execution);
  l.gradients.reset();
  return !execution.stop();
}

std::string LayersPass::firstNotFinite() const {
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    const Layer& l = *layers_[layer];
    const std::pair<const Tensor*, const char*> results[]{
        {&l.stream, "stream"},
        {&l.attention->tensor(TensorId::rawScores), "raw_scores"},
        {&l.attention->tensor(TensorId::output), "output"},
        {&l.up, "up"}};
    for (const auto& [tensor, name] : results) {
      std::string words = notFiniteIn(*tensor, fmt::format("layers.{}.{}", layer, name));
      if (!words.empty()) return words;
    }
  }
  return notFiniteIn(stream_, "stream");
}

Index flopsPerToken(const LayerSettings& s, Index parameters, Index length) {
  return 2 * parameters + 4 * s.layers * length * s.dModel;
}

Index bytesOfPass(const model::ModelConfig& config, Index count, Index length, Index logits,
                  bool backward) {
  AttentionConfig attention = config.attention(0, length);
  attention.batch = count;
  const Index rows = count * length;
  const Index perLayer =
      ledger(attention).residentBytes + rows * (6 * config.dModel + 2 * config.ffWidth) * Index{4};
  const Index rest = (rows * 4 * config.dModel + 2 * logits) * Index{4};
  return config.layers * perLayer + rest + (backward ? 2 * perLayer : 0);
}

std::string notFiniteIn(const Tensor& tensor, const std::string& name) {
  const auto index = tensor.empty() ? std::nullopt : headscope::firstNotFinite(tensor);
  return index ? fmt::format("{}[{}]", name, fmt::join(*index, ", ")) : std::string();
}

}  // namespace headscope::model_training
