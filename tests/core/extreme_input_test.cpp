// Numbers at the ends of float32: what overflows is refused by name, all else stays finite.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention/switches.h"
#include "tests/core/support/cases.h"
#include "tests/core/support/reference.h"
#include "tests/core/test_files.h"

namespace headscope::test {
namespace {

/// A document with one value of x, and with all weights scaled.
DocumentPtr scaled(const AttentionConfig& c, float x, float weights) {
  Weights w = randomWeights(c, 1);
  for (Tensor* t : {&w.wQ, &w.wK, &w.wV, &w.wO}) {
    for (Index n = 0; n < t->size(); ++n) t->mutableData()[n] *= weights;
  }
  Tensor all = Tensor::uninitialised(shapeOf(TensorId::x, c));
  std::fill_n(all.mutableData(), all.size(), x);
  return documentOf(c, all, {}, w);
}

void expectAllFinite(const Trace& trace) {
  for (std::size_t i = kFirstResult; i < kTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    if (id == TensorId::maskedScores) continue;
    for (const float value : trace.materialise(id).values()) {
      ASSERT_TRUE(std::isfinite(value)) << info(id).name;
    }
  }
}

TEST(ExtremeInput, OverflowIsRefusedWithTensorAndIndex) {
  const AttentionConfig c = sized(8, 2, 3);
  expectUserError([&] { runAttention(scaled(c, 1e30F, 1e10F)); }, "q_proj[0, 0, 0]",
                  "does not fit a 32-bit float", "scale them down");
  expectUserError([&] { runAttention(scaled(c, 1e30F, 1.0F)); }, "raw_scores[0, 0, 0, 0]");
  expectUserError(
      [&] {
        runAttention(changed(randomDocument(c), [](Document& d) {
          d.weights.wO = d.weights.wO.clone();
          for (Index j = 0; j < 8; ++j) d.weights.wO.mutableData()[5 * 8 + j] = 3e38F;
          d.weights.bO = d.weights.bO.clone();
          d.weights.bO.mutableData()[5] = 3e38F;
          for (Tensor* t : {&d.weights.wV, &d.weights.bV}) {
            *t = t->clone();
            std::fill_n(t->mutableData(), t->size(), 0.0F);
          }
          std::fill_n(d.weights.bV.mutableData(), 8, 2.0F);
        }));
      },
      "output[0, 0, 5]");
}

/// Raw scores within float32 may overflow once they are divided by a small temperature.
TEST(ExtremeInput, ScoresThatTheTemperatureMakesTooLargeAreRefused) {
  AttentionConfig c = sized(8, 2, 3);
  c.switches->temperature = 1e-10;
  const DocumentPtr document = scaled(c, 1e15F, 1.0F);
  expectUserError([&] { runAttention(document); }, "scores[0, 0, 0, 0]", "temperature");
  const DocumentPtr warm =
      changed(document, [](Document& d) { d.config.switches->temperature = 1.0; });
  const TracePtr good = runAttention(warm);
  expectUserError([&] { runAttention(document, good); }, "scores[0, 0, 0, 0]", "temperature");
  c.headGains = {0.0F, 0.0F};  // no head's result shows it
  const DocumentPtr off = scaled(c, 1e15F, 1.0F);
  expectUserError([&] { runAttention(off); }, "scores[0, 0, 0, 0]", "temperature");
}

TEST(ExtremeInput, LargeScoresGiveOneHotWeights) {
  const TracePtr trace = runAttention(randomDocument(sized(8, 2, 6)));
  const DocumentPtr steep =
      changed(trace->documentPtr(), [](Document& d) { d.config.switches->temperature = 1e-6; });
  const TracePtr hot = runAttention(steep);
  expectAllFinite(*hot);
  for (const float weight : hot->tensor(TensorId::weights).values()) {
    EXPECT_TRUE(weight == 0.0F || weight == 1.0F) << weight;
  }
}

TEST(ExtremeInput, DenormalsAndZerosGiveUniformWeights) {
  for (const float x : {1e-40F, 0.0F, std::numeric_limits<float>::denorm_min()}) {
    const TracePtr trace = runAttention(scaled(sized(8, 2, 4), x, 1.0F));
    expectAllFinite(*trace);
    for (const float weight : trace->tensor(TensorId::weights).values()) {
      EXPECT_NEAR(weight, 0.25F, 1e-6F);
    }
  }
}

TEST(ExtremeInput, EqualTokensShareTheirAttentionEvenly) {
  AttentionConfig c = sized(8, 2, 4);
  c.mask.causal = true;
  const TracePtr trace = runAttention(scaled(c, 1.0F, 1.0F));
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 4; ++j) {
      EXPECT_NEAR(trace->tensor(TensorId::weights).at({0, 1, i, j}),
                  j <= i ? 1.0 / static_cast<double>(i + 1) : 0.0, 1e-6);
    }
  }
}

/// A forbidden score far above the allowed ones leaves the softmax of these alone.
TEST(ExtremeInput, ForbiddenScoresDoNotDisturbTheRest) {
  AttentionConfig c = sized(4, 1, 3);
  c.switches->scale = false;
  c.mask.painted = painted(3, 3, {1, 0, 1, 1, 0, 1, 1, 0, 1});
  const DocumentPtr document = documentOf(
      c, Tensor::fromValues({1, 3, 4}, std::vector<float>{1, 2, 0, 1, 90, 90, 90, 90, 0, 1, 1, 0}),
      {}, drawWeights(c, WeightInit::identity, 1));
  const TracePtr trace = runAttention(document);
  expectAllFinite(*trace);
  for (const auto& [id, expected] : referencePass(*document)) {
    expectClose(trace->materialise(id), expected, std::string(info(id).name));
  }
}

}  // namespace
}  // namespace headscope::test
