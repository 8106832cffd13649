#include "core/model/network_neurons.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/attention/steps/linear.h"
#include "core/base/error.h"
#include "core/model/blocks.h"
#include "core/model/experts.h"
#include "core/model/frozen_norm.h"
#include "core/model/network.h"

namespace headscope::model {
namespace {

/// A direction in what a network's last matrix gives, and the constant that comes with it.
struct OutputDirection {
  std::vector<double> along;
  double constant = 0.0;
};

/// Where a norm follows the network's output, the direction before it.
OutputDirection beforeOutputNorm(std::vector<double> along, const Tensor& x,
                                 const LayerWeights& weights, const ModelConfig& c,
                                 const ExecutionContext& execution) {
  OutputDirection found{std::move(along), 0.0};
  if (!c.preNorm) return found;
  for (double& u : found.along) u *= c.residualFactor;
  if (weights.feedForwardOutputNorm.gain.empty()) return found;
  const Tensor output = weights.experts.each.empty()
                            ? feedForward(x, weights.feedForward, c, execution)
                            : mixtureOfExperts(x, weights.experts, c, execution);
  const FrozenNorm norm(output.matrix({0}).row(0), weights.feedForwardOutputNorm, c);
  for (std::size_t j = 0; j < norm.bias().size(); ++j) {
    found.constant += found.along[j] * norm.bias()[j];
  }
  norm.pullBack(found.along);
  return found;
}

/// Adds the neurons of one network, whose output counts `weight` times.
void addNeurons(NetworkNeurons& found, const Tensor& x, const FeedForward& weights,
                const Tensor& along, Index expert, double weight, const ModelConfig& c,
                const ExecutionContext& execution) {
  const Tensor inner = networkActivations(x, weights, c, execution);
  const Tensor writes = linearInputGradient(along, weights.down, execution);
  for (Index i = 0; i < inner.size(); ++i) {
    const double activation = weight * double{inner.data()[i]};
    found.neurons.push_back({expert, i, activation, activation * double{writes.data()[i]}});
  }
  if (weights.downBias.empty()) return;
  for (Index j = 0; j < weights.downBias.size(); ++j) {
    found.bias += weight * double{along.data()[j]} * double{weights.downBias.data()[j]};
  }
}

}  // namespace

std::string inWords(const Neuron& neuron) {
  const std::string number = fmt::format("neuron {}", neuron.number + 1);
  if (neuron.expert == Neuron::kNone) return number;
  if (neuron.expert == Neuron::kShared) return "shared expert, " + number;
  return fmt::format("expert {}, {}", neuron.expert + 1, number);
}

NetworkNeurons networkNeurons(const ModelTrace& trace, const StreamReading& reading, Index layer,
                              const ExecutionContext& execution) {
  const ModelTrace& pass = passOf(trace, reading.stack);
  const ModelConfig& c = pass.config();
  if (layer < 0 || layer >= reading.layer || !c.hasNetwork(layer)) {
    throw UserError(fmt::format("no network of layer {} writes before it", layer));
  }
  const LayerWeightsPtr weights = pass.document().model->layer(layer);
  const auto rowAt = [&](const Tensor& stream) {
    return stream.slice(1, reading.place, reading.place + 1).clone();
  };
  const Tensor x = networkInput(rowAt(pass.hidden(2 * layer)), rowAt(pass.hidden(2 * layer + 1)),
                                *weights, c, execution);
  const auto [along, constant] = beforeOutputNorm(
      directionAtAddition(pass, reading.layer, reading.place, reading.along, layer, true), x,
      *weights, c, execution);
  Tensor direction = Tensor::uninitialised({1, 1, std::ssize(along)});
  std::ranges::transform(along, direction.mutableData(),
                         [](double u) { return static_cast<float>(u); });
  NetworkNeurons found{layer, {}, constant, 0.0};
  const auto add = [&](const FeedForward& network, Index expert, double weight) {
    addNeurons(found, x, network, direction, expert, weight, c, execution);
  };
  const ExpertWeights& experts = weights->experts;
  if (experts.each.empty()) {
    add(weights->feedForward, Neuron::kNone, 1.0);
  } else {
    const auto chosenOfRows = chosenExperts(x, experts, c, execution);
    for (const ChosenExpert& chosen : chosenOfRows.front()) {
      add(experts.each[static_cast<std::size_t>(chosen.expert)], chosen.expert, chosen.weight);
    }
    if (!experts.shared.down.empty()) add(experts.shared, Neuron::kShared, 1.0);
  }
  found.sum = found.bias;
  for (const Neuron& neuron : found.neurons) found.sum += neuron.value;
  return found;
}

}  // namespace headscope::model
