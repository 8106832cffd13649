#include "core/mask_patterns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "tests/core/support/cases.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/reference.h"

namespace headscope::test {
namespace {

using Allowed = std::function<bool(Index query, Index key)>;

void expectPattern(const PaintedMask& mask, Index queries, Index keys, const Allowed& allowed) {
  ASSERT_EQ(mask.queries, queries);
  ASSERT_EQ(mask.keys, keys);
  ASSERT_EQ(static_cast<Index>(mask.allowed.size()), queries * keys);
  const PaintedMask other = inverted(mask);
  for (Index i = 0; i < queries; ++i) {
    for (Index j = 0; j < keys; ++j) {
      EXPECT_EQ(mask(i, j), allowed(i, j)) << i << ", " << j;
      EXPECT_EQ(other(i, j), !allowed(i, j)) << i << ", " << j;
    }
  }
}

class Patterns : public testing::TestWithParam<std::pair<Index, Index>> {
 protected:
  const Index queries_ = GetParam().first;
  const Index keys_ = GetParam().second;
};
INSTANTIATE_TEST_SUITE_P(Sizes, Patterns,
                         testing::Values(std::pair<Index, Index>{6, 6},
                                         std::pair<Index, Index>{6, 3},
                                         std::pair<Index, Index>{3, 6},
                                         std::pair<Index, Index>{1, 1}));

TEST_P(Patterns, AllAllowed) {
  expectPattern(allAllowed(queries_, keys_), queries_, keys_, [](Index, Index) { return true; });
}

TEST_P(Patterns, Causal) {
  expectPattern(causalPattern(queries_, keys_), queries_, keys_,
                [](Index i, Index j) { return j <= i; });
}

TEST_P(Patterns, Window) {
  for (const Index width : {0, 1, 2, 3, 100}) {
    expectPattern(windowPattern(queries_, keys_, width), queries_, keys_,
                  [&](Index i, Index j) { return std::abs(i - j) < width; });
  }
}

TEST_P(Patterns, Prefix) {
  for (const Index prefix : {0, 1, 2, 5, 100}) {
    expectPattern(prefixPattern(queries_, keys_, prefix), queries_, keys_,
                  [&](Index i, Index j) { return j < prefix || j <= i; });
  }
}

TEST_P(Patterns, Padding) {
  for (const Index length : {0, 1, 2, 6, 100}) {
    expectPattern(paddingPattern(queries_, keys_, length), queries_, keys_,
                  [&](Index, Index j) { return j < length; });
  }
}

TEST_P(Patterns, Documents) {
  const std::vector<std::pair<std::vector<Index>, std::vector<Index>>> kEnds{
      {{}, {}}, {{2}, {1}}, {{1, 3}, {2, 3}}, {{2, 4, 6}, {1}}, {{6}, {6}}};
  for (const auto& [queryEnds, keyEnds] : kEnds) {
    const auto documentOf = [](const std::vector<Index>& ends, Index at) {
      Index document = 0;
      for (const Index end : ends) document += at >= end ? 1 : 0;
      return document;
    };
    expectPattern(documentPattern(queries_, keys_, queryEnds, keyEnds), queries_, keys_,
                  [&, &q = queryEnds, &k = keyEnds](Index i, Index j) {
                    return documentOf(q, i) == documentOf(k, j);
                  });
  }
}

TEST(Sentences, EndAfterTheirMarks) {
  EXPECT_EQ(sentenceEnds({"It", "rains", ".", "Go", "!", "Why", "?"}),
            (std::vector<Index>{3, 5, 7}));
  EXPECT_EQ(sentenceEnds({"No", "!", "!", "?", "Yes", ","}), (std::vector<Index>{4}));
  EXPECT_EQ(sentenceEnds({"no", "end"}), std::vector<Index>{});
  EXPECT_EQ(sentenceEnds({}), std::vector<Index>{});
}

TEST(PaintBlock, SetsWhatLiesInTheMaskAndSaysWhetherItChanged) {
  PaintedMask mask = allAllowed(3, 4);
  EXPECT_TRUE(paintBlock(mask, {1, 2, 1, 3}, false));
  EXPECT_EQ(mask.allowed, (std::vector<std::uint8_t>{1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1}));
  EXPECT_FALSE(paintBlock(mask, {1, 2, 1, 3}, false));
  EXPECT_TRUE(paintBlock(mask, {-5, 50, 3, 50}, false));
  EXPECT_EQ(mask.allowed, (std::vector<std::uint8_t>{1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 1, 0}));
  EXPECT_FALSE(paintBlock(mask, {0, 3, 4, 4}, false));
  EXPECT_TRUE(paintBlock(mask, {0, 3, 0, 4}, true));
  EXPECT_EQ(mask, allAllowed(3, 4));
}

TEST(MaskRulesByName, EachPairHasTheRulesThatForbidIt) {
  for (const Case& each : allCases()) {
    const AttentionConfig& c = each.config;
    for (Index item = 0; item < c.batch; ++item) {
      for (Index i = 0; i < c.seqLen; ++i) {
        const std::vector<RuleRun> runs = ruleRuns(c.mask, item, i, c.keys());
        for (Index j = 0; j < c.keys(); ++j) {
          const auto rules = rulesForbidding(c.mask, item, i, j);
          EXPECT_EQ(rules.empty(), mayAttend(c, item, i, j)) << each << i << ", " << j;
          // the run that covers the key is that of the first rule; paint has none
          std::vector<MaskRule> covering;
          for (const RuleRun& run : runs) {
            if (j >= run.begin && j < run.end) covering.push_back(run.rule);
          }
          std::vector<MaskRule> first;
          if (!rules.empty() && rules[0] != MaskRule::painted) first.push_back(rules[0]);
          EXPECT_EQ(covering, first) << each << i << ", " << j;
        }
      }
    }
  }
}

TEST(MaskRulesByName, SeveralRulesAreAllNamed) {
  Mask mask;
  mask.causal = true;
  mask.window = 2;
  mask.lengths = {3};
  mask.painted = painted(1, 4, {1, 1, 1, 0});
  EXPECT_EQ(rulesForbidding(mask, 0, 0, 3),
            (std::vector<MaskRule>{MaskRule::causal, MaskRule::window, MaskRule::padding,
                                   MaskRule::painted}));
  EXPECT_EQ(rulesForbidding(mask, 0, 0, 1), std::vector<MaskRule>{MaskRule::causal});
  EXPECT_EQ(ruleRuns(mask, 0, 0, 4), (std::vector<RuleRun>{{MaskRule::causal, 1, 4}}));
}

TEST(FullyMasked, QueriesWithoutAKey) {
  for (const Case& each : allCases()) {
    const AttentionConfig& c = each.config;
    for (Index item = 0; item < c.batch; ++item) {
      std::vector<Index> expected;
      for (Index i = 0; i < c.seqLen; ++i) {
        if (fullyMasked(c, item, i)) expected.push_back(i);
      }
      EXPECT_EQ(fullyMaskedQueries(c.mask, item, c.seqLen, c.keys()), expected) << each;
    }
  }
}

TEST(RulesAsPaint, ForbidTheSamePairs) {
  for (const Case& each : allCases()) {
    AttentionConfig painted = each.config;
    painted.mask = rulesAsPaint(each.config.mask, painted.seqLen, painted.keys());
    EXPECT_FALSE(painted.mask.causal);
    EXPECT_EQ(painted.mask.window, 0);
    EXPECT_TRUE(validate(painted).empty()) << each;
    for (Index item = 0; item < painted.batch; ++item) {
      for (Index i = 0; i < painted.seqLen; ++i) {
        for (Index j = 0; j < painted.keys(); ++j) {
          EXPECT_EQ(mayAttend(painted, item, i, j), mayAttend(each.config, item, i, j))
              << each << item << i << j;
        }
      }
    }
  }
}

TEST(RulesAsPaint, OnlyLengthsThatDifferStayARule) {
  Mask mask;
  mask.lengths = {2, 2};
  EXPECT_TRUE(rulesAsPaint(mask, 3, 3).lengths.empty());
  mask.lengths = {2, 3};
  mask.causal = true;
  const Mask paint = rulesAsPaint(mask, 3, 3);
  EXPECT_EQ(paint.lengths, mask.lengths);
  EXPECT_EQ(*paint.painted, causalPattern(3, 3));
}

TEST(WithPaint, NothingForbiddenIsNoPaint) {
  EXPECT_TRUE(withPaint({}, allAllowed(2, 3)).none());
  EXPECT_EQ(*withPaint({}, causalPattern(2, 3)).painted, causalPattern(2, 3));
}

TEST(SetMaskEdit, MayNameItself) {
  const DocumentPtr document = fromTexts({"a b c"});
  Mask mask;
  mask.causal = true;
  EXPECT_EQ(nameOf(SetMask{mask}, *document), "causal on");
  EXPECT_EQ(nameOf(SetMask{mask, "mask painted"}, *document), "mask painted");
}

}  // namespace
}  // namespace headscope::test
