#include "core/analysis/sharpness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/attention/switches.h"
#include "tests/core/support/cases.h"
#include "tests/core/support/reference.h"

namespace headscope::test {
namespace {

/// Checks that each row of a trace equals its rowWeights at the document's own sharpness, bit for
/// bit.
void expectTheStepsRows(const Trace& trace, const std::string& name) {
  const AttentionConfig& c = trace.config();
  std::vector<float> row(static_cast<std::size_t>(c.keys()));
  for (Index item = 0; item < c.batch; ++item) {
    for (Index head = 0; head < c.numHeads; ++head) {
      for (Index query = 0; query < c.seqLen; ++query) {
        trace.tile(TensorId::weights, item, head, query, 1, 0, c.keys(), row.data());
        const auto weights = rowWeights(trace, {item, head, query}, sharpnessOf(c));
        ASSERT_EQ(weights.size(), row.size());
        EXPECT_EQ(std::memcmp(weights.data(), row.data(), row.size() * sizeof(float)), 0)
            << name << ", query " << query;
      }
    }
  }
}

TracePtr traceOf(const DocumentPtr& document) { return runAttention(document); }

TEST(RowDistribution, IsTheStepsOwnSoftmaxBitForBit) {
  std::vector<Case> cases = allCases();
  for (Case& each : switchCases()) cases.push_back(std::move(each));
  for (const Case& each : cases) {
    if (each.config.dropout.on() || each.config.mistakes.softmaxOverQueries) continue;
    expectTheStepsRows(*traceOf(randomDocument(each.config)), each.name);
  }
}

TEST(RowDistribution, UsesPinnedScoresAndZerosForMasked) {
  const auto document = changed(randomDocument(sized(16, 2, 5)), [](Document& d) {
    d.config.mask.causal = true;
    d.config.mistakes.zeroForMasked = true;
    d.pins = d.pins.with({{TensorId::scores, 0, 1, 2, 1}, 4.0F})
                 .with({{TensorId::rawScores, 0, 0, 3, 0}, -9.0F});
  });
  expectTheStepsRows(*traceOf(document), "pinned");
}

TEST(RowDistribution, AtAnotherSharpnessIsWhatADocumentOfThatGives) {
  const auto document = randomDocument(sized(32, 2, 7));
  for (const Sharpness s : {Sharpness{true, 0.05}, {false, 1.0}, {false, 20.0}, {true, 3.0}}) {
    const auto other = traceOf(changed(document, [&](Document& d) {
      d.config.switches->scale = s.scale;
      d.config.switches->temperature = s.temperature;
    }));
    std::vector<float> row(7);
    other->tile(TensorId::weights, 0, 1, 4, 1, 0, 7, row.data());
    EXPECT_EQ(rowWeights(*traceOf(document), {0, 1, 4}, s), row) << s.temperature;
  }
}

/// A score far below the sink gets no weight, also where it does not fit a 32-bit float.
TEST(RowDistribution, TheSinkTakesAllFromScoresFarBelowIt) {
  AttentionConfig c = sized(16, 4, 5);
  c.sinks = {1.0F, 1.0F, 1.0F, 1.0F};
  const auto trace = traceOf(randomDocument(c));
  int rows = 0;
  for (Index head = 0; head < 4; ++head) {
    for (Index query = 0; query < 5; ++query) {
      const auto scores = trace->tensor(TensorId::rawScores).matrix({0, head}).row(query);
      if (std::ranges::max(scores) >= 0.0F) continue;
      ++rows;
      for (const float weight : rowWeights(*trace, {0, head, query}, {true, 1e-45}))
        EXPECT_EQ(weight, 0.0F);
    }
  }
  EXPECT_GT(rows, 0);
}

TEST(RowDistribution, DropoutAndPinnedWeightsComeAfterIt) {
  const auto document = randomDocument(sized(16, 2, 5));
  const auto after = changed(document, [](Document& d) {
    d.config.dropout.rate = 0.5;
    d.pins = d.pins.with({{TensorId::weights, 0, 0, 1, 1}, 0.9F});
  });
  EXPECT_EQ(rowWeights(*traceOf(after), {0, 0, 1}, {}),
            rowWeights(*traceOf(document), {0, 0, 1}, {}));
}

TEST(Spread, NumbersOfKnownDistributions) {
  const Spread even = spreadOf(std::vector<float>{0.25F, 0.25F, 0.0F, 0.25F, 0.25F});
  EXPECT_NEAR(even.entropy, 2.0, 1e-7);
  EXPECT_NEAR(even.effectiveKeys, 4.0, 1e-6);
  EXPECT_DOUBLE_EQ(even.largest, 0.25);
  const Spread skewed = spreadOf(std::vector<float>{0.125F, 0.125F, 0.75F});
  EXPECT_NEAR(skewed.entropy, 2 * 0.125 * 3 - 0.75 * std::log2(0.75), 1e-7);
  EXPECT_EQ(skewed.largestKey, 2);
  const Spread one = spreadOf(std::vector<float>{0.0F, 1.0F});
  EXPECT_EQ(one.entropy, 0.0);
  EXPECT_FALSE(std::signbit(one.entropy));
  EXPECT_DOUBLE_EQ(one.effectiveKeys, 1.0);
  const Spread none = spreadOf(std::vector<float>{0.0F, 0.0F});
  EXPECT_EQ(none.entropy, 0.0);
  EXPECT_EQ(none.effectiveKeys, 0.0);
  EXPECT_EQ(none.largest, 0.0);
}

TEST(EntropyCurve, RisesFromTheLargestKeyAloneToAllKeysAlike) {
  const auto trace = traceOf(
      randomDocument(with(sized(64, 2, 9), [](AttentionConfig& c) { c.mask.causal = true; })));
  const RowRef row{0, 1, 6};
  EXPECT_EQ(keysTakingPart(trace->config(), row), 7);
  const auto at = temperatures(0.05, 20.0, 21);
  ASSERT_EQ(at.size(), 21U);
  EXPECT_DOUBLE_EQ(at.front(), 0.05);
  EXPECT_NEAR(at[10], 1.0, 1e-12);
  EXPECT_NEAR(at.back(), 20.0, 1e-12);
  const auto scaled = entropyCurve(*trace, row, true, at);
  const auto plain = entropyCurve(*trace, row, false, at);
  ASSERT_EQ(scaled.size(), at.size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (i > 0) {
      EXPECT_GE(scaled[i], scaled[i - 1]);
    }
    EXPECT_LT(plain[i], scaled[i]);  // √32 sharper
    EXPECT_LE(scaled[i], std::log2(7.0) + 1e-6);
  }
  EXPECT_GT(scaled.back(), 0.99 * std::log2(7.0));
  EXPECT_DOUBLE_EQ(scaled[10], spreadOf(rowWeights(*trace, row, {true, at[10]})).entropy);
}

TEST(ScoreVariance, DrawnOnesFollowDk) {
  const auto found = drawnVariances(1);
  ASSERT_EQ(found.size(), 10U);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].dK, Index{1} << i);
    // of 256 pairs: within 4 standard errors, √(2/256) each, more where the product is not normal
    const auto dK = static_cast<double>(found[i].dK);
    EXPECT_NEAR(found[i].variance / dK, 1.0, 4 * std::sqrt((2.0 + 6.0 / dK) / 256));
  }
  const auto again = drawnVariances(1);
  EXPECT_EQ(again[5].variance, found[5].variance);
  EXPECT_NE(drawnVariances(2)[5].variance, found[5].variance);
}

TEST(ScoreVariance, OfAHeadIsThatOfItsScores) {
  for (const bool scale : {true, false}) {
    AttentionConfig c = sized(48, 3, 6);
    c.switches->scale = scale;
    c.switches->temperature = 2.0;
    const auto trace = traceOf(randomDocument(c));
    const auto naive = [&](TensorId tensor) {
      double mean = 0.0;
      double square = 0.0;
      for (Index i = 0; i < 36; ++i) {
        const double s = trace->value({tensor, 0, 2, i / 6, i % 6});
        mean += s / 36;
        square += s * s / 36;
      }
      return square - mean * mean;
    };
    const HeadVariance found = headVariance(*trace, 0, 2);
    EXPECT_NEAR(found.raw, naive(TensorId::rawScores), 1e-9 * found.raw);
    EXPECT_NEAR(found.scores, naive(TensorId::scores), 1e-9 * found.scores);
    EXPECT_NEAR(found.raw / found.scores, (scale ? 16 : 1) * 4.0, 1e-4);
  }
}

}  // namespace
}  // namespace headscope::test
