// Scores taken apart by kinds of coordinates: the sums close, and each head's reason is its own.
#include "core/analysis/score_by_kind.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/base/memory_budget.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/editing/make_document.h"
#include "core/input/coordinate_kinds.h"
#include "tests/core/support/passes.h"

namespace headscope {
namespace {

AttentionConfig config(Index dModel = 128, Index heads = 4) {
  AttentionConfig c;
  c.dModel = dModel;
  c.numHeads = c.numKvHeads = heads;
  return c;
}

TracePtr passOf(const AttentionConfig& c, const std::vector<std::string>& memory = {}) {
  return runAttention(makeDocument("", c, TextSource{{"The small cat slept by the fire."}, memory},
                                   Positions::named, WeightSource{}, defaultMemoryBudget() / 8));
}

CoordinateKinds kindsOf(const Trace& trace) {
  const Document& document = trace.document();
  return coordinateKinds(*document.source, document.positions, trace.config().dModel);
}

double total(const Matrix64& values) {
  return std::accumulate(values.values.begin(), values.values.end(), 0.0);
}

/// Checks every score of every head against the pass.
void expectSumsToClose(const Trace& trace) {
  const AttentionConfig& c = trace.config();
  const CoordinateKinds kinds = kindsOf(trace);
  ASSERT_FALSE(kinds.empty()) << kinds.whyNone;
  const auto factor = static_cast<double>(c.scoreMultiplier());
  for (Index head = 0; head < c.numHeads; ++head) {
    for (Index query = 0; query < c.seqLen; query += 3) {
      double rest = 0.0;
      for (Index key = 0; key < c.keys(); ++key) {
        const ScoreByKind found =
            scoreByKind(trace, 0, head, query, key, kinds.kindOf, std::ssize(kinds.names));
        const double score =
            factor * static_cast<double>(trace.value({TensorId::rawScores, 0, head, query, key}));
        EXPECT_NEAR(total(found.values), score, 1e-5) << head << query << key;
        EXPECT_NEAR(found.score, score, 1e-5);
        EXPECT_NEAR(total(found.above), found.score - found.others, 1e-9);
        rest += total(found.above);
      }
      // each key is above the mean of the others by as much as these are below it
      EXPECT_NEAR(rest, 0.0, 1e-6);
    }
  }
}

TEST(ScoreByKind, ClosesForEveryKindOfPlainLayer) {
  expectSumsToClose(*passOf(config()));
  AttentionConfig grouped = config();
  grouped.numKvHeads = 2;
  expectSumsToClose(*passOf(grouped));
  AttentionConfig rotated = config();
  rotated.rotary.theta = Rotary::kUsualTheta;
  expectSumsToClose(*passOf(rotated));
  AttentionConfig unscaled = config();
  unscaled.switches->scale = unscaled.switches->bias = false;
  expectSumsToClose(*passOf(unscaled));
  expectSumsToClose(*passOf(config(), {"A dog barked."}));
}

TEST(ScoreByKind, RefusesAMemoryOfAnotherWidth) {
  AttentionConfig c = test::sized(16, 2, 4);
  c.memoryLen = 3;
  EXPECT_EQ(whyNoScoreByKind(*runAttention(test::randomDocument(c))), "");
  c.memoryWidth = 10;
  EXPECT_NE(whyNoScoreByKind(*runAttention(test::randomDocument(c))).find("another width"),
            std::string::npos);
}

TEST(ScoreByKind, ComparesWithTheKeysThatTheQueryMaySee) {
  AttentionConfig causal = config();
  causal.mask.causal = true;
  const TracePtr trace = passOf(causal);
  const CoordinateKinds kinds = kindsOf(*trace);
  const auto at = [&](Index query, Index key) {
    return scoreByKind(*trace, 0, 0, query, key, kinds.kindOf, std::ssize(kinds.names));
  };
  EXPECT_EQ(at(0, 0).otherKeys, 0);
  EXPECT_EQ(at(3, 1).otherKeys, 3);
  EXPECT_EQ(total(at(0, 0).above), total(at(0, 0).values));
}

TEST(ScoreByKind, NamesKindsAndFlags) {
  const TracePtr trace = passOf(config());
  const CoordinateKinds kinds = kindsOf(*trace);
  EXPECT_EQ(kinds.names, (std::vector<std::string>{"word class", "position", "the word itself",
                                                   "always the same"}));
  const Input& input = *trace->document().input;
  EXPECT_EQ(flagsInWords(kinds, 0, input, 0, 2, false), "noun");
  EXPECT_EQ(flagsInWords(kinds, 1, input, 0, 2, false), "");
  Tensor x = Tensor::zeros({1, 2, 32});
  EXPECT_NE(coordinateKinds(TensorSource{"x", x, {}, {}, {}}, Positions::named, 32).whyNone, "");
  EXPECT_EQ(coordinateKinds(TensorSource{"x", x, {}, {}, {}}, Positions::named, 3).names[2],
            "column 3");
  EXPECT_NE(coordinateKinds(TextSource{{"a"}, {}}, Positions::sinusoidal, 64).whyNone, "");
}

TEST(ScoreByKind, AHeadForThePreviousWordLooksThereByPosition) {
  const DocumentPtr document = makeDocument(
      "", config(512, 8), TextSource{{"The cat, which was very fluffy, slept by the fire."}, {}},
      Positions::named, WeightSource{WeightInit::designed, 1, {}}, defaultMemoryBudget() / 8);
  const TracePtr trace = runAttention(document);
  const CoordinateKinds kinds = kindsOf(*trace);
  Index found = -1;
  for (Index head = 0; head < 8; ++head) {
    if (trace->value({TensorId::weights, 0, head, 6, 5}) > 0.9F) found = head;
  }
  ASSERT_GE(found, 0) << "a designed head looks at the previous word";
  const ScoreByKind score =
      scoreByKind(*trace, 0, found, 6, 5, kinds.kindOf, std::ssize(kinds.names));
  constexpr Index kPosition = 1;
  EXPECT_GT(score.above(kPosition, kPosition), 0.9 * total(score.above));
}

}  // namespace
}  // namespace headscope
