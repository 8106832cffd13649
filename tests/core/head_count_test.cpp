// Passes over one input with other numbers of heads.
#include "core/studies/head_count.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/document/attention.h"
#include "core/editing/edit.h"
#include "core/heads/designed_heads.h"
#include "core/presets/presets.h"

namespace headscope {
namespace {

constexpr Index kCountBudget = Index{2} << 30;

DocumentPtr presetToCount(const char* name, WeightInit init = WeightInit::xavier) {
  return makePreset(presetByName(name), WeightSource{init, 1, {}}, kCountBudget);
}

TEST(HeadCount, TakesTheDivisorsOfTheWidthUpTo64) {
  AttentionConfig c;
  c.dModel = 768;
  EXPECT_EQ(headCounts(c), (std::vector<Index>{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}));
  c.numHeads = 96;
  EXPECT_EQ(headCounts(c).back(), 96) << "the number there is, to be compared with";
  c.numHeads = 1;
  c.dModel = 7;
  EXPECT_EQ(headCounts(c), (std::vector<Index>{1, 7}));
}

TEST(HeadCount, ProjectionsAndParametersStayAndScoresGrow) {
  const DocumentPtr document = presetToCount("original-transformer");
  const auto one = measureHeadCount(*document, 1, kCountBudget);
  const auto sixteen = measureHeadCount(*document, 16, kCountBudget);
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
  const DocumentPtr document = presetToCount("original-transformer");
  Document flat = *document;
  flat.weights.wQ = Tensor::zeros(flat.weights.wQ.shape());
  flat.weights.bQ = Tensor::zeros(flat.weights.bQ.shape());
  flat.weightSource.loadedFrom = "zeros";
  const auto point = measureHeadCount(flat, 8, kCountBudget);
  ASSERT_TRUE(point);
  EXPECT_EQ(point->distinct(0.99), 1);
}

TEST(HeadCount, RunsUnitByUnit) {
  const DocumentPtr document = presetToCount("original-transformer");
  HeadCountMeasure measure(*document, 4, kCountBudget, {});
  int units = 1;
  for (; !measure.runUnit(); ++units) EXPECT_FALSE(measure.point());
  const auto point = measure.point();
  const auto inOne = measureHeadCount(*document, 4, kCountBudget);
  ASSERT_TRUE(point && inOne);
  EXPECT_EQ(units, point->runs + 1) << "passes, then the comparison of the heads";
  EXPECT_TRUE(measure.runUnit());
  EXPECT_EQ(measure.point()->runs, point->runs) << "nothing is done again";
  EXPECT_GT(point->ms, 0.0);
  EXPECT_EQ(point->heldBytes, inOne->heldBytes);
  for (const double cut : {0.5, 0.8, 0.9, 0.99}) {
    EXPECT_EQ(point->distinct(cut), inOne->distinct(cut)) << cut;
  }
}

/// Weights for another number of heads are learned step by step, as everywhere.
TEST(HeadCount, LearnsWhereWeightsAreLearned) {
  const DocumentPtr start = presetToCount("original-transformer", WeightInit::learned);
  const DocumentPtr document = apply(*start, SetDimensions{64, 4, 4}, kCountBudget).document;
  HeadCountMeasure measure(*document, 2, kCountBudget, {});
  int units = 1;
  for (; !measure.runUnit(); ++units) EXPECT_FALSE(measure.point());
  EXPECT_GT(units, 120) << "steps of learning";
  const TracePtr trace = runAttention(withHeads(*document, 2, kCountBudget));
  const double alike = (*headSimilarity(*trace, {}))(0, 1);
  const auto point = measure.point();
  ASSERT_TRUE(point);
  EXPECT_EQ(point->distinct(alike), 1);
  EXPECT_EQ(point->distinct(std::nextafter(alike, 2.0)), 2);
}

TEST(HeadCount, SaysWhyACountCannotBeRun) {
  const DocumentPtr document = presetToCount("original-transformer");
  const auto point = measureHeadCount(*document, 7, kCountBudget);
  ASSERT_TRUE(point);
  EXPECT_FALSE(point->ran());
  EXPECT_NE(point->why.find("7"), std::string::npos);
  EXPECT_FALSE(point->distinct(0.9));
}

}  // namespace
}  // namespace headscope
