// The same input with other numbers of heads, and one head asked to do what two do.
#include "core/analysis/head_count.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/analysis/two_in_one.h"
#include "core/attention.h"
#include "core/error.h"
#include "core/presets.h"
#include "core/weights/designed_heads.h"

namespace headscope {
namespace {

constexpr Index kBudget = Index{2} << 30;

DocumentPtr preset(const char* name, WeightInit init = WeightInit::xavier) {
  return makePreset(presetByName(name), WeightSource{init, 1, {}}, kBudget);
}

TEST(HeadCount, TakesTheDivisorsOfTheWidthUpTo64) {
  AttentionConfig c;
  c.dModel = 768;
  EXPECT_EQ(headCounts(c), (std::vector<Index>{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}));
  c.dModel = 7;
  EXPECT_EQ(headCounts(c), (std::vector<Index>{1, 7}));
}

TEST(HeadCount, ProjectionsAndParametersStayAndScoresGrow) {
  const DocumentPtr document = preset("original-transformer");
  const auto one = measureHeadCount(*document, 1, kBudget);
  const auto sixteen = measureHeadCount(*document, 16, kBudget);
  ASSERT_TRUE(one && sixteen);
  EXPECT_EQ(one->cost.parameters, sixteen->cost.parameters);
  EXPECT_EQ(one->cost.projectionFlops, sixteen->cost.projectionFlops);
  EXPECT_EQ(sixteen->cost.scoreValues, 16 * one->cost.scoreValues);
  EXPECT_GT(sixteen->cost.flops, one->cost.flops);
  EXPECT_GT(sixteen->heldBytes, one->heldBytes);
  EXPECT_TRUE(one->ran());
  EXPECT_EQ(one->distinct(0.9), 1);
}

TEST(HeadCount, HeadsThatAttendAlikeCountAsOne) {
  // the smallest temperature's opposite: all scores 0, so every head is uniform
  const DocumentPtr document = preset("original-transformer");
  Document flat = *document;
  flat.weights.wQ = Tensor::zeros(flat.weights.wQ.shape());
  flat.weights.bQ = Tensor::zeros(flat.weights.bQ.shape());
  flat.weightSource.loadedFrom = "zeros";
  const auto point = measureHeadCount(flat, 8, kBudget);
  ASSERT_TRUE(point);
  EXPECT_EQ(point->distinct(0.99), 1);
}

TEST(HeadCount, SaysWhyACountCannotBeRun) {
  const DocumentPtr document = preset("original-transformer");
  const auto point = measureHeadCount(*document, 7, kBudget);
  ASSERT_TRUE(point);
  EXPECT_FALSE(point->ran());
  EXPECT_NE(point->why.find("7"), std::string::npos);
  EXPECT_FALSE(point->distinct(0.9));
}

/// Two relations on three keys, straight from the sum of their scores.
TEST(TwoInOne, AddsTheScoresOfBothHeads) {
  const DocumentPtr document = preset("original-transformer");
  const TracePtr trace = runAttention(document);
  const AttentionConfig& c = trace->config();
  DeclaredRelation first{"first", {std::vector<std::optional<Index>>(6)}};
  DeclaredRelation second = first;
  first.partners[0][2] = 1;
  second.partners[0][2] = 4;
  const auto found = twoInOne(*trace, 0, {1, 6}, {first, second});
  ASSERT_TRUE(found);
  const ConstMatrixView a = trace->tensor(TensorId::rawScores).matrix({0, 1});
  const ConstMatrixView b = trace->tensor(TensorId::rawScores).matrix({0, 6});
  for (Index i = 0; i < 6; ++i) {
    double sum = 0.0;
    std::vector<double> e;
    for (Index j = 0; j < 6; ++j) {
      e.push_back(std::exp((double{a(i, j)} + double{b(i, j)}) / std::sqrt(double(c.dK()))));
      sum += e.back();
    }
    for (Index j = 0; j < 6; ++j) {
      EXPECT_NEAR(found->weights[2].matrix()(i, j), e[static_cast<std::size_t>(j)] / sum, 1e-6);
      EXPECT_NEAR(found->weights[0].matrix()(i, j),
                  trace->tensor(TensorId::weights).matrix({0, 1})(i, j), 1e-6);
    }
  }
  EXPECT_NEAR(*found->scores[0][0], found->weights[0].matrix()(2, 1), 1e-7);
  EXPECT_NEAR(*found->scores[2][1], found->weights[2].matrix()(2, 4), 1e-7);
}

TEST(TwoInOne, OneDesignedHeadForTwoRelationsBlurs) {
  const DocumentPtr document = preset("original-transformer", WeightInit::designed);
  const TracePtr trace = runAttention(document);
  const auto relations = declaredRelations(*document);
  // previous token, and preposition → its object: of 'on' the one is 'sat', the other 'mat'
  ASSERT_TRUE(relations[0] && relations[4]);
  const auto found = twoInOne(*trace, 0, {0, 4}, {*relations[0], *relations[4]});
  ASSERT_TRUE(found);
  EXPECT_GE(*found->scores[0][0], 0.9);
  EXPECT_GE(*found->scores[1][1], 0.9);
  const double together = *found->scores[2][0] + *found->scores[2][1];
  EXPECT_LT(together, *found->scores[0][0] + *found->scores[1][1] - 0.2);
}

}  // namespace
}  // namespace headscope
