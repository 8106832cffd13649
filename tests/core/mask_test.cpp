#include "core/attention/mask.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "core/attention/steps/score_rows.h"
#include "tests/core/support/cases.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/reference.h"

namespace headscope::test {

namespace {

/// Every combination of rules on 6 × 6 and, for cross-attention, on 6 × 3 and 3 × 6.
std::vector<AttentionConfig> manyMasks() {
  std::vector<AttentionConfig> all;
  for (const auto& [queries, memory] : {std::pair<Index, Index>{6, 0}, {6, 3}, {3, 6}, {1, 0}}) {
    for (const bool causal : {false, true}) {
      for (const Index window : {0, 1, 2, 4, 100}) {
        for (const Index length : {-1, 0, 1, 3}) {
          for (const bool paint : {false, true}) {
            AttentionConfig c = sized(4, 2, queries);
            c.memoryLen = memory;
            c.mask.causal = causal;
            c.mask.window = window;
            if (length >= 0) c.mask.lengths = {std::min(length, c.keys())};
            if (paint) {
              std::vector<std::uint8_t> allowed(static_cast<std::size_t>(queries * c.keys()), 1);
              for (std::size_t i = 0; i < allowed.size(); i += 3) allowed[i] = 0;
              c.mask.painted = painted(queries, c.keys(), allowed);
            }
            all.push_back(c);
          }
        }
      }
    }
  }
  return all;
}

/// Any nonzero byte allows a pair, both in the count and in the check that a query has a key.
TEST(MaskRules, CountWhatTheyAllow) {
  const std::vector<std::uint8_t> painted{0, 2, 0};
  const AllowedKeys allowed{0, 3, painted.data()};
  EXPECT_TRUE(allowed(1));
  EXPECT_EQ(allowed.count(), 1);
  EXPECT_TRUE(allowed.any());
}

TEST(MaskRules, CombineByAnd) {
  for (const AttentionConfig& c : manyMasks()) {
    for (Index i = 0; i < c.seqLen; ++i) {
      const AllowedKeys allowed = allowedKeys(c.mask, 0, i, c.keys());
      Index count = 0;
      for (Index j = 0; j < c.keys(); ++j) {
        const bool expected = mayAttend(c, 0, i, j);
        count += expected ? 1 : 0;
        EXPECT_EQ(allowed(j), expected) << i << ", " << j;
        EXPECT_EQ(whyForbidden(c.mask, 0, i, j).empty(), expected) << i << ", " << j;
      }
      EXPECT_EQ(allowed.count(), count);
      EXPECT_FALSE(allowed(-1));
      EXPECT_FALSE(allowed(c.keys()));
    }
  }
}

TEST(MaskRules, AnyPartOfARowIsMaskedAsTheWholeIs) {
  for (const AttentionConfig& c : manyMasks()) {
    for (Index i = 0; i < c.seqLen; ++i) {
      for (Index first = 0; first < c.keys(); ++first) {
        std::vector<float> part(static_cast<std::size_t>(c.keys() - first), 7.0F);
        maskScores(part, c, {0, 0, i, first});
        for (Index j = first; j < c.keys(); ++j) {
          EXPECT_EQ(part[static_cast<std::size_t>(j - first)],
                    mayAttend(c, 0, i, j) ? 7.0F : -std::numeric_limits<float>::infinity());
        }
      }
    }
  }
}

TEST(MaskRules, LargestWindowDoesNotOverflow) {
  Mask mask;
  mask.window = std::numeric_limits<Index>::max();
  EXPECT_EQ(allowedKeys(mask, 0, 5, 8).count(), 8);
  EXPECT_EQ(whyForbidden(mask, 0, 5, 0), "");
}

TEST(MaskRules, ReasonsAreInWords) {
  Mask causal;
  causal.causal = true;
  EXPECT_EQ(whyForbidden(causal, 0, 2, 4), "causal: key 4 comes after query 2");
  Mask window;
  window.window = 3;
  EXPECT_EQ(whyForbidden(window, 0, 5, 1), "window 3: key 1 is 4 away from query 5");
  Mask padding;
  padding.lengths = {7, 4};
  EXPECT_EQ(whyForbidden(padding, 1, 0, 4), "padding: item 1 ends before key 4");
  Mask paint;
  paint.painted = painted(1, 2, {1, 0});
  EXPECT_EQ(whyForbidden(paint, 0, 0, 1), "painted: the pair (0, 1) is forbidden");
}

TEST(MaskRules, EqualWhereThePaintedPatternsAre) {
  Mask a;
  Mask b;
  EXPECT_EQ(a, b);
  EXPECT_TRUE(a.none());
  a.painted = painted(1, 2, {1, 0});
  EXPECT_NE(a, b);
  EXPECT_FALSE(a.none());
  b.painted = painted(1, 2, {1, 0});
  EXPECT_EQ(a, b);
  b.painted = painted(1, 2, {0, 1});
  EXPECT_NE(a, b);
  b = a;
  b.lengths = {2};
  EXPECT_NE(a, b);
}

}  // namespace

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

TEST_P(Patterns, DocumentEditor) {
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
  EXPECT_TRUE(paintBlock(mask, {1, 1, 1, 2}, false));
  EXPECT_EQ(mask.allowed, (std::vector<std::uint8_t>{1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1}));
  EXPECT_FALSE(paintBlock(mask, {1, 1, 1, 2}, false));
  EXPECT_TRUE(paintBlock(mask, {-5, 55, 3, 47}, false));
  EXPECT_EQ(mask.allowed, (std::vector<std::uint8_t>{1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 1, 0}));
  EXPECT_FALSE(paintBlock(mask, {0, 3, 4, 0}, false));
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
