// A kept run: its moments are those of the run, and its file gives them back.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/base/assets.h"
#include "core/document/trace.h"
#include "core/formats/corpora.h"
#include "core/formats/language_run.h"
#include "core/language/heads_over_steps.h"
#include "core/language/sentence_reading.h"
#include "tests/core/support/documents.h"
#include "tests/core/test_files.h"

namespace headscope::test {
namespace {

using namespace headscope::language;

class RunOnStories : public testing::Test {
 protected:
  void SetUp() override {
    LanguageSettings settings;
    settings.model.layers = 2;
    settings.model.dModel = 8;
    settings.model.heads = 2;
    settings.model.context = 64;
    settings.batch = 2;
    settings.steps = 4;
    settings.evaluateEvery = 2;
    settings.snapshotBytes = Index{1} << 20;
    run_ = std::make_unique<LanguageTrainer>(formats::storyCorpus(1, 20'000), settings, kBudget);
    run_->evaluate({});
    keeper_.look(*run_, {});
    while (!run_->finished()) {
      ASSERT_TRUE(run_->step({}));
      keeper_.look(*run_, {});
    }
  }

  static constexpr Index kBudget = Index{256} << 20;
  std::unique_ptr<LanguageTrainer> run_;
  RunKeeper keeper_{kBudget};
};

TEST_F(RunOnStories, ShowsTheHeadsThatItHadAtEarlierSteps) {
  std::map<Index, HeadsAtStep> known;
  const auto heads = headsOverSteps(*run_, {}, 3, kBudget, known, {}).value();
  ASSERT_EQ(heads.size(), 3U);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const KeptMoment& then = keeper_.kept().moments[i];
    EXPECT_EQ(heads[i].step(), then.step());
    EXPECT_EQ(heads[i].evaluation.heldOutLoss, then.evaluation.heldOutLoss);
    const Tensor second = then.attentions.slice(0, 1, 2).clone();
    EXPECT_EQ(heads[i].weights[1].values(), second.values());
  }
  EXPECT_EQ(known.size(), 3U);
  known.at(2).weights.clear();  // what is known is not computed again
  EXPECT_TRUE(headsOverSteps(*run_, {}, 3, kBudget, known, {}).value()[1].weights.empty());
}

TEST_F(RunOnStories, IsKeptAtEachEvaluation) {
  const KeptRun& kept = keeper_.kept();
  ASSERT_EQ(kept.moments.size(), 3U);
  EXPECT_EQ(kept.moments[1].step(), 2);
  const KeptMoment& last = kept.moments.back();
  EXPECT_EQ(last.step(), 4);
  EXPECT_EQ(last.loss, run_->records().back().loss);
  const auto read = readSentence(run_->modelNow(), *run_->corpus(), {}, 64, kBudget, {}).value();
  EXPECT_EQ(kept.sentence, run_->corpus()->example);
  ASSERT_EQ(std::ssize(kept.tokens), read.trace->tokens());
  EXPECT_EQ(last.next.front().id, read.next.front().id);
  EXPECT_EQ(last.next.front().probability, read.next.front().probability);
  const Tensor second = last.attentions.slice(0, 1, 2).clone();
  EXPECT_EQ(second.values(), read.trace->layer(1)->tensor(TensorId::weights).values());
  EXPECT_EQ(last.without.size(), kStoryQuestions);
  EXPECT_FALSE(last.written.empty());
}

TEST_F(RunOnStories, ComesBackFromItsFile) {
  const auto path = std::filesystem::temp_directory_path() / "headscope_kept_run.safetensors";
  formats::saveKeptRun(path, keeper_.kept());
  const std::string bytes = readAll(path);
  std::filesystem::remove(path);
  const KeptRun back = formats::readKeptRun("kept", bytes);
  const KeptRun& kept = keeper_.kept();
  EXPECT_EQ(back.settings, kept.settings);
  EXPECT_EQ(back.sentence, kept.sentence);
  EXPECT_EQ(back.tokens, kept.tokens);
  EXPECT_EQ(back.answeredAt, kept.answeredAt);
  ASSERT_EQ(back.moments.size(), kept.moments.size());
  for (std::size_t i = 0; i < kept.moments.size(); ++i) {
    const KeptMoment &a = kept.moments[i], &b = back.moments[i];
    EXPECT_EQ(a.step(), b.step());
    EXPECT_EQ(a.written, b.written);
    EXPECT_EQ(a.without, b.without);
    EXPECT_EQ(a.evaluation.heldOutLoss, b.evaluation.heldOutLoss);
    ASSERT_EQ(a.attentions.shape(), b.attentions.shape());
    const std::vector<float> own = a.attentions.values(), there = b.attentions.values();
    for (std::size_t j = 0; j < own.size(); ++j) ASSERT_NEAR(own[j], there[j], 5e-4);
  }
  expectUserError([&] { formats::readKeptRun("kept", bytes.substr(0, bytes.size() - 2)); }, "kept");
}

/// The run that ships is of two layers with six heads each and answers every question in the end.
TEST(ShippedRun, AnswersItsQuestions) {
  const auto run = formats::shippedRun();
  EXPECT_EQ(run->settings.model.layers, 2);
  EXPECT_EQ(run->settings.model.heads, 6);
  EXPECT_EQ(run->moments.front().step(), 0);
  EXPECT_EQ(run->moments.back().step(), run->settings.steps);
  for (std::size_t q = 0; q < kStoryQuestions; ++q) {
    EXPECT_GE(run->moments.back().evaluation.questions[q].right, 0.9) << q;
    EXPECT_LT(run->moments.front().evaluation.questions[q].right, 0.9) << q;
    EXPECT_TRUE(run->answeredAt[q]) << q;
  }
  EXPECT_LT(run->moments.back().evaluation.heldOutLoss, 1.1);
}

TEST(ShippedRun, ShowsItsHeadsWhereAnswersWereFound) {
  const auto run = formats::shippedRun();
  constexpr Index kLast = 400;
  std::vector<Index> steps;
  for (const HeadsAtStep& heads : headsOverSteps(*run, kLast, 8)) steps.push_back(heads.step());
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps.front(), 0);
  EXPECT_EQ(steps.back(), kLast);
  std::size_t answered = 0;
  for (const auto& at : run->answeredAt) {
    if (!at || *at > kLast) continue;
    ++answered;
    EXPECT_TRUE(std::ranges::count(steps, *at)) << *at;
  }
  EXPECT_GT(answered, 0U);
}

}  // namespace
}  // namespace headscope::test
