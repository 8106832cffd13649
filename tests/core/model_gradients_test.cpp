// Gradients through a whole model: against what hooks on transformers' modules gave in float64,
// against central differences for every family, and what holds of them for any model.
#include "core/model/model_gradients.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/base/random.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/document/trace_gradients.h"
#include "core/model/blocks.h"
#include "core/model/head_output.h"
#include "core/model/norms.h"
#include "core/model/readout.h"
#include "core/tensor/sums.h"
#include "tests/core/support/circuits.h"
#include "tests/core/support/documents.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;
using nlohmann::json;

ModelTracePtr traceOf(const ModelPtr& model, std::vector<Index> ids) {
  return runModel(documentOf(model, std::move(ids)), nullptr, {}, kBudgetBytes);
}

/// The largest difference of two tensors as a part of the largest number of `right`.
double relativeDifference(const Tensor& left, const Tensor& right) {
  EXPECT_EQ(left.shape(), right.shape());
  const std::vector<float> a = left.values(), b = right.values();
  double most = 0.0, size = 1e-30;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    size = std::max(size, std::abs(static_cast<double>(b[i])));
  }
  return most / size;
}

class CircuitGradients : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Models, CircuitGradients,
                         testing::ValuesIn(std::vector<std::string>(std::begin(kCircuits),
                                                                    std::end(kCircuits))),
                         modelTestName);

TEST_P(CircuitGradients, AgreeWithTransformers) {
  const Circuit golden(GetParam());
  const ModelTracePtr trace = golden.pass("clean");
  const std::vector<Index> answers = golden.ids("answers");
  const auto found =
      gradientsOfLogit(trace, trace->tokens() - 1, answers[0], answers[1], {}).value();
  constexpr double kRounding = 1e-5;
  EXPECT_LE(relativeDifference(found.heads, golden.tensor("grad_heads")), kRounding);
  EXPECT_LE(relativeDifference(found.residual, golden.tensor("grad_residual")), kRounding);
}

/// The step of a central difference, as a part of the size of the values. With a larger one the
/// curvature of the first norm shows, with a smaller one the rounding of float32.
constexpr double kStep = 1.0 / 128.0;
/// Twice the largest error seen with this step, as a part of the gradient's length.
constexpr double kRoundingOfDifferences = 7e-4;

/// A number that a model computes from the tokens of one text, and its gradients. The number is the
/// difference of two logits at the last token, or of a model without a readout a random sum over
/// its last state.
class OfEveryModel : public testing::TestWithParam<std::string> {
 protected:
  static constexpr Index kRight = 11, kWrong = 23;

  ModelTracePtr trace_ = traceOf(openedModel(), {5, 17, 40, 8, 61, 33, 12});

  const Model& model() const { return *trace_->document().model; }
  const ModelConfig& config() const { return trace_->config(); }
  Index row() const { return trace_->tokens() - 1; }

  static ModelPtr openedModel() {
    ModelFolder folder(folderOfModel(GetParam()));
    // ReLU bends within a step; its slope is tested by itself and by OPT's golden
    if (GetParam() == "opt") folder.config["activation_function"] = "gelu";
    if (GetParam() == "t5") folder.config["feed_forward_proj"] = "gelu";
    return opened(folder);
  }
  Tensor randomLike(const Shape& shape, std::uint64_t seed) const {
    return randomTensor(shape, seed, "direction", 1.0F);
  }
  Tensor gradLast() const {
    return model().hasReadout() ? gradLastOfLogit(*trace_, row(), kRight, kWrong, {})
                                : randomLike(trace_->last().shape(), 3);
  }
  ModelGradients gradients(const ExecutionContext& execution = {}) const {
    ModelBackward backward(trace_, gradLast(), execution);
    while (!backward.runUnit()) continue;
    return backward.found().value();
  }

  double numberOf(const Tensor& last) const {
    if (!model().hasReadout()) {
      const Tensor factors = gradLast();
      double total = 0.0;
      for (Index i = 0; i < last.size(); ++i) {
        total += static_cast<double>(last.data()[i]) * static_cast<double>(factors.data()[i]);
      }
      return total;
    }
    const Tensor logits = logitsOf(last.slice(1, row(), row() + 1), *model().readout(), config(),
                                   {}, [](Index) { return std::string(); });
    return static_cast<double>(logits.data()[kRight]) - static_cast<double>(logits.data()[kWrong]);
  }
  /// The number where `stream` enters a layer of the document.
  double numberFrom(const ModelDocument& document, Index layer, Tensor stream) const {
    for (; layer < config().layers; ++layer) {
      const LayerWeightsPtr weights = model().layer(layer);
      const TracePtr attention = runAttention(
          layerDocument(document, layer, attentionInput(stream, *weights, config(), {})));
      const Tensor half =
          afterAttention(stream, attention->tensor(TensorId::output), *weights, config(), {});
      stream = afterNetwork(stream, half, *weights, config(), {});
    }
    return numberOf(normalized(stream, model().readout()->norm, config(), {}));
  }

