#include "core/analysis/per_head.h"

#include <atomic>

#include "core/attention/config.h"
#include "core/document/attention.h"
#include "tests/core/support/cases.h"

namespace headscope::test {
namespace {

class PerHeadCase : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(All, PerHeadCase, testing::ValuesIn(allCases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(PerHeadCase, HeadByHeadIsTheSame) {
  const TracePtr trace = runAttention(randomDocument(GetParam().config));
  const AttentionConfig& c = trace->config();
  for (const TensorId part : {TensorId::q, TensorId::k, TensorId::v}) {
    const ProjectionOperands operands = projectionOperands(*trace, part);
    const Index heads = part == TensorId::q ? c.numHeads : c.numKvHeads;
    EXPECT_EQ(operands.heads, heads);
    EXPECT_EQ(operands.headWidth(), c.dK());
    const auto found = comparePerHead(operands);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->agrees()) << found->largestDifference << " of " << found->largestValue;
    EXPECT_GE(found->runs, 1);
    EXPECT_GE(found->togetherMs, 0.0);
    EXPECT_GT(found->perHeadMs, 0.0);
    ASSERT_EQ(static_cast<Index>(found->perHead.size()), heads);
    for (Index h = 0; h < heads; ++h) {  // the pass's own q, k, v
      const auto expected = trace->tensor(part).slice(1, h, h + 1).values();
      expectClose(found->perHead[static_cast<std::size_t>(h)], expected, "head");
    }
  }
}

TEST(PerHead, ManyHeads) {
  const TracePtr trace = runAttention(randomDocument(sized(96, 96, 5)));
  const auto found = comparePerHead(projectionOperands(*trace, TensorId::q));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->perHead.size(), 96U);
  EXPECT_TRUE(found->agrees()) << found->largestDifference;
}

/// Rounding is distinguished from a real difference.
TEST(PerHead, AgreesWithinRoundingOnly) {
  EXPECT_TRUE((PerHeadComparison{{}, 0.0, 0.0}.agrees()));
  EXPECT_TRUE((PerHeadComparison{{}, 9e-6, 1.0}.agrees()));
  EXPECT_FALSE((PerHeadComparison{{}, 2e-5, 1.0}.agrees()));
}

TEST(PerHead, StopsWhenCancelled) {
  const TracePtr trace = runAttention(randomDocument(sized(16, 2, 4)));
  const std::atomic<bool> cancelled{true};
  EXPECT_FALSE(comparePerHead(projectionOperands(*trace, TensorId::q), {1, &cancelled}));
}

}  // namespace
}  // namespace headscope::test
