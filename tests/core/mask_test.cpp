#include "core/mask.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/steps/score_rows.h"
#include "tests/core/support/cases.h"
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
}  // namespace headscope::test
