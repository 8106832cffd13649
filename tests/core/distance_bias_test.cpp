// A bias by distance as an operand: its matrix of pairs, the edits of its numbers, which all pairs
// at their distances have, and its words.
#include <gtest/gtest.h>

#include "core/attention/pair_bias.h"
#include "core/attention/steps/step.h"
#include "core/document/trace.h"
#include "core/model/edited_layer.h"
#include "core/model/model_trace.h"
#include "core/words/bucket_words.h"
#include "core/words/cells.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/model_folders.h"
#include "tests/core/support/passes.h"

namespace headscope::test {
namespace {

constexpr Index kTokens = 12;

/// Two heads over twelve tokens, with eight buckets: in each direction the distances 0 and 1, and
/// two that share farther ones.
DocumentPtr biased(bool bothWays) {
  PairBias::Settings s{.values = {}, .buckets = 8, .maxDistance = 8, .bothWays = bothWays};
  for (Index i = 0; i < 16; ++i) s.values.push_back(0.25F * static_cast<float>(i) - 1.0F);
  AttentionConfig c = sized(8, 2, kTokens);
  c.pairBias = PairBias(std::move(s));
  return randomDocument(c);
}

CellRef bias(Index head, Index row, Index col) { return {TensorId::pairBias, -1, head, row, col}; }

TEST(DistanceBias, ItsMatrixHasTheNumberOfEachDistance) {
  const DocumentPtr document = biased(true);
  const TracePtr trace = runAttention(document);
  const Tensor whole = trace->materialise(TensorId::pairBias);
  EXPECT_EQ(whole.shape(), (Shape{2, kTokens, kTokens}));
  for (Index head = 0; head < 2; ++head) {
    for (Index row = 0; row < kTokens; ++row) {
      for (Index col = 0; col < kTokens; ++col) {
        const float expected = document->config.pairBias.at(head, row, col);
        EXPECT_EQ(trace->value(bias(head, row, col)), expected);
        EXPECT_EQ(whole.at({head, row, col}), expected);
      }
    }
  }
  const Explanation e = explainCell(*trace, {TensorId::maskedScores, 0, 1, 7, 2});
  ASSERT_EQ(e.terms.size(), 2U);
  EXPECT_EQ(e.terms[1].cells, std::vector<CellRef>{bias(1, 7, 2)});
  EXPECT_TRUE(isBiased(e));
}

TEST(DistanceBias, AnEditOfACellChangesAllPairsOfItsBucket) {
  const DocumentPtr before = biased(true);
  const TracePtr pass = runAttention(before);
  const DocumentPtr after = edited(before, SetCell{bias(1, 7, 2), 3.5F});
  const TracePtr again = runAttention(after, pass), fresh = runAttention(after);
  const Index bucket = before->config.pairBias.bucketOf(-5);
  Index changed = 0;
  for (Index row = 0; row < kTokens; ++row) {
    for (Index col = 0; col < kTokens; ++col) {
      const bool shares = before->config.pairBias.bucketOf(col - row) == bucket;
      changed += shares ? 1 : 0;
      EXPECT_EQ(again->value(bias(1, row, col)), shares ? 3.5F : pass->value(bias(1, row, col)));
      EXPECT_EQ(again->value(bias(0, row, col)), pass->value(bias(0, row, col)));
    }
  }
  EXPECT_GT(changed, kTokens) << "far distances share a number";
  for (const TensorId id : {TensorId::maskedScores, TensorId::weights, TensorId::output}) {
    EXPECT_TRUE(sameBits(again->materialise(id), fresh->materialise(id))) << info(id).name;
  }
  EXPECT_FALSE(again->run(StepId::scale).ran);
  EXPECT_TRUE(again->run(StepId::mask).ran);
  EXPECT_FALSE(after->config.pairBias.ofPairs());
}

TEST(DistanceBias, ARegionHasOneNumberForEachDistance) {
  const DocumentPtr before = biased(true);
  const Region row{TensorId::pairBias, -1, 5, 1, 0, kTokens, 1};
  const DocumentPtr zero = edited(before, FillRegion{row, FillZero{}});
  EXPECT_EQ(runAttention(zero)->value(bias(1, 0, 11)), 0.0F);
  EXPECT_NE(runAttention(zero)->value(bias(0, 0, 11)), 0.0F);
  const Region whole{TensorId::pairBias, -1, 0, kTokens, 0, kTokens, 1};
  const DocumentPtr drawn = edited(before, FillRegion{whole, FillDrawn{WeightInit::normal, 3}});
  EXPECT_NE(drawn->config.pairBias, before->config.pairBias);
  const DocumentPtr doubled = edited(before, FillRegion{whole, FillScaled{2.0}});
  EXPECT_EQ(runAttention(doubled)->value(bias(1, 3, 3)),
            2.0F * runAttention(before)->value(bias(1, 3, 3)));
  Tensor values = Tensor::zeros({1, kTokens});
  values.mutableMatrix()(0, 0) = 1.0F;
  expectRefused(before, FillRegion{row, FillValues{values}}, "", "share their bias", "1 and 0",
                "bucket");
}

TEST(DistanceBias, ABucketIsNamedByItsDistances) {
  const PairBias both = biased(true)->config.pairBias, before = biased(false)->config.pairBias;
  EXPECT_EQ(bucketInWords(both, 0), "bucket 1 of 8: the query's own token");
  EXPECT_EQ(bucketInWords(both, -1), "bucket 2 of 8: 1 token before");
  EXPECT_EQ(bucketInWords(both, -3), "bucket 3 of 8: 2 to 3 tokens before");
  EXPECT_EQ(bucketInWords(both, 9), "bucket 8 of 8: 4 or more tokens after");
  EXPECT_EQ(bucketInWords(before, 2), "bucket 1 of 8: the query's own token or later");
}

/// An edit within a model is of its layer alone, and runs as a fresh pass does.
TEST(DistanceBias, IsEditedInALayerOfT5) {
  const model::ModelPtr t5 = formats::openModel(modelFolder("t5"), kBudget);
  const auto document = documentOf(t5, {5, 17, 40, 8, 66}, {7, 3, 40, 12, 5, 9});
  const auto pass = model::runModel(document, nullptr, {}, kBudget);
  const DocumentPtr own = pass->documentOfLayer(2, kBudget);
  const DocumentPtr after = edited(own, SetCell{bias(2, 3, 1), 5.0F});
  const auto changed = model::withLayer(*document, 2, *after);
  const auto again = model::runModel(changed, pass, {}, kBudget);
  const auto fresh = model::runModel(changed, nullptr, {}, kBudget);
  EXPECT_EQ(again->layer(2)->value(bias(2, 4, 2)), 5.0F);
  EXPECT_NE(again->layer(0)->value(bias(2, 4, 2)), 5.0F);
  EXPECT_NE(again->logits(4, 1).values(), pass->logits(4, 1).values());
  EXPECT_EQ(again->logits(0, 5).values(), fresh->logits(0, 5).values());
}

}  // namespace
}  // namespace headscope::test
