#include "core/model/layer_tensors.h"

#include <utility>

#include "core/attention/steps/linear.h"
#include "core/base/translation.h"
#include "core/model/blocks.h"
#include "core/model/model_gradients.h"
#include "core/model/network.h"

namespace headscope::model {
namespace {

Tensor ofTokens(const Tensor& tensor) { return tensor.reshaped({tensor.dim(1), tensor.dim(2)}); }

/// Adds the tensors of a layer's network.
void addNetworkTensors(std::vector<LayerTensor>& found, const Tensor& stream, const Tensor& half,
                       const AfterNetworkGradients& gradients, const LayerWeights& weights,
                       const ModelConfig& c, const ExecutionContext& execution) {
  const Tensor input = networkInput(stream, half, weights, c, execution);
  found.push_back({LayerPart::networkInput, ofTokens(input), ofTokens(gradients.input)});
  if (weights.experts.each.empty()) {
    found.push_back(
        {LayerPart::neurons, ofTokens(networkActivations(input, weights.feedForward, c, execution)),
         ofTokens(linearInputGradient(gradients.output, weights.feedForward.down, execution))});
  }
  found.push_back({LayerPart::network,
                   ofTokens(networkAddition(stream, half, weights, c, execution)),
                   ofTokens(gradients.addition)});
}

}  // namespace

std::string inWords(LayerPart part) {
  switch (part) {
    case LayerPart::entering:
      return tr("the residual stream that enters");
    case LayerPart::between:
      return tr("the stream after the attention");
    case LayerPart::networkInput:
      return tr("the network's input");
    case LayerPart::neurons:
      return tr("the network's neurons");
    case LayerPart::network:
      return tr("what the network adds");
    case LayerPart::leaving:
      break;
  }
  return tr("the stream that leaves");
}

std::optional<std::vector<LayerTensor>> layerTensors(const ModelTracePtr& trace, Stack stack,
                                                     Index layer, Tensor gradLast,
                                                     const ExecutionContext& execution) {
  ModelBackward backward(trace, std::move(gradLast), execution);
  if (stack == Stack::encoder) {
    while (!backward.runUnit()) continue;
    const auto decoder = backward.found();
    if (!decoder) return std::nullopt;
    return layerTensors(passOf(trace, Stack::encoder), Stack::decoder, layer, decoder->memory,
                        execution);
  }
  for (Index at = trace->layers(); at > layer + 1; --at) backward.runUnit();
  const Tensor leaving = backward.ofStream();
  backward.runUnit();
  if (execution.stop()) return std::nullopt;
  const ModelConfig& c = trace->config();
  const LayerWeightsPtr weights = trace->document().model->layer(layer);
  const Tensor& stream = trace->hidden(2 * layer);
  const Tensor& half = trace->hidden(2 * layer + 1);
  const AfterNetworkGradients network =
      afterNetworkBackward(stream, half, leaving, *weights, c, execution);
  std::vector<LayerTensor> found{
      {LayerPart::entering, ofTokens(stream), ofTokens(backward.ofStream())},
      {LayerPart::between, ofTokens(half), ofTokens(network.half)}};
  if (weights->hasNetwork())
    addNetworkTensors(found, stream, half, network, *weights, c, execution);
  found.push_back(
      {LayerPart::leaving, ofTokens(trace->hidden(2 * (layer + 1))), ofTokens(leaving)});
  if (execution.stop()) return std::nullopt;
  return found;
}

}  // namespace headscope::model
