// Learned layers: learning lowers the loss, is the same on any number of threads, and gives heads
// with the relations they were asked for, also in the shipped layer.
#include "core/training/learned_layer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/analysis/similarity.h"
#include "core/attention/config.h"
#include "core/attention/state_dict.h"
#include "core/attention/switches.h"
#include "core/base/memory_budget.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/editing/edit.h"
#include "core/editing/make_document.h"
#include "core/training/head_roles.h"
#include "core/training/learned_weights.h"
#include "tests/core/support/cases.h"
#include "tests/core/support/declared_sentences.h"
#include "tests/core/test_files.h"

namespace headscope::training {
namespace {

AttentionConfig ofSize(Index dModel, Index heads) { return test::sized(dModel, heads, 6); }

std::array<const Tensor*, 8> tensorsOf(const Weights& w) {
  return {&w.wQ, &w.wK, &w.wV, &w.wO, &w.bQ, &w.bK, &w.bV, &w.bO};
}

void expectSameBits(const Weights& a, const Weights& b) {
  const auto left = tensorsOf(a);
  const auto right = tensorsOf(b);
  for (std::size_t i = 0; i < left.size(); ++i) EXPECT_EQ(left[i]->values(), right[i]->values());
}

Weights learnedIn(const AttentionConfig& config, Index steps, int threads, double* loss = nullptr) {
  ExecutionContext execution;
  execution.threads = threads;
  execution.flopsPerThread = 1;  // all threads, even for little work
  LearningSettings settings;
  settings.steps = steps;
  settings.batch = 16;
  LayerLearner learner(config, 3, settings);
  double first = 0.0;
  while (!learner.done()) {
    EXPECT_TRUE(learner.step(execution));
    if (learner.stepsDone() == 4) first = learner.loss();
  }
  if (loss != nullptr) *loss = learner.loss() / first;
  return learner.weights();
}

TEST(LearnedLayer, LearnsAndIsTheSameOnAnyNumberOfThreads) {
  double loss = 0.0;
  const Weights one = learnedIn(ofSize(128, 4), 30, 1, &loss);
  EXPECT_LT(loss, 0.75);
  expectSameBits(one, learnedIn(ofSize(128, 4), 30, 3));
}

TEST(LearnedLayer, OfAnySizes) {
  const auto with = [](AttentionConfig c, auto change) {
    change(c);
    return c;
  };
  for (const AttentionConfig& c :
       {ofSize(64, 16), ofSize(24, 3), ofSize(6, 2), ofSize(1, 1),
        with(ofSize(32, 4), [](AttentionConfig& a) { a.numKvHeads = 2; }),
        with(ofSize(32, 4), [](AttentionConfig& a) { a.headDim = 12; }),
        with(ofSize(32, 4), [](AttentionConfig& a) { a.headDim = 3; }),
        with(ofSize(32, 2), [](AttentionConfig& a) { a.switches->bias = false; }),
        with(ofSize(32, 2), [](AttentionConfig& a) { a.memoryLen = 4; })}) {
    const Weights weights = learnedIn(c, 6, 2);
    checkWeights(weights, c, "the learned layer");
    if (!c.switches->bias) {
      EXPECT_EQ(weights.bK.values(), std::vector<float>(32, 0.0F));
    }
  }
}

TEST(LearnedLayer, RefusesWhatCannotLearn) {
  AttentionConfig c = ofSize(32, 4);
  c.memoryLen = 5;
  c.memoryWidth = 24;
  expectUserError([&] { LayerLearner(c, 1); }, "24 features", "32 wide");
  expectUserError([] { LayerLearner(ofSize(10, 4), 1); }, "10");
}

TEST(LearnedLayer, StopsWhenItIsCancelled) {
  const std::atomic<bool> cancelled{true};
  ExecutionContext execution;
  execution.cancelled = &cancelled;
  LayerLearner learner(ofSize(32, 4), 1);
  const Weights before = learner.weights();
  EXPECT_FALSE(learner.step(execution));
  EXPECT_EQ(learner.stepsDone(), 0);
  expectSameBits(learner.weights(), before);
  EXPECT_FALSE(learnLayer(ofSize(32, 4), {}, 1, execution));
  LayerLearner uninterrupted(ofSize(32, 4), 1);
  EXPECT_TRUE(learner.step({}));
  EXPECT_TRUE(uninterrupted.step({}));
  expectSameBits(learner.weights(), uninterrupted.weights());
}

/// b_K shifts all scores of a row equally: the weights stay unchanged and the scores average about
/// 0.
TEST(LearnedLayer, CentresItsScores) {
  const AttentionConfig c = ofSize(64, 4);
  Weights weights = learnedIn(c, 20, 2);
  const auto sentences = heldOutSentences(20);
  const HeadRoles centred = measureRoles(weights, c, sentences, {});
  weights.bK = Tensor::zeros(weights.bK.shape());
  const HeadRoles plain = measureRoles(weights, c, sentences, {});
  const std::atomic<bool> cancelled{true};
  EXPECT_TRUE(measureRoles(weights, c, sentences, {.cancelled = &cancelled}).onPartners.empty());
  for (std::size_t h = 0; h < 4; ++h) {
    for (std::size_t q = 0; q < kWordQuestions; ++q) {
      EXPECT_NEAR(centred.onPartners[h][q], plain.onPartners[h][q], 1e-4);
    }
  }
}

TEST(LearnedLayer, QuestionsGoToTheHeadsOfTheirColumns) {
  using enum WordQuestion;
  EXPECT_EQ(questionsOfHead(2, ofSize(512, 8)), std::vector{described});
  EXPECT_EQ(questionsOfHead(1, ofSize(512, 4)), (std::vector{described, description}));
  EXPECT_EQ(questionsOfHead(5, ofSize(512, 16)), std::vector{described});
}

class LearnedAsset : public testing::Test {
 protected:
  const AttentionConfig config = ofSize(512, 8);
  const Weights weights = formats::learnedAsset(config, {}, 1).value();
};

TEST_F(LearnedAsset, IsOfItsSizesAlone) {
  checkWeights(weights, config, "the asset");
  EXPECT_FALSE(formats::learnedAsset(ofSize(512, 4), {}, 1));
  EXPECT_FALSE(formats::learnedAsset(ofSize(256, 8), {}, 1));
  EXPECT_FALSE(formats::learnedAsset(config, {}, 2));
  EXPECT_FALSE(formats::learnedAsset(config, TrainingDomain{3}, 1));
  AttentionConfig noBias = config;
  noBias.switches->bias = false;
  EXPECT_FALSE(formats::learnedAsset(noBias, {}, 1));
}

/// Learning again gives the shipped weights (`headscope learn --bf16` makes the file). The products
/// of another processor round differently, so the last bits may differ.
TEST_F(LearnedAsset, ComesFromItsCommand) {
  const Weights again = learnLayer(config, {}, 1, {}).value();
  const auto sentences = heldOutSentences(100);
  const HeadRoles now = measureRoles(again, config, sentences, {});
  const HeadRoles then = measureRoles(weights, config, sentences, {});
  double largest = 0.0;
  for (std::size_t h = 0; h < 8; ++h) {
    for (std::size_t q = 0; q < kWordQuestions; ++q) {
      largest = std::max(largest, std::abs(now.onPartners[h][q] - then.onPartners[h][q]));
    }
  }
  EXPECT_LT(largest, 0.01);
  for (Index i = 0; i < again.wQ.size(); ++i) {
    ASSERT_NEAR(again.wQ.data()[i], weights.wQ.data()[i], 0.02F) << i;
  }
}

/// On sentences by hand, none of them generated: every question's head looks at its answers,
/// softly.
TEST_F(LearnedAsset, LooksWhereItWasTrainedTo) {
  std::vector<Sentence> sentences;
  for (const auto& declared : test::declaredSentences()) sentences.push_back(declared.sentence());
  const HeadRoles roles = measureRoles(weights, config, sentences, {});
  for (const WordQuestionInfo& each : wordQuestions()) {
    const auto q = static_cast<std::size_t>(each.question);
    EXPECT_GE(roles.onPartners[q][q], 0.5) << each.name;
    EXPECT_LE(roles.onPartners[q][q], 0.95) << each.name;
    EXPECT_EQ(roles.bestAt(each.question), static_cast<Index>(q)) << each.name;
  }
  EXPECT_LT(roles.largestWeight, 0.99);
}

/// No two heads are alike, ablation differs by word, and 1/√d_k makes the difference between a soft
/// choice and a peak.
TEST_F(LearnedAsset, IsWorthLookingAt) {
  const auto pass = [&](bool scale) {
    AttentionConfig c = config;
    c.switches->scale = scale;
    const DocumentPtr drawn =
        makeDocument("", c, TextSource{{"The cat, which was very fluffy, sat on the mat."}, {}},
                     Positions::named, {}, defaultMemoryBudget());
    return runAttention(
        apply(*drawn, SetWeights{"learned", weights, true, 8, 8}, defaultMemoryBudget()).document);
  };
  const TracePtr scaled = pass(true);
  const HeadSimilarity similarity = headSimilarity(*scaled, 0).value();
  for (Index a = 0; a < 8; ++a) {
    for (Index b = 0; b < a; ++b) EXPECT_LT(similarity(a, b), 0.9) << a << " " << b;
  }
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
  EXPECT_EQ(saturated(*scaled), 0.0);
  EXPECT_GT(saturated(*pass(false)), 0.25);
  const auto scores = scaled->tensor(TensorId::rawScores).values();
  for (const float score : scores) EXPECT_LT(std::abs(score), 60.0F);
}

/// A document learns its weights again when its heads or biases change, but not when its text does.
TEST(LearnedDocument, LearnsAgainForOtherHeadsAndWithoutBias) {
  const Index budget = defaultMemoryBudget();
  const DocumentPtr start = makeDocument("", ofSize(16, 2), TextSource{{"The cat sat"}, {}},
                                         Positions::named, {WeightInit::learned, 4, {}}, budget);
  const auto after = [&](const Edit& edit) { return apply(*start, edit, budget).document; };
  expectSameBits(start->weights, learnLayer(start->config, {}, 4, {}).value());
  expectSameBits(after(SetText{0, false, "A dog ran off"})->weights, start->weights);
  EXPECT_NE(after(SetDimensions{16, 4, 4})->weights.wQ.values(), start->weights.wQ.values());
  const DocumentPtr noBias = after(SetSwitch{&Switches::bias, false});
  EXPECT_EQ(noBias->weights.bQ.values(), std::vector<float>(16, 0.0F));
  EXPECT_NE(noBias->weights.wQ.values(), start->weights.wQ.values());
}

TEST(LearnedFiles, AreReadBack) {
  const TempFolder folder;
  AttentionConfig c = ofSize(24, 4);
  c.headDim = 5;
  c.numKvHeads = 2;
  for (const AttentionConfig& config : {ofSize(16, 2), c}) {
    const Weights weights = learnedIn(config, 2, 1);
    const auto path = folder / "learned.safetensors";
    formats::saveLearned(path, weights, config, {}, 3, 2, FileFloat::f32);
    const SafetensorsFile file(path);
    expectSameBits(formats::loadWeights(file).weights, weights);
    EXPECT_EQ(file.metadata().at("seed"), "3");
  }
}

}  // namespace
}  // namespace headscope::training
