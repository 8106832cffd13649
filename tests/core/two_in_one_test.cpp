// One head with the relations of two, compared with the two heads; and the pair that loses most.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/analysis/merged_heads.h"
#include "core/attention/switches.h"
#include "core/document/attention.h"
#include "core/heads/designed_heads.h"
#include "core/presets/presets.h"
#include "core/training/relations.h"
#include "tests/core/support/cases.h"

namespace headscope {
namespace {

DocumentPtr presetToJoin(const char* name, WeightInit init = WeightInit::xavier) {
  return makePreset(presetByName(name), WeightSource{init, 1, {}}, Index{2} << 30);
}

/// The joined head's weights are computed directly from the sum of both heads' scores.
TEST(MergedHeads, AddsTheScoresOfBothHeads) {
  const DocumentPtr document = presetToJoin("original-transformer");
  const TracePtr trace = runAttention(document);
  const AttentionConfig& c = trace->config();
  DeclaredRelation first{"first", {std::vector<std::vector<Index>>(6)}};
  DeclaredRelation second = first;
  first.partners[0][2] = {1};
  second.partners[0][2] = {4};
  const auto found = twoInOne(*trace, 0, {HeadRelation{1, first}, {6, second}}, PairGains::asBuilt);
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

/// The only partner of a query, or nothing where it has none or several.
std::optional<Index> onlyPartner(const DeclaredRelation& relation, std::size_t query) {
  const std::vector<Index>& keys = relation.partners[0][query];
  return keys.size() == 1 ? std::optional<Index>(keys.front()) : std::nullopt;
}

/// The mean weight that the joined head loses on the partner of a relation, for the relation that
/// loses less, computed from the three weight matrices.
double smallerLoss(const MergedHeads& m, const DeclaredRelation& a, const DeclaredRelation& b) {
  std::array<double, 2> lost{0.0, 0.0};
  std::array<double, 2> partners{0.0, 0.0};
  for (std::size_t i = 0; i < a.partners[0].size(); ++i) {
    const std::array keys{onlyPartner(a, i), onlyPartner(b, i)};
    for (std::size_t r = 0; r < 2; ++r) {
      if (keys[r]) ++partners[r];
      if (!keys[0] || !keys[1] || keys[0] == keys[1]) continue;
      const auto row = static_cast<Index>(i);
      lost[r] += double{m.weights[r].matrix()(row, *keys[r])} -
                 double{m.weights[2].matrix()(row, *keys[r])};
    }
  }
  return std::min(lost[0] / partners[0], lost[1] / partners[1]);
}

/// The relations of heads that the sentence has words for.
std::vector<HeadRelation> designedPairs(const Trace& trace) {
  const auto relations = declaredRelations(trace.document());
  std::vector<HeadRelation> found;
  for (const Index head : {0, 1, 4, 5, 6}) {
    found.push_back({head, relations.at(static_cast<std::size_t>(head)).value()});
  }
  return found;
}

TEST(MostBlurred, ThePairLosesMostOfBoth) {
  const TracePtr trace = runAttention(presetToJoin("original-transformer", WeightInit::designed));
  const std::vector<HeadRelation> candidates = designedPairs(*trace);
  for (const PairGains gains : {PairGains::equal, PairGains::asBuilt}) {
    const auto pair = mostBlurred(*trace, 0, candidates, gains);
    ASSERT_TRUE(pair);
    double chosen = 0.0;
    std::vector<double> others;
    for (std::size_t a = 0; a < candidates.size(); ++a) {
      for (std::size_t b = a + 1; b < candidates.size(); ++b) {
        const auto found = twoInOne(*trace, 0, {candidates[a], candidates[b]}, gains);
        ASSERT_TRUE(found);
        const bool isChosen = std::array{a, b} == *pair;
        (isChosen ? chosen : others.emplace_back()) =
            smallerLoss(*found, candidates[a].relation, candidates[b].relation);
      }
    }
    ASSERT_EQ(others.size(), 9U);
    EXPECT_GT(chosen, *std::max_element(others.begin(), others.end()));
  }
}

TEST(MostBlurred, EqualsAreTheFirstAndAStopGivesNothing) {
  const TracePtr trace = runAttention(presetToJoin("original-transformer", WeightInit::designed));
  const HeadRelation same = designedPairs(*trace).front();
  EXPECT_EQ(mostBlurred(*trace, 0, {same, same, same}, PairGains::equal),
            (std::array<std::size_t, 2>{0, 1}));
  const std::atomic<bool> cancelled = true;
  ExecutionContext stopped;
  stopped.cancelled = &cancelled;
  EXPECT_FALSE(mostBlurred(*trace, 0, {same, same}, PairGains::equal, stopped));
}

/// Each head's penalties go with its scores: alone they are the pass's weights, together they add.
TEST(MergedHeads, WithAlibiEachHeadKeepsItsSlope) {
  AttentionConfig config = test::sized(16, 4, 6);
  config.switches->alibi = true;
  const TracePtr trace = runAttention(test::randomDocument(config));
  DeclaredRelation none{"none", {std::vector<std::vector<Index>>(6)}};
  const auto found = twoInOne(*trace, 0, {HeadRelation{0, none}, {3, none}}, PairGains::asBuilt);
  ASSERT_TRUE(found);
  for (Index i = 0; i < 6; ++i) {
    std::vector<double> e;
    double sum = 0.0;
    for (Index j = 0; j < 6; ++j) {
      const auto masked = [&](Index head) {
        return double{trace->value({TensorId::maskedScores, 0, head, i, j})};
      };
      e.push_back(std::exp(masked(0) + masked(3)));
      sum += e.back();
      EXPECT_NEAR(found->weights[0].matrix()(i, j), trace->value({TensorId::weights, 0, 0, i, j}),
                  1e-6);
      EXPECT_NEAR(found->weights[1].matrix()(i, j), trace->value({TensorId::weights, 0, 3, i, j}),
                  1e-6);
    }
    for (Index j = 0; j < 6; ++j) {
      EXPECT_NEAR(found->weights[2].matrix()(i, j), e[static_cast<std::size_t>(j)] / sum, 1e-6);
    }
  }
}

TEST(MergedHeads, AtEqualGainsNeitherWinsByItsGain) {
  const TracePtr trace = runAttention(presetToJoin("original-transformer", WeightInit::designed));
  const std::vector<HeadRelation> all = designedPairs(*trace);
  const std::array pair{all[0], all[4]};  // previous token, first token
  const auto found = twoInOne(*trace, 0, pair, PairGains::equal);
  ASSERT_TRUE(found);
  for (std::size_t r = 0; r < 2; ++r) {
    const ConstMatrixView raw = trace->tensor(TensorId::rawScores).matrix({0, pair[r].head});
    double lead = 0.0;
    int torn = 0;
    for (Index i = 0; i < 6; ++i) {
      const auto row = static_cast<std::size_t>(i);
      const auto own = onlyPartner(pair[r].relation, row);
      const auto other = onlyPartner(pair[1 - r].relation, row);
      if (!own || !other || *own == *other) continue;
      lead += (double{raw(i, *own)} - double{raw(i, *other)}) / 8.0;  // √64
      ++torn;
    }
    ASSERT_EQ(torn, 4);
    EXPECT_NEAR(found->gains[r] * lead / torn, kEqualLead, 1e-4);
    EXPECT_GE(*found->scores[r][r], 0.99) << "each alone is sure";
    EXPECT_LE(*found->scores[2][r], 0.7) << "both lose";
    EXPECT_GE(*found->scores[2][r], 0.3) << "neither is lost";
  }
  EXPECT_GE(*found->entropy[2], 0.2);
  // a relation with itself: nothing leads, nothing to equal
  EXPECT_EQ(twoInOne(*trace, 0, {all[0], all[0]}, PairGains::equal)->gains,
            (std::array<double, 2>{1.0, 1.0}));
}

TEST(MergedHeads, TheTornQueryLosesMostOfBoth) {
  const TracePtr trace = runAttention(presetToJoin("original-transformer"));
  DeclaredRelation first{"first", {std::vector<std::vector<Index>>(6)}};
  DeclaredRelation second = first;
  first.partners[0][1] = second.partners[0][1] = {3};  // agree: not torn
  EXPECT_FALSE(
      twoInOne(*trace, 0, {HeadRelation{1, first}, {6, second}}, PairGains::asBuilt)->torn);
  for (const std::size_t i : {2U, 4U, 5U}) {
    first.partners[0][i] = {0};
    second.partners[0][i] = {3};
  }
  const auto found = twoInOne(*trace, 0, {HeadRelation{1, first}, {6, second}}, PairGains::asBuilt);
  ASSERT_TRUE(found && found->torn);
  const ConflictedQuery& torn = *found->torn;
  const auto lossAt = [&](Index i) {
    const auto w = [&](std::size_t which, Index key) {
      return double{found->weights[which].matrix()(i, key)};
    };
    return std::min(w(0, 0) - w(2, 0), w(1, 3) - w(2, 3));
  };
  for (const Index i : {2, 4, 5}) EXPECT_GE(lossAt(torn.query) + 1e-4, lossAt(i)) << i;
  EXPECT_EQ(torn.partners, (std::array<Index, 2>{0, 3}));
  EXPECT_EQ(torn.together[1], found->weights[2].matrix()(torn.query, 3));
  EXPECT_EQ(torn.alone[0], found->weights[0].matrix()(torn.query, 0));
  for (Index j = 0; j < 6; ++j) {
    EXPECT_LE(found->weights[2].matrix()(torn.query, j), torn.mostWeight);
  }
  EXPECT_EQ(found->weights[2].matrix()(torn.query, torn.most), torn.mostWeight);
}

TEST(MergedHeads, OneDesignedHeadForTwoRelationsBlurs) {
  const DocumentPtr document = presetToJoin("original-transformer", WeightInit::designed);
  const TracePtr trace = runAttention(document);
  const auto relations = declaredRelations(*document);
  // previous token, and verb → its subject: for 'sat' both are 'cat'; for others they differ
  ASSERT_TRUE(relations[0] && relations[4]);
  const auto found =
      twoInOne(*trace, 0, {HeadRelation{0, *relations[0]}, {4, *relations[4]}}, PairGains::asBuilt);
  ASSERT_TRUE(found);
  EXPECT_GE(*found->scores[0][0], 0.75);
  EXPECT_GE(*found->scores[1][1], 0.75);
  const double together = *found->scores[2][0] + *found->scores[2][1];
  EXPECT_LT(together, *found->scores[0][0] + *found->scores[1][1] - 0.2);
}

}  // namespace
}  // namespace headscope
