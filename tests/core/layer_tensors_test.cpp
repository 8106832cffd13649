// Layer tensors: the residual stream and the network of a layer with their gradients, for every
// family: against the gradients of a whole backward pass, and against central differences.
#include "core/model/layer_tensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/model/model_gradients.h"
#include "core/model/network.h"
#include "tests/core/support/circuits.h"
#include "tests/core/support/documents.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;

class LayerTensorsOfEveryModel : public testing::TestWithParam<std::string> {
 protected:
  ModelTracePtr trace_ =
      runModel(documentOf(opened(ModelFolder(folderOfModel(GetParam()))), {5, 17, 40, 8, 61}),
               nullptr, {}, kBudgetBytes);
  Tensor gradLast_ = randomTensor(trace_->last().shape(), 3, "number", 1.0F);

  std::vector<LayerTensor> ofLayer(Index layer) const {
    return layerTensors(trace_, Stack::decoder, layer, gradLast_, {}).value();
  }
  static const LayerTensor* find(const std::vector<LayerTensor>& all, LayerPart part) {
    const auto found = std::ranges::find(all, part, &LayerTensor::part);
    return found == all.end() ? nullptr : &*found;
  }
};
INSTANTIATE_TEST_SUITE_P(Models, LayerTensorsOfEveryModel, testing::ValuesIn(everyModel()),
                         modelTestName);

double along(const Tensor& a, const Tensor& b) {
  double sum = 0.0;
  for (Index i = 0; i < a.size(); ++i) sum += double{a.data()[i]} * double{b.data()[i]};
  return sum;
}

TEST_P(LayerTensorsOfEveryModel, AreThoseOfTheBackwardPass) {
  std::vector<Site> sites{Site::network, Site::residualMid, Site::networkInput};
  const bool neurons = whyWithout(Site::neurons, *trace_->document().model).empty();
  if (neurons) sites.push_back(Site::neurons);
  ModelBackward backward(trace_, gradLast_, {}, sites);
  while (!backward.runUnit()) continue;
  const ModelGradients whole = backward.found().value();
  for (Index layer = 0; layer < trace_->layers(); ++layer) {
    const auto found = ofLayer(layer);
    const LayerTensor* entering = find(found, LayerPart::entering);
    EXPECT_EQ(entering->gradient.values(), whole.inLayer(Site::residual, layer).values());
    EXPECT_EQ(entering->values.values(), trace_->hidden(2 * layer).values());
    if (layer + 1 < trace_->layers()) {
      EXPECT_EQ(find(found, LayerPart::leaving)->gradient.values(),
                whole.inLayer(Site::residual, layer + 1).values());
    }
    const LayerTensor* network = find(found, LayerPart::network);
    const bool has = trace_->document().model->layer(layer)->hasNetwork();
    ASSERT_EQ(network != nullptr, has);
    if (!has) continue;
    EXPECT_EQ(network->gradient.values(), whole.inLayer(Site::network, layer).values());
    for (const auto& [part, site] : {std::pair(LayerPart::between, Site::residualMid),
                                     {LayerPart::networkInput, Site::networkInput},
                                     {LayerPart::neurons, Site::neurons}}) {
      const LayerTensor* tensor = find(found, part);
      if (tensor == nullptr || (site == Site::neurons && !neurons)) continue;
      EXPECT_EQ(tensor->gradient.values(), whole.inLayer(site, layer).values()) << inWords(part);
      EXPECT_EQ(tensor->values.values(), valuesInLayer(site, *trace_, layer).values());
    }
    EXPECT_EQ(network->values.values(), valuesInLayer(Site::network, *trace_, layer).values());
  }
}

/// Along a change of the network's input, the number changes as its neurons say.
TEST_P(LayerTensorsOfEveryModel, NeuronsSayWhatTheInputSays) {
  for (Index layer = 0; layer < trace_->layers(); ++layer) {
    const auto found = ofLayer(layer);
    const LayerWeightsPtr weights = trace_->document().model->layer(layer);
    const LayerTensor* neurons = find(found, LayerPart::neurons);
    ASSERT_EQ(neurons != nullptr, weights->hasNetwork() && weights->experts.each.empty());
    if (neurons == nullptr) continue;
    const Tensor& input = find(found, LayerPart::networkInput)->values;
    const Tensor direction = randomTensor(input.shape(), 9, "direction", 1.0F);
    const auto at = [&](float step) {
      Tensor x = Tensor::uninitialised({1, input.dim(0), input.dim(1)});
      for (Index i = 0; i < x.size(); ++i) {
        x.mutableData()[i] = input.data()[i] + step * direction.data()[i];
      }
      return along(networkActivations(x, weights->feedForward, trace_->config(), {}),
                   neurons->gradient);
    };
    constexpr float kSmall = 1.0F / 1024.0F;
    const double measured = (at(kSmall) - at(-kSmall)) / (2.0 * double{kSmall});
    const Tensor& gradient = find(found, LayerPart::networkInput)->gradient;
    EXPECT_NEAR(along(gradient, direction), measured, 0.005 * std::sqrt(along(gradient, gradient)))
        << layer;
  }
}

TEST(LayerTensors, OfAnEncoderAreThoseOfItsGradients) {
  const ModelPtr model = opened(ModelFolder("families/t5"));
  const ModelTracePtr trace =
      runModel(documentOf(model, {5, 17, 40, 8}, {7, 3, 40, 12, 5}), nullptr, {}, kBudgetBytes);
  const Tensor last = gradLastOfLogit(*trace, 1, 3, std::nullopt, {});
  const auto decoder = gradientsOfLogit(trace, 1, 3, std::nullopt, {}).value();
  const auto encoder = gradientsOfEncoder(*trace, decoder, {}).value();
  const auto found = layerTensors(trace, Stack::encoder, 0, last, {}).value();
  EXPECT_EQ(found.front().gradient.values(), encoder.inLayer(Site::residual, 0).values());
}

TEST(LayerTensors, EndWhereTheyAreCancelled) {
  const Circuit circuit("tiny-gpt2");
  const ModelTracePtr trace = circuit.pass("clean");
  std::atomic<bool> cancelled = true;
  ExecutionContext execution;
  execution.cancelled = &cancelled;
  EXPECT_FALSE(layerTensors(trace, Stack::decoder, 0,
                            gradLastOfLogit(*trace, 2, 5, std::nullopt, {}), execution));
}

}  // namespace
}  // namespace headscope::test::models