  /// The derivative along a direction of values whose size is `size`, by central differences
  /// extrapolated from two steps. `at` gives the number for changed values.
  template <typename At>
  static double derivative(const Tensor& values, const Tensor& direction, At&& at) {
    const auto slope = [&](double step) {
      const auto changed = [&](double by) {
        Tensor to = values.clone();
        for (Index i = 0; i < to.size(); ++i) {
          to.mutableData()[i] += static_cast<float>(by) * direction.data()[i];
        }
        return at(to);
      };
      return (changed(step) - changed(-step)) / (2.0 * step);
    };
    double squares = 0.0;
    for (const float x : values.values())
      squares += static_cast<double>(x) * static_cast<double>(x);
    const double size = std::sqrt(squares / static_cast<double>(values.size()));
    const double step = kStep * size;
    return (4.0 * slope(step) - slope(2.0 * step)) / 3.0;
  }
  static void expectAlong(const float* gradient, const Tensor& direction, double measured,
                          const std::string& what) {
    double along = 0.0, squares = 0.0;
    for (Index i = 0; i < direction.size(); ++i) {
      along += static_cast<double>(gradient[i]) * static_cast<double>(direction.data()[i]);
      squares += static_cast<double>(gradient[i]) * static_cast<double>(gradient[i]);
    }
    EXPECT_NEAR(along, measured, kRoundingOfDifferences * std::sqrt(squares)) << what;
  }

