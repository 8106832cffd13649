#include "core/model/network_neurons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/attention/steps/linear.h"
#include "core/base/error.h"
#include "core/base/translation.h"
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

Tensor streamRow(const Tensor& stream, Index place) {
  return stream.slice(1, place, place + 1).clone();
}

/// The input of a layer's network at one place.
Tensor inputAt(const ModelTrace& pass, Index layer, Index place,
               const ExecutionContext& execution) {
  return networkInput(streamRow(pass.hidden(2 * layer), place),
                      streamRow(pass.hidden(2 * layer + 1), place),
                      *pass.document().model->layer(layer), pass.config(), execution);
}

std::string neuronInWords(Index expert, Index number) {
  const std::string words = trFormat("neuron {}", number + 1);
  if (expert == Neuron::kNone) return words;
  if (expert == Neuron::kShared) return tr("shared expert, ") + words;
  return trFormat("expert {}, {}", expert + 1, words);
}

/// Refuses an expert that does not compute for the input x.
void requireExpert(const ExpertWeights& experts, const AskedNeuron& asked, const Tensor& x,
                   const ModelConfig& c) {
  const auto chosen = chosenExperts(x, experts, c, {}).front();
  if (std::ranges::find(chosen, asked.expert, &ChosenExpert::expert) != chosen.end()) return;
  throw UserError(
      trFormat("expert {} of layer {} does not compute for this token", asked.expert, asked.layer));
}

/// The network that has a neuron, or the expert's.
const FeedForward& networkOf(const LayerWeights& weights, const AskedNeuron& asked) {
  const ExpertWeights& experts = weights.experts;
  const bool mixed = !experts.each.empty(), named = asked.expert != Neuron::kNone;
  if (!mixed && named) {
    throw UserError(
        trFormat("the network of layer {} has no experts: leave out the expert", asked.layer));
  }
  if (mixed && !named) {
    throw UserError(trFormat(
        "the network of layer {0} has experts: name that of the neuron, as in n{0}.e2.{1}, or "
        "n{0}.s.{1} for the shared one",
        asked.layer, asked.number));
  }
  if (!mixed) return weights.feedForward;
  if (asked.expert == Neuron::kShared && !experts.shared.down.empty()) return experts.shared;
  if (asked.expert >= 0 && asked.expert < std::ssize(experts.each)) {
    return experts.each[static_cast<std::size_t>(asked.expert)];
  }
  throw UserError(trFormat("layer {} has the experts 0 to {}{}", asked.layer,
                           std::ssize(experts.each) - 1,
                           experts.shared.down.empty() ? tr(", and no shared one") : ""));
}

/// A row of a network's first matrix, with its bias.
struct NeuronWeights {
  std::vector<double> row;  // (D)
  double bias = 0.0;

  double at(const Tensor& x) const {
    double sum = bias;
    for (std::size_t j = 0; j < row.size(); ++j) sum += row[j] * double{x.data()[j]};
    return sum;
  }
};
NeuronWeights neuronWeights(const PackedWeight& weight, const Tensor& bias, Index neuron) {
  Tensor one = Tensor::zeros({1, 1, weight.out});
  one.mutableData()[neuron] = 1.0F;
  const Tensor row = linearInputGradient(one, weight, {});
  return {{row.data(), row.data() + row.size()}, bias.empty() ? 0.0 : double{bias.data()[neuron]}};
}

/// A neuron at a place, with the weights of the side that is read.
struct FoundNeuron {
  PreActivation input;
  NeuronWeights weights;
};
FoundNeuron foundNeuron(const ModelTrace& pass, AskedNeuron asked, Index place,
                        bool computes = true) {
  const ModelConfig& c = pass.config();
  if (asked.layer < 0 || asked.layer >= pass.layers() || !c.hasNetwork(asked.layer)) {
    throw UserError(trFormat("layer {} has no network", asked.layer));
  }
  const LayerWeightsPtr weights = pass.document().model->layer(asked.layer);
  const Tensor x = inputAt(pass, asked.layer, place, {});
  const FeedForward& network = networkOf(*weights, asked);
  if (computes && asked.expert >= 0) requireExpert(weights->experts, asked, x, c);
  if (asked.number < 0 || asked.number >= network.up.out) {
    throw UserError(trFormat("there is no neuron {}: the network of layer {} has 0 to {}",
                             asked.number, asked.layer, network.up.out - 1));
  }
  NeuronWeights up = neuronWeights(network.up, network.upBias, asked.number);
  if (network.gate.empty()) {
    asked.side = NeuronSide::up;
    const double value = up.at(x);
    return {{asked, false, value, {}}, std::move(up)};
  }
  NeuronWeights gate = neuronWeights(network.gate, network.gateBias, asked.number);
  const double ofGate = gate.at(x), ofUp = up.at(x);
  const bool chosen = asked.side != NeuronSide::larger;
  if (!chosen) {
    asked.side = std::abs(ofGate) >= std::abs(ofUp) ? NeuronSide::gate : NeuronSide::up;
  }
  if (asked.side == NeuronSide::gate) return {{asked, chosen, ofGate, ofUp}, std::move(gate)};
  return {{asked, chosen, ofUp, ofGate}, std::move(up)};
}

}  // namespace

std::string inWords(const Neuron& neuron) { return neuronInWords(neuron.expert, neuron.number); }

std::string inWords(const PreActivation& found) {
  const char* side = !found.other ? "" : found.of.side == NeuronSide::gate ? ", gate" : ", up";
  return neuronInWords(found.of.expert, found.of.number) + side;
}

PreActivation preActivation(const ModelTrace& trace, const AskedNeuron& asked, Index place,
                            Stack stack) {
  return foundNeuron(passOf(trace, stack), asked, place).input;
}

double preActivationIn(const ModelTrace& other, const PreActivation& found, Index place,
                       Stack stack) {
  return foundNeuron(passOf(other, stack), found.of, place, false).input.value;
}

StreamReading readingOfNeuron(const ModelTrace& trace, const AskedNeuron& asked, Index place,
                              Stack stack) {
  const ModelTrace& pass = passOf(trace, stack);
  const ModelConfig& c = pass.config();
  NeuronWeights weights = foundNeuron(pass, asked, place).weights;
  const bool behind = !(c.preNorm && c.parallel);  // the network reads behind the attention
  StreamReading reading{asked.layer, place, std::move(weights.row), weights.bias, stack, behind};
  const LayerWeightsPtr layer = pass.document().model->layer(asked.layer);
  const NormWeights* norm = networkNorm(*layer, c);
  if (norm == nullptr) return reading;
  const Tensor& read = pass.hidden(2 * asked.layer + (behind ? 1 : 0));
  const FrozenNorm frozen(read.matrix({0}).row(place), *norm, c);
  for (std::size_t j = 0; j < frozen.bias().size(); ++j) {
    reading.constant += reading.along[j] * frozen.bias()[j];
  }
  frozen.pullBack(reading.along);
  return reading;
}

NetworkNeurons networkNeurons(const ModelTrace& trace, const StreamReading& reading, Index layer,
                              const ExecutionContext& execution) {
  const ModelTrace& pass = passOf(trace, reading.stack);
  const ModelConfig& c = pass.config();
  if (layer < 0 || layer >= reading.layer || !c.hasNetwork(layer)) {
    throw UserError(trFormat("no network of layer {} writes before it", layer));
  }
  const LayerWeightsPtr weights = pass.document().model->layer(layer);
  const Tensor x = inputAt(pass, layer, reading.place, execution);
  const auto [along, constant] =
      beforeOutputNorm(directionAtAddition(pass, reading, layer, true), x, *weights, c, execution);
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
