#include "core/studies/kv_cache.h"

#include <algorithm>

#include "core/attention/config.h"
#include "core/attention/ledger.h"
#include "core/attention/limits.h"
#include "core/attention/switches.h"
#include "core/document/document.h"
#include "tests/core/support/cases.h"
#include "tests/core/support/documents.h"

namespace headscope::test {
namespace {

/// Self-attention under a causal mask, in every kind of configuration.
std::vector<Case> causalCases() {
  std::vector<Case> cases;
  for (Case c : allCases()) {
    if (c.config.crossAttention()) continue;
    c.config.mask.causal = true;
    cases.push_back(std::move(c));
  }
  cases.push_back({"SharedHead", with(sized(16, 4, 5), [](auto& c) {
                     c.mask.causal = true;
                     c.mistakes.sharedHead = true;
                   })});
  return cases;
}

class KvCacheCase : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(All, KvCacheCase, testing::ValuesIn(causalCases()),
                         [](const auto& test) { return test.param.name; });

/// The pass over the first `count` tokens, with the same weights.
TracePtr prefixPass(const Document& document, Index count) {
  AttentionConfig c = document.config;
  Weights weights = document.weights;
  c.seqLen = count;
  for (Index& length : c.mask.lengths) length = std::min(length, count);
  if (c.mask.painted != nullptr) {
    std::vector<std::uint8_t> allowed;
    for (Index i = 0; i < count; ++i) {
      for (Index j = 0; j < count; ++j) allowed.push_back((*c.mask.painted)(i, j) ? 1 : 0);
    }
    c.mask.painted = painted(count, count, allowed);
  }
  return runAttention(documentOf(c, document.input->x.slice(1, 0, count).clone(), {}, weights));
}

/// A cache relies on this: the rows of earlier tokens do not change when tokens are added.
TEST_P(KvCacheCase, RowsDependOnTheTokensBeforeThemAlone) {
  const DocumentPtr document = randomDocument(GetParam().config);
  ASSERT_FALSE(cacheObstacle(*document)) << cacheObstacle(*document)->why;
  const TracePtr all = runAttention(document);
  const AttentionConfig& c = document->config;
  for (Index count = 1; count <= c.seqLen; count += std::max<Index>(1, c.seqLen / 5)) {
    const TracePtr prefix = prefixPass(*document, count);
    for (const TensorId id : {TensorId::qProj, TensorId::kProj, TensorId::vProj, TensorId::weights,
                              TensorId::heads, TensorId::output}) {
      const bool square = info(id).cols == Axis::key;
      const std::size_t rows = info(id).perHead ? 2 : 1;
      Tensor part = all->tensor(id).slice(rows, 0, count);
      if (square) part = part.slice(rows + 1, 0, count);
      const auto expected = part.values();
      expectClose(prefix->tensor(id), expected, std::string(info(id).name));
    }
  }
}

TEST_P(KvCacheCase, CountsAreTheStepsOwn) {
  const AttentionConfig& c = GetParam().config;
  const DecodeLedger decode(c);
  Index cachedSoFar = 0;
  Index wholeSoFar = 0;
  for (Index t = 0; t < c.seqLen; ++t) {
    AttentionConfig prefix = c;
    prefix.seqLen = t + 1;
    EXPECT_EQ(decode.whole(t).total(), ledger(prefix).flops);

    // one row, by the rule
    const Index bias = c.switches->bias ? 1 : 0;
    const Index D = c.dModel, dK = c.headDim > 0 ? c.headDim : D / c.numHeads;
    const Index joined = c.numHeads * dK, pairs = c.batch * c.numHeads * (t + 1);
    const DecodeFlops row = decode.cached(t);
    EXPECT_EQ(row[DecodePart::project],
              c.batch * (joined + 2 * c.numKvHeads * dK) * (2 * D + bias));
    EXPECT_EQ(row[DecodePart::score], pairs * (2 * dK + 1));
    EXPECT_EQ(row[DecodePart::softmax], pairs * 4);
    EXPECT_EQ(row[DecodePart::weigh], pairs * 2 * dK);
    EXPECT_EQ(row[DecodePart::output], c.batch * D * (2 * joined + bias));

    cachedSoFar += row.total();
    wholeSoFar += decode.whole(t).total();
    EXPECT_EQ(decode.cachedSoFar(t).total(), cachedSoFar);
    EXPECT_EQ(decode.wholeSoFar(t).total(), wholeSoFar);
  }
  EXPECT_EQ(kvCacheBytes(c, c.numKvHeads, c.seqLen), ledger(c).kvCacheBytes);
}

TEST(KvCache, SizesByHeadsAndPrecision) {
  const AttentionConfig c = with(sized(512, 8, 6, 2), [](auto& x) { x.batch = 3; });
  EXPECT_EQ(kvCacheBytes(c, 1, 1), 2 * 3 * 64 * 4);
  EXPECT_EQ(kvCacheBytes(c, 2, 5), 2 * 3 * 5 * 128 * 4);
  EXPECT_EQ(kvCacheBytes(c, 8, 5, 2), 2 * 3 * 5 * 512 * 2);
  EXPECT_EQ(kvHeadCounts(12), (std::vector<Index>{1, 2, 3, 4, 6, 12}));
  EXPECT_EQ(kvHeadCounts(1), std::vector<Index>{1});
}

TEST(KvCache, TheLargestSizesAreCountedOrRefused) {
  AttentionConfig c = sized(1024, 16, Limits::kTokens);
  // Σ n² of 65,536 positions = 65,536 · 65,537 · 131,073 / 6, for 16 heads, 4 each
  EXPECT_EQ(DecodeLedger(c).wholeSoFar(Limits::kTokens - 1)[DecodePart::softmax],
            Index{93'827'139'731'456} * 16 * 4);
  c.dModel = Limits::kDModel;
  c.batch = Limits::kBatch;
  expectUserError([&] { DecodeLedger{c}; }, "64 bits", "65,536", "batch");
}

TEST(KvCache, ACausalMaskIsNeeded) {
  const DocumentPtr open = fromTexts({"The cat sat"});
  const auto obstacle = cacheObstacle(*open);
  ASSERT_TRUE(obstacle);
  EXPECT_NE(obstacle->why.find("Token 1 ('The') attends to token 2 ('cat')"), std::string::npos)
      << obstacle->why;
  EXPECT_EQ(obstacle->wayOutTitle, "turn on causal");
  EXPECT_FALSE(cacheObstacle(*edited(open, *obstacle->wayOut)));
}

TEST(KvCache, MasksThatHappenToBeCausalWillDo) {
  const auto obstacleOf = [](const AttentionConfig& c) {
    return cacheObstacle(*randomDocument(c)).has_value();
  };
  EXPECT_FALSE(obstacleOf(sized(8, 2, 1)));
  EXPECT_FALSE(obstacleOf(with(sized(8, 2, 4), [](auto& c) { c.mask.window = 1; })));
  EXPECT_TRUE(obstacleOf(with(sized(8, 2, 4), [](auto& c) { c.mask.window = 2; })));
  const auto withPattern = [&](std::vector<std::uint8_t> allowed) {
    return with(sized(8, 2, 3), [&](auto& c) { c.mask.painted = painted(3, 3, allowed); });
  };
  EXPECT_FALSE(obstacleOf(withPattern({1, 0, 0, 0, 1, 0, 1, 1, 1})));
  EXPECT_TRUE(obstacleOf(withPattern({1, 0, 0, 0, 1, 1, 1, 1, 1})));
  // the second item sees the whole of its two keys
  EXPECT_FALSE(obstacleOf(with(sized(8, 2, 3), [](auto& c) {
    c.batch = 2;
    c.mask.lengths = {1, 0};
  })));
  EXPECT_TRUE(obstacleOf(with(sized(8, 2, 3), [](auto& c) {
    c.batch = 2;
    c.mask.lengths = {1, 2};
  })));
}

/// Each obstacle is named, and removing it leads to the next one until none is left.
TEST(KvCache, EveryObstacleHasItsWayOut) {
  DocumentPtr document = fromTexts({"The cat sat"});
  for (const Mistake mistake :
       {Mistake::reshapeWithoutTranspose, Mistake::softmaxOverQueries, Mistake::zeroForMasked}) {
    document = edited(document, SetMistake{mistake, true});
  }
  document = edited(document, SetDropout{{0.5, 3}});
  document = edited(document, SetPin{{{TensorId::weights, 0, 1, 0, 2}, 0.25F}});
  const std::vector<std::string> words{"transpose", "over the queries",           "0 instead",
                                       "causal",    "weights[0, 1, 0, 2] = 0.25", "Dropout"};
  for (const std::string& word : words) {
    const auto obstacle = cacheObstacle(*document);
    ASSERT_TRUE(obstacle) << word;
    EXPECT_NE(obstacle->why.find(word), std::string::npos) << obstacle->why;
    document = edited(document, obstacle->wayOut.value());
  }
  EXPECT_FALSE(cacheObstacle(*document));
}

TEST(KvCache, PinsOnKeysThereAreDoNotMatter) {
  DocumentPtr document = edited(fromTexts({"The cat sat"}), SetMask{{true, 0, {}, nullptr}});
  document = edited(document, SetPin{{{TensorId::weights, 0, 1, 2, 0}, 0.25F}});
  document = edited(document, SetPin{{{TensorId::rawScores, 0, 1, 0, 2}, 9.0F}});
  EXPECT_FALSE(cacheObstacle(*document));
}

TEST(KvCache, InCrossAttentionTheMemoryIsCachedOnce) {
  const auto obstacle = cacheObstacle(*fromTexts({"The cat sat"}, {"le chat"}));
  ASSERT_TRUE(obstacle);
  EXPECT_NE(obstacle->why.find("encoder cache"), std::string::npos);
  EXPECT_FALSE(obstacle->wayOut);
}

}  // namespace
}  // namespace headscope::test
