// Chains through a network's neuron: its pre-activation is a sum over what wrote into the stream
// that the network reads, and goes on to heads, networks and tokens.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/model/head_output.h"
#include "core/model/network.h"
#include "core/model/why_without.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;
using Kind = WhyStep::Kind;

const std::vector<Index> kNeuronIds{5, 17, 3, 40, 5, 17};

ModelTracePtr traceOf(const std::string& name) {
  return runModel(documentOf(formats::openModel(modelFolder(name), kBudgetBytes), kNeuronIds),
                  nullptr, {}, kBudgetBytes);
}

double largestPartIn(const WhyLevel& level) {
  double most = 1e-3;
  for (const WrittenPart& part : level.parts.value_or(std::vector<WrittenPart>())) {
    most = std::max(most, std::abs(part.value));
  }
  for (const double value : level.sources ? level.sources->values : std::vector<double>()) {
    most = std::max(most, std::abs(value));
  }
  return most;
}

AskedNeuron askedOf(const WhyLevel& network, std::size_t i, NeuronSide side) {
  const Neuron& neuron = network.neurons->neurons[i];
  return {network.neurons->layer, neuron.expert, neuron.number, side};
}

class NeuronChain : public testing::TestWithParam<std::string> {
 protected:
  const ModelTracePtr trace = traceOf(GetParam());

  /// Follows what a network wrote into the key of a score to some of its neurons.
  void expectClosed(const AskedScore& asked, Index layer) const {
    const ModelConfig& c = passOf(*trace, asked.stack).config();
    if (!c.hasNetwork(layer)) return;
    const Writer network{WriterKind::feedForward, layer, -1, asked.stack};
    std::vector<WhyStep> steps{{.kind = Kind::entry, .query = network, .key = network}};
    const WhyLevel neurons = whyLevels(*trace, asked, steps).back();
    for (const std::size_t i : {std::size_t{3}, neurons.neurons->neurons.size() - 1}) {
      for (const NeuronSide side : {NeuronSide::larger, NeuronSide::gate, NeuronSide::up}) {
        steps.resize(1);
        steps.push_back({.kind = Kind::neuron, .neuron = askedOf(neurons, i, side)});
        expectClosed(asked, steps);
      }
    }
  }
  void expectClosed(const AskedScore& asked, std::vector<WhyStep> steps) const {
    const auto levels = whyLevels(*trace, asked, steps);
    const WhyLevel& driven = levels.back();
    ASSERT_TRUE(driven.parts && driven.neuron);
    EXPECT_NEAR(driven.sum, driven.value, 1e-4 * largestPartIn(driven)) << textOf(steps);
    EXPECT_EQ(driven.value, driven.neuron->value);
    EXPECT_EQ(driven.reading.place, asked.key);
    EXPECT_EQ(driven.reached, Reached::preActivation);
    EXPECT_EQ(driven.shares.back(), 1.0);
    EXPECT_EQ(driven.shares.size(), 2U);
    EXPECT_EQ(stepsFrom(textOf(steps)), steps);
    // a head of the network's own layer writes into it, where the network reads behind it
    const Index layer = steps.back().neuron.layer;
    const Index own = driven.reading.afterAttention ? layer : layer - 1;
    if (own < 0) return;
    steps.push_back({.kind = Kind::head, .head = {own, 1}});
    const WhyLevel head = whyLevels(*trace, asked, steps).back();
    EXPECT_NEAR(head.sum, head.value, 1e-4 * largestPartIn(driven)) << textOf(steps);
    EXPECT_EQ(head.shares.back(), head.value / driven.value);
    steps.push_back({.kind = Kind::value, .source = 0});
    const WhyLevel value = whyLevels(*trace, asked, steps).back();
    EXPECT_NEAR(value.sum, value.value, 1e-4 * std::max(largestPartIn(value), 1e-2))
        << textOf(steps);
  }
};
INSTANTIATE_TEST_SUITE_P(Models, NeuronChain, testing::ValuesIn(everyModel()), modelTestName);

TEST_P(NeuronChain, ClosesInEveryFamily) {
  if (trace->config().crossAttention) {
    expectClosed({{2, 1}, 5, 2}, 1);
    return expectClosed({{1, 1}, 4, 2, Stack::encoder}, 0);
  }
  const Index last = trace->layers() - 1;
  for (Index layer = 0; layer < last; ++layer) expectClosed({{last, 1}, 5, 2}, layer);
}

/// The products of the first half are those from which the pass computed the activation.
TEST_P(NeuronChain, HasTheActivationOfThePass) {
  const ModelConfig& c = trace->config();
  if (!c.experts.limit && c.hasNetwork(0) && !c.crossAttention) {
    StreamReading reading{trace->layers(), 3,
                          std::vector<double>(static_cast<std::size_t>(c.dModel), 1.0)};
    const NetworkNeurons found = networkNeurons(*trace, reading, 0);
    if (found.neurons.front().expert != Neuron::kNone) return;
    for (const std::size_t i : {0U, 7U, 20U}) {
      const PreActivation one =
          preActivation(*trace, {0, Neuron::kNone, static_cast<Index>(i), NeuronSide::gate}, 3);
      std::array<float, 1> active{static_cast<float>(one.value)};
      activate(c.activation, active);
      EXPECT_NEAR(double{active[0]} * one.other.value_or(1.0), found.neurons[i].activation,
                  2e-5 * std::max(1.0, std::abs(one.value)))
          << i;
    }
  }
}