  void expectCentralDifferences() const {
    const ModelGradients found = gradients();
    for (Index layer = 0; layer < config().layers; ++layer) {
      const Tensor& stream = trace_->hidden(2 * layer);
      const Tensor direction = randomLike(stream.shape(), 5 + static_cast<std::uint64_t>(layer));
      expectAlong(found.residual.data() + layer * stream.size(), direction,
                  derivative(stream, direction,
                             [&](const Tensor& changed) {
                               return numberFrom(trace_->document(), layer, changed);
                             }),
                  fmt::format("stream {}", layer));
      for (const Index head : {Index{0}, config().heads - 1}) {
        const Tensor output = headOutput(*trace_, {layer, head});
        const Tensor along = randomLike(output.shape(), 50 + static_cast<std::uint64_t>(layer));
        expectAlong(found.heads.data() + (layer * config().heads + head) * output.size(), along,
                    derivative(output, along,
                               [&](const Tensor& changed) {
                                 return numberFrom(*withHeadOutput(*trace_, {layer, head}, changed),
                                                   layer, stream);
                               }),
                    fmt::format("head {}.{}", layer, head));
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Models, OfEveryModel, testing::ValuesIn(everyModel()), modelTestName);

TEST_P(OfEveryModel, GradientsAreCentralDifferences) { expectCentralDifferences(); }

/// The backward pass reads the scores behind a pinned weight, which a model's pass does not hold.
TEST_P(OfEveryModel, GradientsOfAnEditedModelAreCentralDifferences) {
  Document edited = *trace_->layer(1)->documentPtr();
  edited.config.switches->temperature *= 1.5;
  edited.config.headGains = std::vector<float>(static_cast<std::size_t>(config().heads), 0.5F);
  edited.pins = Pins::from({{{TensorId::weights, 0, 0, 3, 1}, 0.7F},
                            {{TensorId::rawScores, 0, 1, 4, 2}, 1.5F},
                            {{TensorId::heads, 0, 2, 5, 0}, -0.25F}});
  ASSERT_FALSE(trace_->layer(1)->holds(TensorId::rawScores));
  trace_ = runModel(withLayer(trace_->document(), 1, edited), trace_, {}, kBudgetBytes);
  expectCentralDifferences();
}

TEST_P(OfEveryModel, TheBitsDoNotDependOnThreads) {
  ExecutionContext execution;
  execution.flopsPerThread = 1;
  execution.threads = 1;
  const ModelGradients one = gradients(execution);
  execution.threads = 3;
  const ModelGradients three = gradients(execution);
  EXPECT_EQ(one.heads.values(), three.heads.values());
  EXPECT_EQ(one.residual.values(), three.residual.values());
}

/// The gradient of a layer's output, given to the layer's own backward pass, gives the gradients of
/// all that is in the layer.
TEST_P(OfEveryModel, TheGradientOfALayersOutputGivesThoseOfItsSites) {
  ModelBackward backward(trace_, gradLast(), {}, {Site::q, Site::v});
  while (!backward.runUnit()) continue;
  const ModelGradients found = backward.found().value();
  for (Index layer = 0; layer < config().layers; ++layer) {
    const Tensor output = gradOutputOfLayer(trace_, Stack::decoder, layer, gradLast(), {}).value();
    const GradientsPtr gradients =
        gradientsOf(runAttention(trace_->documentOfLayer(layer, kBudgetBytes)), output, {});
    for (const auto& [site, tensor] :
         {std::pair(Site::heads, TensorId::heads), std::pair(Site::q, TensorId::q),
          std::pair(Site::v, TensorId::v)}) {
      EXPECT_LE(relativeDifference(
                    found.inLayer(site, layer),
                    gradients->tensor(tensor).clone().reshaped(found.inLayer(site, layer).shape())),
                1e-6)
          << static_cast<int>(site) << ' ' << layer;
    }
  }
}

TEST_P(OfEveryModel, AttributionOfASmallDifferenceIsItsEffect) {
  const ModelGradients found = gradients();
  const HeadOfLayer head{config().layers - 1, 1};
  Tensor rows = headOutput(*trace_, head);
  const Tensor along = found.heads.slice(0, head.layer, head.layer + 1).slice(1, 1, 2).clone();
  const float largest = std::ranges::max(along.values(), {}, [](float x) { return std::abs(x); });
  for (Index i = 0; i < rows.size(); ++i) {
    rows.mutableData()[i] += 0.002F / largest * along.data()[i];
  }
  const double effect = numberFrom(*withHeadOutput(*trace_, head, rows), 0, trace_->hidden(0)) -
                        numberFrom(trace_->document(), 0, trace_->hidden(0));
  double estimate = 0.0;
  const Tensor own = headOutput(*trace_, head);
  for (Index i = 0; i < rows.size(); ++i) {
    estimate +=
        static_cast<double>(along.data()[i]) * static_cast<double>(rows.data()[i] - own.data()[i]);
  }
  EXPECT_NEAR(estimate / effect, 1.0, 0.01);
}

TEST(ModelGradients, EndWhereTheyAreCancelled) {
  const Circuit circuit("tiny-gpt2");
  const ModelTracePtr trace = circuit.pass("clean");
  std::atomic<bool> cancelled = false;
  ExecutionContext execution;
  execution.cancelled = &cancelled;
  ModelBackward backward(trace, gradLastOfLogit(*trace, 2, 5, std::nullopt, {}), execution);
  EXPECT_FALSE(backward.runUnit());
  EXPECT_FALSE(backward.found());
  cancelled = true;
  EXPECT_TRUE(backward.runUnit());
  EXPECT_FALSE(backward.found());
  EXPECT_FALSE(gradientsOfLogit(trace, 2, 5, std::nullopt, execution));
}

/// A stream that is nearly 0, which the final norm makes larger, and a huge gain behind it.
TEST(ModelGradients, ThatOverflowAreNoResults) {
  ModelFolder m("tiny-gpt2");
  m.config["tie_word_embeddings"] = false;
  m.tensors["lm_head.weight"] = m.tensors.at("transformer.wte.weight");
  for (const char* table : {"transformer.wte.weight", "transformer.wpe.weight"}) {
    m.tensors[table] = scaled(m.tensors.at(table), 1e-4, {});
  }
  for (const char* half : {"attn", "mlp"}) {
    for (const char* layer : {"0", "1"}) {
      const std::string name = fmt::format("transformer.h.{}.{}.c_proj.", layer, half);
      m.fill(name + "weight", 0.0F);
      m.fill(name + "bias", 0.0F);
    }
  }
  m.fill("transformer.ln_f.weight", 3e37F);
  const ModelTracePtr trace = traceOf(opened(m), {1, 65});
  EXPECT_TRUE(std::isfinite(trace->logits(1, 1).data()[5]));
  expectUserError([&] { gradientsOfLogit(trace, 1, 5, std::nullopt, {}); },
                  "the gradient of layer 2's input in ", "overflows a 32-bit float");
}

TEST(ModelGradients, RefuseWhatIsNotThere) {
  const Circuit circuit("tiny-gpt2");
  const ModelTracePtr trace = circuit.pass("clean");
  const auto refused = [&](Index row, Index word, std::optional<Index> other, const char* why) {
    expectUserError([&] { gradientsOfLogit(trace, row, word, other, {}); }, why);
  };
  refused(trace->tokens(), 5, std::nullopt, "there is no token");
  refused(0, -1, std::nullopt, "id -1 is not a token");
  refused(0, 1, 400, "id 400 is not a token");
  const ModelTracePtr clip =
      traceOf(formats::openModel(modelData("families/clip_text_model"), kBudgetBytes), {1, 2});
  expectUserError([&] { gradientsOfLogit(clip, 0, 1, {}, {}); }, "no language-model head");
}

}  // namespace
}  // namespace headscope::test::models
