// The steps normalize and rotate: their results, their explanations, and the tensors that they do
// not change.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "core/analysis/rotation.h"
#include "core/attention/steps/step.h"
#include "core/formats/session.h"
#include "core/words/narration.h"
#include "tests/core/support/cases.h"
#include "tests/core/support/reference.h"
#include "tests/core/test_files.h"

namespace headscope::test {
namespace {

class Turned : public testing::TestWithParam<Case> {
 protected:
  const AttentionConfig& config() const { return GetParam().config; }
  /// The number of terms that a cell is made of.
  std::size_t termsOf(const CellRef& cell) const {
    const AttentionConfig& c = config();
    switch (cell.tensor) {
      case TensorId::rawScores:
        return static_cast<std::size_t>(c.dK());
      case TensorId::qRot:
      case TensorId::kRot:
        return cell.col < c.rotary.turning(c.dK()) ? 2 : 1;
      default:  // a norm around the mean subtracts that
        return c.headNorm.kind() == HeadNorm::Kind::layer ? 2 : 1;
    }
  }

  DocumentPtr document_ = randomDocument(GetParam().config);
};

INSTANTIATE_TEST_SUITE_P(All, Turned, testing::ValuesIn(turnedCases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(Turned, EveryTensorAgreesWithTheDefinition) {
  const TracePtr trace = runAttention(document_);
  const Reference reference = referencePass(*document_);
  std::size_t compared = 0;
  for (const Step* step : stepsOf(config())) {
    for (const TensorId id : step->outputs()) {
      ASSERT_TRUE(reference.contains(id)) << info(id).name;
      EXPECT_EQ(trace->materialise(id).shape(), shapeOf(id, config()));
      expectClose(trace->materialise(id), reference.at(id), std::string(info(id).name));
      ++compared;
    }
  }
  EXPECT_EQ(compared, reference.size());
  EXPECT_EQ(trace->steps.size(), stepsOf(config()).size());
}

TEST_P(Turned, EachCellIsExplained) {
  const TracePtr trace = runAttention(document_);
  for (const TensorId id :
       {TensorId::qNorm, TensorId::kNorm, TensorId::qRot, TensorId::kRot, TensorId::rawScores}) {
    if (!has(config(), id)) continue;
    const Shape shape = shapeOf(id, config());
    for (Index n = 0; n < 12; ++n) {
      const CellRef cell{id, n % shape[0], n % shape[1], n * 5 % shape[2], n * 3 % shape[3]};
      const Explanation e = explainCell(*trace, cell);
      double size = 1e-3;
      for (const Term& term : e.terms) {
        size += std::abs(term.product);
        EXPECT_NEAR(term.product, term.leftValue * term.rightValue, 1e-12);
        for (const CellRef& from : term.cells) EXPECT_TRUE(exists(from, config()));
      }
      EXPECT_NEAR(e.computed(), e.value, 1e-5 * size) << toString(cell);
      EXPECT_EQ(e.terms.size(), termsOf(cell));
    }
  }
}

TEST_P(Turned, TheSameBitsOnEveryThreadCount) {
  ExecutionContext three;
  three.threads = 3;
  three.flopsPerThread = 1;
  const TracePtr a = runAttention(document_);
  const TracePtr b = runAttention(document_, nullptr, three);
  expectSameBits(*a, *b);
  for (const TensorId id : {TensorId::qNorm, TensorId::kNorm, TensorId::qRot, TensorId::kRot}) {
    EXPECT_TRUE(sameBits(a->materialise(id), b->materialise(id)));
  }
}

TEST_P(Turned, ASessionKeepsIt) {
  const TempFolder folder;
  formats::saveSession(folder / "a.headscope.json", {document_, "{}", {}, {}});
  EXPECT_EQ(formats::loadSession(folder / "a.headscope.json", kBudget).document->config, config());
}

TEST_P(Turned, StepsRunFromWhatChangedOn) {
  const TracePtr trace = runAttention(document_);
  // nothing is run again where nothing changed, all from the turn on where the turn did
  EXPECT_TRUE(stepsThatRan(*runAttention(document_, trace)).empty());
  const DocumentPtr other = changed(document_, [](Document& d) {
    if (d.config.rotary.on()) {
      d.config.rotary.theta *= 2.0;
    } else {
      d.config.headNorm = HeadNorm(d.config.headNorm.k(), d.config.headNorm.q(), 1e-3);
    }
  });
  const auto ran = stepsThatRan(*runAttention(other, trace));
  EXPECT_EQ(ran.front(), config().rotary.on() ? "rotate" : "normalize");
  EXPECT_EQ(ran.back(), "output");
  expectSameBits(*runAttention(other, trace), *runAttention(other));
}

/// q · k after the turn depends only on the distance of query and key.
TEST(Rotate, OnlyTheDistanceCounts) {
  AttentionConfig c = sized(16, 2, 12);
  c.rotary.theta = 10000.0;
  const DocumentPtr document = randomDocument(c);
  // with equal tokens, only the positions differ
  const DocumentPtr same = changed(document, [](Document& d) {
    Input input = *d.input;
    input.x = input.x.clone();
    for (Index t = 1; t < 12; ++t) std::copy_n(input.x.data(), 16, input.x.mutableData() + t * 16);
    d.input = std::make_shared<const Input>(std::move(input));
  });
  const TracePtr trace = runAttention(same);
  const Tensor& scores = trace->tensor(TensorId::rawScores);
  const double most = largest(scores.values());
  bool differs = false;
  for (Index head = 0; head < 2; ++head) {
    for (Index i = 0; i + 1 < 12; ++i) {
      for (Index j = 0; j + 1 < 12; ++j) {
        EXPECT_NEAR(scores.at({0, head, i, j}), scores.at({0, head, i + 1, j + 1}), 1e-5 * most);
      }
      differs = differs ||
                std::abs(scores.at({0, head, i, 0}) - scores.at({0, head, i + 1, 0})) > 1e-3 * most;
    }
  }
  EXPECT_TRUE(differs);
}

/// The sum over the pairs equals the raw score, and is unchanged when both tokens move by the same
/// distance.
TEST(Rotate, PairsAddUpToTheScoreWhereverTheSentenceStands) {
  int compared = 0;
  for (const Case& turned : turnedCases()) {
    const AttentionConfig& c = turned.config;
    if (!c.rotary.on()) continue;  // normalised alone: there are no pairs
    const TracePtr trace = runAttention(randomDocument(c));
    const Index head = c.numHeads - 1;
    const Index query = c.seqLen - 1;
    for (Index key = 0; key < c.keys(); ++key, ++compared) {
      const auto pairs = rotaryPairs(*trace, {0, head, query}, key);
      const Index turning = c.rotary.turning(c.dK());
      ASSERT_EQ(std::ssize(pairs), turning / 2);
      double score = trace->value({TensorId::rawScores, 0, head, query, key});
      for (Index j = turning; j < c.dK(); ++j) {  // the part of the coordinates that do not turn
        score -= trace->value({TensorId::qRot, 0, head, query, j}) *
                 trace->value({TensorId::kRot, 0, c.kvHead(head), key, j});
      }
      const double here = rotatedProduct(pairs, query, key);
      EXPECT_NEAR(here, score, 1e-5 * (1.0 + std::abs(score))) << turned.name;
      EXPECT_NEAR(rotatedProduct(pairs, query + 40, key + 40), here, 1e-9 * (1.0 + std::abs(here)));
      EXPECT_NE(rotatedProduct(pairs, query, key + 3), here);
    }
  }
  EXPECT_GT(compared, 10);
}

/// The timeline has exactly the steps of the configuration, and a sentence for every moment.
TEST_P(Turned, EveryMomentIsNarrated) {
  const TracePtr trace = runAttention(document_);
  const RowRef subject{0, config().numHeads - 1, config().seqLen - 1};
  const Timeline timeline(config(), subject);
  std::set<StepId> narrated;
  for (const TimelineSegment& moment : timeline.moments()) {
    const std::string text = narrate(*trace, subject, moment);
    EXPECT_GT(text.size(), 10U);
    EXPECT_EQ(text.find("nan"), std::string::npos) << text;
    narrated.insert(moment.step);
    EXPECT_TRUE(moment.step != StepId::rotate || moment.part != TensorId::v);
  }
  EXPECT_EQ(narrated.size(), stepsOf(config()).size());
}

/// Figures of Llama 3.1's release: θ = 500,000, d_k = 128, factor 8, 8,192 positions learned.
TEST(Rotate, SlowFrequenciesAreScaledAsLlama3Has) {
  Rotary plain;
  plain.theta = 500000.0;
  Rotary scaled = plain;
  scaled.scaling = Rotary::Scaling::llama3;
  scaled.factor = 8.0;
  const auto before = rotaryFrequencies(plain, 128);
  const auto after = rotaryFrequencies(scaled, 128);
  ASSERT_EQ(after.size(), 64U);
  EXPECT_EQ(before.front(), 1.0);
  int kept = 0, divided = 0;
  for (std::size_t j = 0; j < 64; ++j) {
    const double wave = 2.0 * std::numbers::pi / before[j];
    if (wave < 2048.0) {
      EXPECT_EQ(after[j], before[j]);
      ++kept;
    } else if (wave > 8192.0) {
      EXPECT_EQ(after[j], before[j] / 8.0);
      ++divided;
    } else {
      EXPECT_LT(after[j], before[j]);
      EXPECT_GT(after[j], before[j] / 8.0);
    }
  }
  EXPECT_EQ(kept, 29);
  EXPECT_EQ(divided, 29);
}

TEST(Rotate, WhatCannotBeTurnedIsRefused) {
  const auto problem = [](const AttentionConfig& c) {
    const auto problems = validate(c);
    return problems.empty() ? std::string() : problems.front().message;
  };
  AttentionConfig odd = sized(12, 4, 3);
  odd.rotary.theta = 10000.0;
  EXPECT_NE(problem(odd).find("make it even"), std::string::npos);
  AttentionConfig c = sized(16, 4, 3);
  c.rotary.theta = -1.0;
  EXPECT_NE(problem(c).find("rope_theta is -1"), std::string::npos) << problem(c);
  c.rotary.theta = 10000.0;
  EXPECT_EQ(problem(c), "");
  c.rotary.factor = 0.0;
  EXPECT_NE(problem(c).find("factor is 0"), std::string::npos);
  c.rotary = {};
  c.headNorm = HeadNorm({1.0F}, {1.0F}, 1e-6);
  EXPECT_NE(problem(c).find("1 gains"), std::string::npos);
}

TEST(Rotate, APlainPassHasNineStepsAndNoneOfTheseTensors) {
  const AttentionConfig c = sized(16, 4, 3);
  EXPECT_EQ(stepsOf(c).size(), 9U);
  for (const TensorId id : {TensorId::qNorm, TensorId::kNorm, TensorId::qRot, TensorId::kRot}) {
    EXPECT_FALSE(has(c, id));
    EXPECT_FALSE(exists({id, 0, 0, 0, 0}, c));
    EXPECT_TRUE(runAttention(randomDocument(c))->tensor(id).empty());
  }
  EXPECT_EQ(scoredQueries(c), TensorId::q);
  EXPECT_EQ(scoredKeys(c), TensorId::k);
}

}  // namespace
}  // namespace headscope::test
