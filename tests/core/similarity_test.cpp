#include "core/analysis/similarity.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/analysis/head_effect.h"
#include "core/analysis/weight_readings.h"
#include "tests/core/support/goldens.h"
#include "tests/core/support/head_reference.h"
#include "tests/core/support/patterns.h"

namespace headscope::test {
namespace {

void expectTheReferenceSimilarity(const DocumentPtr& document, const std::string& name) {
  const TracePtr trace = runAttention(document);
  const AttentionConfig& c = trace->config();
  const auto mean = headSimilarity(*trace, std::nullopt);
  std::vector<HeadSimilarity> items;
  for (Index i = 0; i < c.batch; ++i) items.push_back(*headSimilarity(*trace, i));
  for (Index a = 0; a < c.numHeads; ++a) {
    for (Index b = 0; b < c.numHeads; ++b) {
      NaiveMean expectedMean;
      for (Index i = 0; i < c.batch; ++i) {
        const HeadSimilarity& item = items[static_cast<std::size_t>(i)];
        const auto expected = HeadReference(*trace, i).similarity(a, b);
        ASSERT_EQ(item.defined(), expected.has_value()) << name;
        if (!expected) continue;
        EXPECT_NEAR(item(a, b), *expected, 2e-6) << fmt::format("{}: {} and {}", name, a, b);
        EXPECT_EQ(item(a, b), item(b, a));
        if (a == b) {
          EXPECT_EQ(item(a, b), 1.0);
        }
        expectedMean.add(item(a, b));
      }
      ASSERT_EQ(mean->defined(), expectedMean.value().has_value()) << name;
      if (mean->defined()) {
        EXPECT_NEAR((*mean)(a, b), *expectedMean.value(), 1e-12);
      }
    }
  }
}

TEST(Similarity, IsTheReferencesOnTheGoldens) {
  for (const char* name : kGoldens) {
    expectTheReferenceSimilarity(goldenDocument(SafetensorsFile(golden(name))), name);
  }
}

TEST(Similarity, IsTheReferencesInEveryCase) {
  for (const Case& each : allCases())
    expectTheReferenceSimilarity(randomDocument(each.config), each.name);
  for (const Case& each : whatIfCases()) {
    expectTheReferenceSimilarity(randomDocument(each.config), each.name);
  }
}

/// All measures of the weights are equal for a pass that does not hold them.
TEST(Similarity, AndMetricsAreTheSameOfAPassThatHoldsNoScores) {
  AttentionConfig c = sized(64, 8, 150, 4);
  c.mask.causal = true;
  const DocumentPtr document = randomDocument(c);
  const TracePtr held = runAttention(document);
  const TracePtr rows =
      runAttention(changed(document, [](Document& d) { d.scoreStorage = ScoreStorage::none; }));
  const Tensor weights = *meanWeights(*held, 0, {});
  EXPECT_TRUE(sameBits(*meanWeights(*rows, 0, {}), weights));
  EXPECT_EQ(headSimilarity(*rows, 0)->values, headSimilarity(*held, 0)->values);
  const auto metrics = headMetrics(*held, 0, {});
  const auto again = headMetrics(*rows, 0, {});
  for (std::size_t h = 0; h < metrics->size(); ++h) {
    for (const MetricInfo& m : allMetrics()) {
      EXPECT_EQ((*again)[h][m.metric], (*metrics)[h][m.metric]) << m.key;
    }
  }
  const Tensor off = outputWithGain(*held, 0, 3, 0.0F);
  expectClose(outputWithGain(*rows, 0, 3, 0.0F), off.values(), "output", 1e-5);
}

TEST(Similarity, OfWeightsAloneIsThatOfTheirPass) {
  for (const bool causal : {false, true}) {
    AttentionConfig config = sized(24, 6, 9);
    config.batch = 3;
    config.mask.causal = causal;
    const TracePtr trace = runAttention(randomDocument(config));
    const auto ofPass = headSimilarity(*trace, std::nullopt);
    const auto ofWeights = headSimilarity(trace->tensor(TensorId::weights));
    ASSERT_EQ(ofWeights->heads, 6);
    for (std::size_t i = 0; i < ofPass->values.size(); ++i) {
      EXPECT_NEAR(ofWeights->values[i], ofPass->values[i], 1e-7);
    }
  }
}

TEST(Similarity, OfOneHeadIsOne) {
  const auto similarity = headSimilarity(*runAttention(randomDocument(sized(8, 1, 4))), 0);
  EXPECT_EQ(similarity->values, std::vector<double>{1.0});
  const HeadTree tree = clusterHeads(*similarity);
  EXPECT_TRUE(tree.merges.empty());
  EXPECT_EQ(tree.order, std::vector<Index>{0});
  EXPECT_EQ(clustersAt(tree, 0.5).count, 1);
}

TEST(Similarity, IsZeroWhereNothingIsShared) {
  const auto trace = patterned(sized(16, 4, 4), [](Index h, Index i, Index j) {
    return h < 2 ? identity(h, i, j) : j == (i + 1) % 4 ? 1.0F : 0.0F;
  });
  const auto similarity = headSimilarity(*trace, 0);
  EXPECT_EQ((*similarity)(0, 1), 1.0);
  EXPECT_EQ((*similarity)(0, 2), 0.0);
  EXPECT_EQ((*similarity)(2, 3), 1.0);
}

TEST(Similarity, SaysWhyItIsNotDefined) {
  const auto trace = runAttention(
      randomDocument(with(sized(8, 2, 4), [](AttentionConfig& c) { c.mask.lengths = {0}; })));
  const auto similarity = headSimilarity(*trace, 0);
  EXPECT_FALSE(similarity->defined());
  EXPECT_EQ(similarity->why, "every row is fully masked");
}

TEST(Similarity, IsTheSameOnAnyNumberOfThreads) {
  const auto trace = runAttention(randomDocument(sized(64, 8, 300)));
  EXPECT_EQ(headSimilarity(*trace, 0, {1, nullptr, nullptr})->values,
            headSimilarity(*trace, 0, {3, nullptr, nullptr})->values);
}

TEST(Similarity, GivesNothingWhereCancelled) {
  const std::atomic<bool> cancelled{true};
  const auto trace = runAttention(randomDocument(sized(8, 2, 4)));
  EXPECT_FALSE(headSimilarity(*trace, 0, {0, &cancelled, nullptr}).has_value());
}

HeadSimilarity given(Index heads, std::vector<double> values) {
  return {heads, std::move(values), {}};
}

/// Heads 0, 2 and 4 are alike, 1 and 3 are; 2 lies between 0 and 4.
HeadSimilarity twoGroups() {
  return given(5, {1.0, 0.1, 0.9,  0.2,  0.7,   //
                   0.1, 1.0, 0.1,  0.8,  0.1,   //
                   0.9, 0.1, 1.0,  0.1,  0.85,  //
                   0.2, 0.8, 0.1,  1.0,  0.15,  //
                   0.7, 0.1, 0.85, 0.15, 1.0});
}

TEST(HeadTree, JoinsByTheMeanOfAllPairs) {
  const HeadTree tree = clusterHeads(twoGroups());
  ASSERT_EQ(tree.merges.size(), 4U);
  const auto expectMerge = [&](std::size_t m, Index left, Index right, double similarity) {
    EXPECT_EQ(tree.merges[m].left, left);
    EXPECT_EQ(tree.merges[m].right, right);
    EXPECT_NEAR(tree.merges[m].similarity, similarity, 1e-12);
  };
  expectMerge(0, 0, 2, 0.9);
  expectMerge(1, 1, 3, 0.8);
  expectMerge(2, 5, 4, (0.7 + 0.85) / 2);
  expectMerge(3, 7, 6, (0.1 + 0.2 + 0.1 + 0.1 + 0.1 + 0.15) / 6);
}

TEST(HeadTree, PutsAlikeOnesNextToEachOther) {
  // 4 is next to 2 and not to 0; 0 is next to 3, to which it is more similar than 4 is
  EXPECT_EQ(clusterHeads(twoGroups()).order, (std::vector<Index>{4, 2, 0, 3, 1}));
}

TEST(HeadTree, TurnsTheClusterThatTouchesWithItsFarEnd) {
  const HeadTree tree = clusterHeads(given(3, {1.0, 0.2, 0.5,  //
                                               0.2, 1.0, 0.9,  //
                                               0.5, 0.9, 1.0}));
  EXPECT_EQ(tree.order, (std::vector<Index>{0, 2, 1}));
}

TEST(HeadTree, OfEquallyAlikeTheLowerHeadsJoinFirst) {
  const HeadTree tree = clusterHeads(given(4, std::vector<double>(16, 1.0)));
  EXPECT_EQ(tree.merges[0].left, 0);
  EXPECT_EQ(tree.merges[0].right, 1);
  EXPECT_EQ(tree.order, (std::vector<Index>{0, 1, 2, 3}));
}

TEST(HeadTree, AClusterEndsAtTheCut) {
  const HeadTree tree = clusterHeads(twoGroups());
  EXPECT_EQ(clustersAt(tree, 0.95).count, 5);
  EXPECT_EQ(clustersAt(tree, 0.9).count, 4);
  EXPECT_EQ(clustersAt(tree, 0.8).count, 3);
  const HeadClusters two = clustersAt(tree, 0.5);
  EXPECT_EQ(two.count, 2);
  EXPECT_EQ(two.of, (std::vector<Index>{0, 1, 0, 1, 0}));
  EXPECT_EQ(clustersAt(tree, 0.0).count, 1);
}

/// The order has every head once, for any similarities.
TEST(HeadTree, OrderIsAPermutation) {
  const auto trace = runAttention(randomDocument(sized(96, 24, 12)));
  HeadTree tree = clusterHeads(*headSimilarity(*trace, 0));
  for (std::size_t m = 1; m < tree.merges.size(); ++m) {
    EXPECT_LE(tree.merges[m].similarity, tree.merges[m - 1].similarity + 1e-12);
  }
  std::sort(tree.order.begin(), tree.order.end());
  for (Index h = 0; h < 24; ++h) EXPECT_EQ(tree.order[static_cast<std::size_t>(h)], h);
}

}  // namespace
}  // namespace headscope::test