/// The larger product of a gated neuron is taken, unless one is asked for.
TEST(Neurons, OfTwoProductsTheLargerIsTaken) {
  const ModelTracePtr trace = traceOf("tiny-llama");
  for (Index number = 0; number < 10; ++number) {
    const auto of = [&](NeuronSide side) {
      return preActivation(*trace, {1, Neuron::kNone, number, side}, 4);
    };
    const PreActivation gate = of(NeuronSide::gate), up = of(NeuronSide::up);
    const PreActivation larger = of(NeuronSide::larger);
    EXPECT_EQ(gate.other, up.value);
    EXPECT_EQ(up.other, gate.value);
    EXPECT_EQ(std::abs(larger.value), std::max(std::abs(gate.value), std::abs(up.value)));
    EXPECT_FALSE(larger.chosen);
    EXPECT_TRUE(gate.chosen && up.chosen);
    EXPECT_EQ(inWords(gate), "neuron " + std::to_string(number + 1) + ", gate");
  }
  const PreActivation plain = preActivation(*traceOf("tiny-gpt2"), {1, Neuron::kNone, 13}, 4);
  EXPECT_FALSE(plain.other);
  EXPECT_EQ(inWords(plain), "neuron 14");
}

/// A head of the neuron's layer acts on it alone, without later layers in between.
TEST(Neurons, WithoutAHeadThePreActivationIsThatOfARunWithoutIt) {
  const ModelTracePtr trace = traceOf("tiny-gpt2");
  const AskedWord asked{5, 7, 9};
  const auto steps = stepsFrom("f1 n1.13 h1.2");
  const auto levels = whyLevels(*trace, asked, steps);
  EXPECT_EQ(levels.back().shares.size(), 2U);
  const WithoutWriter without = withoutParts(trace, asked, levels, 1).followed.value();
  EXPECT_EQ(without.frozen, -levels.back().value);
  Tensor rows = headOutput(*trace, {1, 2});
  std::ranges::fill(rows.mutableMatrix().row(5), 0.0F);
  const auto after = runModel(withHeadOutput(*trace, {1, 2}, rows), nullptr, {}, kBudgetBytes);
  const auto driven = [&](const ModelTrace& pass) {
    return preActivation(pass, {1, Neuron::kNone, 13}, 5).value;
  };
  EXPECT_NEAR(without.total, driven(*after) - driven(*trace), 1e-5);
  EXPECT_NE(without.total, without.frozen) << "the norm in front sees it, too";
  const auto parts = withoutParts(trace, asked, whyLevels(*trace, asked, stepsFrom("f1 n1.13")), 9);
  EXPECT_EQ(parts.parts.size(), 9U);
  const auto head =
      std::ranges::find(parts.parts, Writer{WriterKind::head, 1, 2}, &WithoutWriter::writer);
  if (head != parts.parts.end()) {
    EXPECT_EQ(head->total, without.total);
  }
}

/// The strongest step of a network leads to its largest neuron of the sign of its part.
TEST(Neurons, TheStrongestIsFollowed) {
  const ModelTracePtr trace = traceOf("tiny-gpt2");
  const WhyLevel network = whyLevels(*trace, AskedWord{5, 7, 9}, stepsFrom("f1")).back();
  const WhyStep step = strongestStep(network).value();
  ASSERT_EQ(step.kind, Kind::neuron);
  const Neuron& followed = network.neurons->neurons[static_cast<std::size_t>(step.neuron.number)];
  for (const Neuron& neuron : network.neurons->neurons) {
    if (neuron.value * network.value > 0.0) {
      EXPECT_LE(std::abs(neuron.value), std::abs(followed.value));
    }
  }
  EXPECT_GT(followed.value * network.value, 0.0);
}

TEST(Neurons, ThatDoNotExistAreRefused) {
  const auto refused = [](const std::string& model, const std::string& steps,
                          const std::string& why) {
    const ModelTracePtr trace = traceOf(model);
    expectUserError([&] { whyLevels(*trace, AskedWord{5, 7, {}}, stepsFrom(steps)); }, why);
  };
  refused("tiny-gpt2", "n0.3", "give the network first, as in f0");
  refused("tiny-gpt2", "f1 n0.3", "write n1.3");
  refused("tiny-gpt2", "f1 h0.1", "n1.13 goes on to what drives neuron 13");
  refused("tiny-gpt2", "f1 n1.5000", "has 0 to 127");
  refused("tiny-gpt2", "f1 n1.e0.3", "has no experts");
  refused("mixtral", "f1 n1.3", "as in n1.e2.3");
  refused("mixtral", "f1 n1.e99.3", "has the experts 0 to");
  refused("mixtral", "f1 n1.s.3", "no shared one");
  for (const char* wrong : {"n1", "n1.", "n1.e2", "n1.e.3", "n1.3x", "n.3", "n1.3gu"}) {
    expectUserError([&] { stepsFrom(wrong); }, "chain of steps");
  }
}

}  // namespace
}  // namespace headscope::test::models
