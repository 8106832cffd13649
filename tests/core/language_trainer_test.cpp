// Runs of language models: they repeat exactly on every number of threads, continue from snapshots
// and saved folders as if they had not stopped, learn, and stop with a sentence where a number
// leaves the range of float32.
#include "core/language/language_trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/formats/corpora.h"
#include "core/formats/language_run.h"
#include "core/formats/tokenizer_files.h"
#include "core/language/sample.h"
#include "core/model/tokenized.h"
#include "tests/core/support/model_folders.h"
#include "tests/core/support/trainer_runs.h"

namespace headscope::test {
namespace {
using namespace headscope::language;

CorpusPtr smallStories() {
  static const CorpusPtr corpus = formats::storyCorpus(1, 20'000);
  return corpus;
}

/// The corpus without the questions, which take most of a small run's time.
CorpusPtr plainText() {
  static const CorpusPtr corpus = [] {
    Corpus text = *smallStories();
    text.stories = false;
    return std::make_shared<const Corpus>(std::move(text));
  }();
  return corpus;
}

LanguageSettings smallRun(Index steps = 6) {
  LanguageSettings s;
  s.model.dModel = 16;
  s.model.heads = 2;
  s.model.context = 48;
  s.batch = 4;
  s.steps = steps;
  s.warmUp = 2;
  s.evaluateEvery = 3;
  return s;
}

TEST(LanguageTrainer, ARunIsTheSameOnEveryNumberOfThreads) {
  LanguageTrainer one(smallStories(), smallRun(), kBudgetBytes);
  LanguageTrainer three(smallStories(), smallRun(), kBudgetBytes);
  runToEnd(one, 1);
  runToEnd(three, 3);
  EXPECT_EQ(weightsOf(one), weightsOf(three));
  ASSERT_EQ(one.evaluations().size(), 3U);  // at the start, after 3 steps and at the end
  for (std::size_t e = 0; e < 3; ++e) {
    EXPECT_EQ(one.evaluations()[e].heldOutLoss, three.evaluations()[e].heldOutLoss);
    ASSERT_EQ(one.evaluations()[e].questions.size(), kStoryQuestions);
    for (std::size_t q = 0; q < kStoryQuestions; ++q) {
      EXPECT_EQ(one.evaluations()[e].questions[q].looks, three.evaluations()[e].questions[q].looks);
    }
  }
}

TEST(LanguageTrainer, FromAnEarlierSnapshotItRepeatsExactly) {
  LanguageTrainer run(plainText(), smallRun(), kBudgetBytes);
  runToEnd(run);
  const std::vector<float> numbers = weightsOf(run);
  const double last = run.records().back().loss;
  run.goBack(4);
  EXPECT_EQ(run.stepsTaken(), 3);
  EXPECT_EQ(run.records().size(), 3U);
  EXPECT_EQ(run.evaluations().size(), 2U);
  EXPECT_NE(weightsOf(run), numbers);
  runToEnd(run);
  EXPECT_EQ(weightsOf(run), numbers);
  EXPECT_EQ(run.records().back().loss, last);
}

TEST(LanguageTrainer, ASavedRunContinuesAsIfItHadNotStopped) {
  LanguageSettings settings = smallRun();
  settings.model.rotary = true;
  settings.model.kvHeads = 1;
  LanguageTrainer whole(smallStories(), settings, kBudgetBytes);
  LanguageTrainer begun(smallStories(), settings, kBudgetBytes);
  for (int step = 0; step < 4; ++step) ASSERT_TRUE(begun.step({}));
  const TempFolder folder;
  formats::saveRun(folder.path(), begun);
  const auto continued = formats::loadLanguageRun(folder.path(), kBudgetBytes);
  EXPECT_EQ(continued->stepsTaken(), 4);
  EXPECT_EQ(continued->settings(), settings);
  runToEnd(whole);
  runToEnd(*continued);
  EXPECT_EQ(weightsOf(*continued), weightsOf(whole));
  EXPECT_EQ(continued->evaluations().front().questions.front().looks,
            whole.evaluations().front().questions.front().looks);
  EXPECT_EQ(continued->evaluations().size(), whole.evaluations().size());
}

TEST(LanguageTrainer, ARunWhoseTextHasChangedIsNotContinued) {
  const TempFolder folder;
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "the cat sat on mat " + std::to_string(i % 7) + ". ";
  const auto file = folder.file("book.txt", text);
  const CorpusPtr corpus = formats::textCorpus(file, formats::TextTokens::words, 300);
  LanguageTrainer run(corpus, smallRun(1), kBudgetBytes);
  runToEnd(run);
  EXPECT_TRUE(run.evaluations().back().questions.empty()) << "they are about stories";
  formats::saveRun(folder / "run", run);
  EXPECT_EQ(formats::loadLanguageRun(folder / "run", kBudgetBytes)->stepsTaken(), 1);
  folder.file("book.txt", text + "the dog.");
  expectUserError([&] { formats::loadLanguageRun(folder / "run", kBudgetBytes); }, "book.txt",
                  "put back the text");
}

TEST(LanguageTrainer, LearnsWhatWordsFollow) {
  LanguageSettings settings = smallRun(100);
  settings.optimiser.learningRate = 1e-2;
  settings.evaluateEvery = 100;
  LanguageTrainer run(plainText(), settings, kBudgetBytes);
  runToEnd(run, 0);
  EXPECT_NEAR(run.evaluations().front().heldOutLoss,
              std::log(static_cast<double>(plainText()->vocabulary)), 0.1);
  EXPECT_LT(run.evaluations().back().heldOutLoss, 4.0);
}

TEST(LanguageTrainer, StopsWithASentenceWhereANumberLeavesTheRange) {
  LanguageSettings settings = smallRun(50);
  settings.optimiser.learningRate = 1e30;
  settings.warmUp = 0;
  LanguageTrainer run(plainText(), settings, kBudgetBytes);
  runToEnd(run);
  ASSERT_TRUE(run.stopped());
  EXPECT_EQ(run.stopped()->back, 0);
  EXPECT_NE(run.stopped()->words.find("lower learning rate"), std::string::npos);
  for (const float number : weightsOf(run)) ASSERT_TRUE(std::isfinite(number));
}

TEST(LanguageTrainer, ACancelledStepCanBeTakenAgain) {
  LanguageTrainer run(plainText(), smallRun(), kBudgetBytes);
  LanguageTrainer whole(plainText(), smallRun(), kBudgetBytes);
  const std::atomic<bool> cancelled = true;
  ExecutionContext execution;
  execution.cancelled = &cancelled;
  EXPECT_FALSE(run.step(execution));
  ASSERT_TRUE(run.step({}));
  EXPECT_FALSE(run.step(execution));
  EXPECT_EQ(run.stepsTaken(), 1);
  runToEnd(run);
  runToEnd(whole);
  EXPECT_EQ(weightsOf(run), weightsOf(whole));
}

TEST(LanguageTrainer, TheRateRisesThenFallsAsACosine) {
  LanguageSettings s;
  s.steps = 1000;
  s.optimiser.learningRate = 1.0;
  EXPECT_NEAR(learningRateAt(s, 1), 0.01, 1e-6);
  EXPECT_NEAR(learningRateAt(s, 501), 0.5, 1e-12);
  EXPECT_LT(learningRateAt(s, 1000), 1e-4);
  s.steps = 0;
  EXPECT_TRUE(std::isfinite(learningRateAt(s, 1)));
}

TEST(LanguageTrainer, RefusesWhatCannotBe) {
  const auto refused = [](auto change, const char* part) {
    LanguageSettings settings = smallRun();
    change(settings);
    expectUserError([&] { LanguageTrainer(smallStories(), settings, kBudgetBytes); }, part);
  };
  refused([](LanguageSettings& s) { s.model.layers = 0; }, "layers is 0");
  refused([](LanguageSettings& s) { s.model.heads = 3; }, "3");
  refused([](LanguageSettings& s) { s.model.context = 20; }, "at least 48");
  refused([](LanguageSettings& s) { s.batch = 0; }, "batch is 0");
  refused([](LanguageSettings& s) { s.optimiser.learningRate = -1.0; }, "learning rate is -1");
  refused(
      [](LanguageSettings& s) {
        s.model.rotary = true;
        s.model.dModel = 6;
      },
      "even d_k");
  refused([](LanguageSettings& s) { s.model.dModel = 4096, s.batch = 1024; }, "reduce batch");
}

TEST(StoryAnswers, WithoutAHeadAreThoseOfAModelWhoseHeadGivesNothing) {
  LanguageTrainer run(smallStories(), smallRun(3), kBudgetBytes);
  runToEnd(run);
  const auto without = answersTo(run.model(), 1, {}, HeadOfLayer{1, 1});
  for (training::Parameter& parameter : run.parameters()) {
    if (parameter.name != "layers.1.W_O") continue;
    for (Index row = 0; row < 16; ++row) {
      std::fill_n(parameter.value.mutableData() + row * 16 + 8, 8, 0.0F);
    }
  }
  const auto zeroed = answersTo(run.model(), 1, {});
  EXPECT_EQ(without->right, zeroed->right);
  EXPECT_EQ(without->looks, zeroed->looks);
  const auto each = rightWithoutEach(run.model(), 1, {});
  ASSERT_EQ(each->size(), 4U);
  EXPECT_EQ(each->back(), without->right);
}

/// Every kind of model that a run can train, as a folder: the file has 16 bits for each number.
TEST(LanguageModelFolder, OpensAsTheModelThatWasTrained) {
  struct Kind {
    const char* type;
    void (*change)(LanguageModelSettings&);
  };
  for (const Kind& kind :
       {Kind{"gpt2", [](LanguageModelSettings&) {}},
        {"starcoder2",
         [](LanguageModelSettings& s) {
           s.rotary = true;
           s.kvHeads = 1;
         }},
        {"headscope", [](LanguageModelSettings& s) { s.networks = false; }},
        {"headscope", [](LanguageModelSettings& s) { s.networks = s.norms = false; }},
        {"headscope",
         [](LanguageModelSettings& s) {
           s.networks = false;
           s.rotary = true;
         }},
        {"headscope", [](LanguageModelSettings& s) { s.kvHeads = 1; }}}) {
    LanguageSettings settings = smallRun(2);
    kind.change(settings.model);
    LanguageTrainer run(plainText(), settings, kBudgetBytes);
    runToEnd(run);
    const TempFolder folder;
    formats::saveAsModel(folder.path(), run.model(), *run.corpus());
    const model::ModelPtr opened = formats::openModel(folder.path(), kBudgetBytes);
    EXPECT_EQ(opened->config().modelType, kind.type);
    // tells transformers to take tokenizer.json as it is
    EXPECT_EQ(std::filesystem::exists(folder.path() / "tokenizer_config.json"),
              opened->config().modelType != "headscope");
    EXPECT_TRUE(opened->notes().empty()) << opened->notes().sentences().front();
    EXPECT_EQ(opened->parameters(), parameterCount(settings.model, plainText()->vocabulary));
    EXPECT_EQ(opened->config().example, plainText()->example);
    const auto tokenizer = formats::openTokenizer(folder.path());
    const model::ModelInput input =
        model::inputOf(tokenizer->encode(plainText()->example), *tokenizer, opened->config());
    const std::vector<float> read = logitsOf(opened, input.ids);
    const std::vector<float> trained = logitsOf(run.modelNow(), input.ids);
    ASSERT_EQ(read.size(), trained.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
      ASSERT_NEAR(read[i], trained[i], 2e-3) << kind.type << " " << i;
    }
  }
}

TEST(Sample, ContinuesItsBeginningAndEndsWithinTheModelsPositions) {
  LanguageTrainer run(plainText(), smallRun(0), kBudgetBytes);
  const model::Sampling sampling{.temperature = 1.0, .topK = 0, .seed = 3};
  const auto sample = [&](Index tokens) {
    return sampleOf(run.modelNow(), *run.corpus(), "One day Mia", tokens, sampling, {});
  };
  EXPECT_TRUE(sample(5).starts_with("one day Mia ")) << sample(5);
  EXPECT_EQ(sample(5), sample(5));
  EXPECT_TRUE(sample(1000).starts_with(sample(5).substr(0, 12)));
}

}  // namespace
}  // namespace headscope::test
