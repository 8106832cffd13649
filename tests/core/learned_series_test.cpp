// Layers that learned from series: the same on any number of threads, for as many channels as there
// are, with heads that look where they are said to, in the shipped series.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/analysis/similarity.h"
#include "core/attention/switches.h"
#include "core/base/memory_budget.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/editing/edit.h"
#include "core/editing/make_document.h"
#include "core/input/training_domain.h"
#include "core/presets/presets.h"
#include "core/training/head_roles.h"
#include "core/training/learned_layer.h"
#include "core/training/learned_weights.h"
#include "tests/core/support/cases.h"
#include "tests/core/test_files.h"

namespace headscope::training {
namespace {

SeriesSource shipped(const char* example) {
  return std::get<SeriesSource>(exampleByName(example).source);
}

Weights learnedIn(Index dModel, Index heads, Index channels, Index steps, int threads) {
  ExecutionContext execution;
  execution.threads = threads;
  execution.flopsPerThread = 1;  // all threads, even for little work
  LearningSettings settings = usualSettings({channels});
  settings.steps = steps;
  LayerLearner learner(test::sized(dModel, heads, 6), 2, settings);
  while (!learner.done()) EXPECT_TRUE(learner.step(execution));
  return learner.weights();
}

TEST(LearnedSeries, IsTheSameOnAnyNumberOfThreads) {
  const Weights one = learnedIn(96, 4, 3, 4, 1);
  const Weights three = learnedIn(96, 4, 3, 4, 3);
  EXPECT_EQ(one.wQ.values(), three.wQ.values());
  EXPECT_EQ(one.wK.values(), three.wK.values());
  EXPECT_EQ(one.bK.values(), three.bK.values());
}

/// W_V and W_O of a head stay as drawn; only where it looks, W_Q and W_K, is learned.
TEST(LearnedSeries, LearnsWhereToLook) {
  const Weights first = learnedIn(64, 4, 2, 1, 2);
  const Weights later = learnedIn(64, 4, 2, 3, 2);
  EXPECT_NE(first.wQ.values(), later.wQ.values());
  EXPECT_NE(first.wK.values(), later.wK.values());
  EXPECT_EQ(first.wO.values(), later.wO.values());
  EXPECT_EQ(first.wV.values(), later.wV.values());
}

TEST(LearnedSeries, OfAnyWidthAndChannels) {
  for (const auto& [dModel, heads, channels] :
       {std::array<Index, 3>{1, 1, 1}, {6, 2, 5}, {24, 8, 1}, {130, 2, 20}}) {
    const Weights weights = learnedIn(dModel, heads, channels, 2, 2);
    checkWeights(weights, test::sized(dModel, heads, 6), "the learned layer");
  }
}

class LearnedForSensors : public testing::Test {
 protected:
  static const Weights& weights() {
    static const Weights learned = learnLayer(config(), TrainingDomain{3}, 1, {}).value();
    return learned;
  }
  static AttentionConfig config() { return test::sized(256, 8, 30); }
};

/// On series that were not generated: every question's head looks at its answers, softly.
TEST_F(LearnedForSensors, LooksWhereItWasTrainedTo) {
  const HeadRoles roles = measureRoles(weights(), config(), shipped("two-sensors").items, {});
  for (const SeriesQuestionInfo& each : seriesQuestions()) {
    const auto q = static_cast<std::size_t>(each.question);
    EXPECT_GE(roles.onPartners[q][q], 0.45) << each.name;
    EXPECT_LE(roles.onPartners[q][q], 0.97) << each.name;
    EXPECT_EQ(roles.bestAt(each.question), static_cast<Index>(q)) << each.name;
  }
  EXPECT_LT(roles.largestWeight, 0.97);
}

/// No two heads are alike, and 1/√d_k makes the difference between a peak and a soft choice.
TEST_F(LearnedForSensors, AreWorthLookingAt) {
  const auto pass = [&](bool scale) {
    AttentionConfig c = config();
    c.switches->scale = scale;
    const DocumentPtr drawn =
        makeDocument("", c, shipped("sensor"), Positions::named, {}, defaultMemoryBudget());
    return runAttention(
        apply(*drawn, SetWeights{"learned", weights(), true, 8, 8}, defaultMemoryBudget())
            .document);
  };
  const auto saturated = [](const Trace& trace) {
    Index rows = 0;
    const Tensor& all = trace.tensor(TensorId::weights);
    for (Index head = 0; head < all.dim(1); ++head) {
      for (Index i = 0; i < all.dim(2); ++i) {
        const auto row = all.matrixOf(0, head).row(i);
        rows += *std::max_element(row.begin(), row.end()) > 0.99F ? 1 : 0;
      }
    }
    return static_cast<double>(rows) / static_cast<double>(all.dim(1) * all.dim(2));
  };
  const TracePtr scaled = pass(true);
  EXPECT_EQ(saturated(*scaled), 0.0);
  EXPECT_GT(saturated(*pass(false)), 0.25);
  const HeadSimilarity similarity = headSimilarity(*scaled, 0).value();
  for (Index a = 0; a < 8; ++a) {
    for (Index b = 0; b < a; ++b) EXPECT_LT(similarity(a, b), 0.9) << a << " " << b;
  }
}

TEST(LearnedSeries, FollowsTheDocumentsChannels) {
  const Index budget = defaultMemoryBudget();
  const auto document = [&](InputSource source) {
    return makeDocument("", test::sized(8, 2, 6), std::move(source), Positions::named,
                        {WeightInit::learned, 1, {}}, budget);
  };
  const DocumentPtr sensor = document(shipped("sensor"));
  const auto with = [&](InputSource source) {
    return apply(*sensor, SetInput{std::make_shared<const InputSource>(std::move(source))}, budget)
        .document;
  };
  const DocumentPtr other = with(SeriesSource{{shipped("two-sensors").items.back()}});
  EXPECT_EQ(other->weights.wQ.values(), sensor->weights.wQ.values());
  // patches of an image are no steps of a series
  const DocumentPtr patches = with(shipped("patches"));
  EXPECT_EQ(patches->weightSource.init, WeightInit::designed);
  EXPECT_FALSE(trainingDomainOf(*patches->source));
  const DocumentPtr text = with(TextSource{{"A dog ran off"}, {}});
  EXPECT_EQ(text->weights.wQ.values(),
            document(TextSource{{"The cat sat"}, {}})->weights.wQ.values());
}

TEST(LearnedSeries, IsWrittenWithWhatItLearnedFrom) {
  const TempFolder folder;
  const AttentionConfig config = test::sized(16, 8, 6);
  const auto path = folder / "learned.safetensors";
  formats::saveLearned(path, learnedIn(16, 8, 2, 1, 1), config, {2}, 2, 1, FileFloat::f32);
  const SafetensorsFile file(path);
  EXPECT_EQ(file.metadata().at("learned"),
            "eight questions about the steps of generated series of 2 channels");
  EXPECT_EQ(file.metadata().at("trained_for"),
            R"([["prev"],["recent"],["ten"],["start"],["spike"],["change"],["level"],["high"]])");
}

}  // namespace
}  // namespace headscope::training
