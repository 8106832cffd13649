// The difference of two passes in numbers.
#include "core/analysis/trace_difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/document/attention.h"
#include "tests/core/support/documents.h"

namespace headscope::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TracePtr passOf(const DocumentPtr& document) { return runAttention(document, nullptr, {1}); }

TEST(TraceDifference, OfTwoCellsIsWhatTheOneHasMore) {
  EXPECT_EQ(difference(1.0F, 3.5F), 2.5F);
  EXPECT_EQ(difference(3.5F, 1.0F), -2.5F);
  EXPECT_EQ(difference(-kInfinity, -kInfinity), 0.0F);
  EXPECT_EQ(difference(2.0F, -kInfinity), -kInfinity);
  EXPECT_EQ(difference(-kInfinity, 2.0F), kInfinity);
}

TEST(TraceDifference, ThePassItselfDiffersByNothing) {
  const TracePtr trace = passOf(randomDocument(sized(24, 4, 6), 1));
  for (const TensorId id : {TensorId::x, TensorId::q, TensorId::maskedScores, TensorId::output}) {
    const MatrixDifference d = tensorDifference(*trace, *trace, id);
    EXPECT_EQ(d.changed, 0);
    EXPECT_EQ(d.largest, 0.0F);
    EXPECT_GT(d.cells, 0);
  }
  for (const OutputChange& change : outputChanges(*trace, *trace, 0)) {
    EXPECT_EQ(change.moved, 0.0);
    EXPECT_EQ(change.before, change.after);
  }
}

TEST(TraceDifference, APinnedCellIsTheOnlyOneThatDiffers) {
  const DocumentPtr document = randomDocument(sized(24, 4, 6), 1);
  const CellRef cell{TensorId::rawScores, 0, 2, 3, 1};
  const TracePtr before = passOf(document);
  const float was = before->value(cell);
  const TracePtr after = passOf(edited(document, SetPin{{cell, was + 8.0F}}));
  const MatrixDifference all = tensorDifference(*before, *after, TensorId::rawScores);
  EXPECT_EQ(all.changed, 1);
  EXPECT_EQ(all.cells, 4 * 6 * 6);
  EXPECT_EQ(all.where, cell);
  EXPECT_EQ(all.largest, was + 8.0F - was);
  EXPECT_EQ(all.largestFinite, all.largest);
  EXPECT_EQ(matrixDifference(*before, *after, TensorId::rawScores, 0, 1).changed, 0);
  const MatrixDifference weights = matrixDifference(*before, *after, TensorId::weights, 0, 2);
  EXPECT_EQ(weights.changed, 6);  // its whole row changes
  EXPECT_EQ(weights.where.row, 3);
  EXPECT_EQ(weights.where.col, 1);
}

TEST(TraceDifference, AMaskTakesScoresAwayWhollyYetTheScaleStaysFinite) {
  const DocumentPtr document = randomDocument(sized(24, 4, 6), 1);
  const TracePtr before = passOf(document);
  const TracePtr after =
      passOf(edited(document, masked(document, [](Mask& m) { m.causal = true; })));
  const MatrixDifference d = matrixDifference(*before, *after, TensorId::maskedScores, 0, 0);
  EXPECT_EQ(d.changed, 15);
  EXPECT_EQ(d.largest, kInfinity);
  EXPECT_EQ(d.largestFinite, 0.0F);
  EXPECT_TRUE(std::isfinite(d.magnitude));
  EXPECT_GT(d.magnitude, 0.0F);
}

TEST(TraceDifference, OutputsMoveByTheNormOfTheirDifference) {
  const DocumentPtr document = randomDocument(sized(24, 4, 6), 1);
  const TracePtr before = passOf(document);
  const TracePtr after = passOf(edited(document, SetHeadGain{1, 0.0F}));
  const std::vector<OutputChange> changes = outputChanges(*before, *after, 0);
  ASSERT_EQ(changes.size(), 6U);
  for (Index row = 0; row < 6; ++row) {
    double moved = 0.0;
    double norm = 0.0;
    for (Index col = 0; col < 24; ++col) {
      const double a = before->value({TensorId::output, 0, -1, row, col});
      const double b = after->value({TensorId::output, 0, -1, row, col});
      moved += (b - a) * (b - a);
      norm += a * a;
    }
    const OutputChange& change = changes[static_cast<std::size_t>(row)];
    EXPECT_DOUBLE_EQ(change.moved, std::sqrt(moved));
    EXPECT_DOUBLE_EQ(change.before, std::sqrt(norm));
    EXPECT_GT(change.moved, 0.0);
  }
}

TEST(TraceDifference, OtherShapesAreNotCompared) {
  const TracePtr small = passOf(randomDocument(sized(24, 4, 6), 1));
  const TracePtr large = passOf(randomDocument(sized(24, 2, 6), 1));
  EXPECT_FALSE(comparable(*small, *large, TensorId::weights));
  EXPECT_TRUE(comparable(*small, *large, TensorId::output));
  const TracePtr longer = passOf(randomDocument(sized(24, 4, 7), 1));
  EXPECT_FALSE(comparable(*small, *longer, TensorId::output));
  EXPECT_TRUE(outputChanges(*small, *longer, 0).empty());
}

}  // namespace
}  // namespace headscope::test
