// Pairs of a score that are left out: what a run without both writers gives beyond what runs
// without each give.
#include "core/model/pairs_without.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/attention/config.h"
#include "core/document/trace.h"
#include "core/formats/shipped_model.h"
#include "core/model/head_output.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;

constexpr HeadOfLayer kReads{1, 2};
constexpr Index kQueryPlace = 4, kKeyPlace = 2;

class PairsOf : public testing::TestWithParam<std::string> {
 protected:
  const ModelTracePtr trace = runModel(
      documentOf(formats::openModel(modelFolder(GetParam()), kBudgetBytes), {5, 17, 3, 40, 5, 17}),
      nullptr, {}, kBudgetBytes);
};
INSTANTIATE_TEST_SUITE_P(Models, PairsOf,
                         testing::Values("albert", "bloom", "deberta-v2", "deepseek_v3", "gemma2",
                                         "gpt_oss", "granite", "modernbert", "phi", "qwen3_moe",
                                         "tiny-bert", "tiny-gpt2", "tiny-llama"),
                         modelTestName);

ModelTracePtr withoutHeadAt(const ModelTracePtr& trace, Index head, Index place) {
  Tensor rows = headOutput(*trace, {0, head});
  std::ranges::fill(rows.mutableMatrix().row(place), 0.0F);
  return runModel(withHeadOutput(*trace, {0, head}, rows), trace, {}, kBudgetBytes);
}

double scoreOf(const ModelTrace& trace) {
  const TracePtr attention = trace.layer(kReads.layer);
  return static_cast<double>(attention->config().scoreMultiplier()) *
         static_cast<double>(
             attention->value({TensorId::rawScores, 0, kReads.head, kQueryPlace, kKeyPlace}));
}

/// A head of the first layer that adds nothing at the query changes the next layer's query there
/// alone, one at the key its key alone: a run without both is the query of one and the key of the
/// other.
TEST_P(PairsOf, AreTheDifferenceOfTheDifferences) {
  const ScoreParts score = scoreParts(*trace, kReads, kQueryPlace, kKeyPlace);
  const auto pairs = pairsWithout(trace, score, 200);
  Index compared = 0;
  for (const WithoutPair& pair : pairs) {
    if (pair.query.kind != WriterKind::head || pair.key.kind != WriterKind::head) continue;
    const ModelTracePtr query = withoutHeadAt(trace, pair.query.head, kQueryPlace);
    const ModelTracePtr key = withoutHeadAt(trace, pair.key.head, kKeyPlace);
    const ModelTracePtr both = withoutHeadAt(query, pair.key.head, kKeyPlace);
    const double expected = -(scoreOf(*trace) - scoreOf(*query) - scoreOf(*key) + scoreOf(*both));
    const double size = 1.0 + std::abs(scoreOf(*trace));
    EXPECT_NEAR(pair.total, expected, 2e-5 * size) << pair.query.head << " × " << pair.key.head;
    ++compared;
  }
  EXPECT_EQ(compared, trace->config().heads * trace->config().heads);
}

/// Without norms and networks between, nothing else changes: the pair's part is all it gives.
TEST(PairsWithout, AreThePairsPartsWhereNoNormStandsBetween) {
  const ModelTracePtr trace =
      runModel(makeModelDocument(formats::openModel(formats::kInductionModel, kBudgetBytes),
                                 {{4, 9, 2, 7, 12, 4, 9, 2}, {}, {}}),
               nullptr, {}, kBudgetBytes);
  const ScoreParts score = scoreParts(*trace, {1, 0}, 7, 3);
  const auto pairs = pairsWithout(trace, score, 6);
  ASSERT_EQ(pairs.size(), 6U);
  for (const WithoutPair& pair : pairs) {
    if (pair.query.kind != WriterKind::head || pair.key.kind != WriterKind::head) continue;
    EXPECT_NEAR(pair.total, pair.frozen, 1e-4 * std::abs(pairs.front().frozen));
  }
  EXPECT_GE(std::abs(pairs[0].frozen), std::abs(pairs[1].frozen));
}

TEST(PairsWithout, RunEachWriterOnceAndStop) {
  const ModelTracePtr trace =
      runModel(makeModelDocument(formats::openModel(modelData("tiny-gpt2"), kBudgetBytes),
                                 {{5, 17, 3, 40, 5, 17}, {}, {}}),
               nullptr, {}, kBudgetBytes);
  const ScoreParts score = scoreParts(*trace, kReads, 3, 3);
  PairsWithout runs(trace, score, 200, {});
  Index units = 0;
  EXPECT_TRUE(runs.found().empty());
  do {
    ++units;
  } while (!runs.runUnit());
  EXPECT_EQ(units, runs.units());
  const Index writers = trace->config().heads + 3;  // the token, its place and a network
  EXPECT_EQ(units, 2 * writers);
  EXPECT_EQ(std::ssize(runs.found()), writers * writers);
  const std::atomic<bool> cancelled = true;
  EXPECT_TRUE(pairsWithout(trace, score, 4, {0, &cancelled}).empty());
}

}  // namespace
}  // namespace headscope::test::models
