// Studies: runs side by side that differ in one setting; and heads switched off one at a time.
#include "core/training/study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/training/head_off.h"
#include "core/training/head_strip.h"
#include "core/training/task_pass.h"
#include "core/training/weight_gradients.h"
#include "tests/core/support/small_tasks.h"
#include "tests/core/test_files.h"

namespace headscope::test {
namespace {

using namespace training;

constexpr Index kStudyBudget = Index{1} << 30;

TrainingSettings quick(const Task& task) {
  TrainingSettings settings = settingsOf(task);
  settings.evaluateEvery = 5;
  return settings;
}

TEST(Study, HeadCountsAreThoseThatDivide) {
  TrainingSettings settings = quick(taskFromString("cards"));
  settings.model.dModel = 24;
  std::vector<Index> counts;
  for (const Variant& variant : headCountVariants(settings)) {
    counts.push_back(variant.settings.model.heads);
    EXPECT_EQ(variant.settings.seed, settings.seed);
    EXPECT_EQ(variant.settings.model.dModel, 24);
  }
  EXPECT_EQ(counts, (std::vector<Index>{1, 2, 4, 8}));
}

TEST(Study, RunsTakeTurnsAndAreThoseOfATrainer) {
  const Task task = namesPrevious();
  Study study(task, headCountVariants(quick(task)), kStudyBudget);
  ASSERT_EQ(study.runs().size(), 5U);
  while (!study.finished()) {
    ASSERT_TRUE(study.step({}));
    Index least = 1000, most = 0;
    for (const auto& run : study.runs()) {
      least = std::min(least, run->trainer().stepsTaken());
      most = std::max(most, run->trainer().stepsTaken());
    }
    ASSERT_LE(most - least, 1);
  }
  TrainingSettings alone = quick(task);
  alone.model.heads = 4;
  Trainer trainer(task, alone, kStudyBudget);
  while (trainer.step({}) && !trainer.finished()) continue;
  EXPECT_EQ(study.runs()[2]->trainer().evaluations().back().losses.loss,
            trainer.evaluations().back().losses.loss);
  EXPECT_FALSE(study.step({}));
}

TEST(Study, FiguresOfScores) {
  const Task task = namesPrevious();
  const std::vector<Variant> variants = scaleVariants(task, quick(task));
  ASSERT_EQ(variants.size(), 2U);
  EXPECT_TRUE(variants.front().settings.model.scale);
  EXPECT_FALSE(variants.back().settings.model.scale);
  EXPECT_EQ(variants.front().settings.model.dModel, 128);
  Study study(task, variants, kStudyBudget);
  study.step({});
  study.step({});
  const ScoreFigures with = study.runs().front()->scores().front();
  const ScoreFigures without = study.runs().back()->scores().front();
  EXPECT_EQ(with.raw, without.raw);  // both start from the same weights, on the same batch
  EXPECT_NEAR(with.scores * 8.0, with.raw, 1e-9);
  EXPECT_EQ(without.scores, without.raw);
  EXPECT_NEAR(without.raw, 8.0, 2.0);  // √d_k
  // the figures, worked out once more in the simplest way
  const Trainer& run = study.runs().back()->trainer();
  const Tensor& raw = run.lastPass()->layer(0).tensor(TensorId::rawScores);
  const Tensor& weights = run.lastPass()->layer(0).tensor(TensorId::weights);
  double squares = 0.0, pairs = 0.0, rows = 0.0, saturated = 0.0;
  for (Index b = 0; b < 16; ++b) {
    for (Index h = 0; h < 2; ++h) {
      for (Index i = 1; i < 6; ++i) {
        float largest = 0.0F;
        for (Index j = 0; j <= i; ++j) {
          const double score = raw.matrix({b, h})(i, j);
          squares += score * score;
          pairs += 1.0;
          largest = std::max(largest, weights.matrix({b, h})(i, j));
        }
        rows += 1.0;
        saturated += largest > 0.99F ? 1.0 : 0.0;
      }
    }
  }
  EXPECT_NEAR(without.raw, std::sqrt(squares / pairs), 1e-9);
  EXPECT_EQ(without.saturated, saturated / rows);
  EXPECT_GT(without.saturated, with.saturated);
}

TEST(Study, XHasNumbersOfAboutOneWhereTheScaleIsStudied) {
  for (const Task& task : allTasks()) {
    const TrainingSettings settings = scaleVariants(task, quick(task)).front().settings;
    const TaskModel model(task, settings.model, 1);
    const Examples examples = evaluationExamples(task);
    TaskPass pass(model, examples);
    ASSERT_TRUE(pass.forward({}));
    double squares = 0.0;
    const std::vector<float> x = pass.layer(0).tensor(TensorId::x).values();
    for (const float value : x) squares += static_cast<double>(value) * static_cast<double>(value);
    const double size = std::sqrt(squares / static_cast<double>(x.size()));
    EXPECT_GT(size, 0.8) << task.id;
    EXPECT_LT(size, 1.25) << task.id;
  }
}

TEST(Study, TooMuchForTheBudgetIsRefused) {
  const Task& task = taskFromString("sensor");
  const auto variants = headCountVariants(quick(task));
  Index needed = 0;
  for (Variant variant : variants) {
    variant.settings.snapshotBytes = 0;
    needed += bytesOf(task, variant.settings);
  }
  EXPECT_NO_THROW(Study(task, variants, needed));
  expectUserError([&] { Study(task, variants, needed - 1); }, "5 runs", "memory budget");
}

TEST(Study, TwinsAreHeadsThatLookAlike) {
  Roles roles;
  LayerRoles layer;
  layer.similarity = {3, {1.0, 0.95, 0.2, 0.95, 1.0, 0.3, 0.2, 0.3, 1.0}, {}};
  roles.layers = {layer, layer};
  EXPECT_EQ(headsWithTwin(roles), 4);
  roles.layers.back().similarity = {1, {1.0}, {}};
  EXPECT_EQ(headsWithTwin(roles), 2);
}

StudyFigures figuresFor(const char* name, Index heads, double loss, double accuracy, Index found) {
  StudyFigures figures;
  figures.name = name;
  figures.step = figures.steps = 60;
  figures.loss = loss;
  figures.accuracy = {accuracy};
  figures.found = found;
  figures.relations = 1;
  figures.heads = heads;
  return figures;
}

TEST(Study, SentencesHoldForWhatWasRun) {
  const Task task = namesPrevious();
  std::vector<StudyFigures> runs{figuresFor("1 head", 1, 2.0, 0.5, 0),
                                 figuresFor("2 heads", 2, 0.01, 1.0, 1)};
  std::string words = headCountsInWords(task, runs);
  EXPECT_NE(words.find("0 with 1 head and 1 with 2 heads"), std::string::npos) << words;
  EXPECT_NE(words.find("lowest loss is 0.0100 with 2 heads"), std::string::npos) << words;
  EXPECT_NE(words.find("“previous” with 1 head (50 %)"), std::string::npos) << words;
  EXPECT_NE(words.find("No head has a twin"), std::string::npos) << words;
  runs.front() = figuresFor("1 head", 1, 0.02, 1.0, 1);
  runs.back().twins = 2;
  words = headCountsInWords(task, runs);
  EXPECT_NE(words.find("Every run solves every question"), std::string::npos) << words;
  EXPECT_NE(words.find("at least 0.90): 2 of 2"), std::string::npos) << words;

  runs = {figuresFor("with", 1, 0.02, 1.0, 1), figuresFor("without", 1, 3.0, 0.2, 0)};
  EXPECT_NE(scaleInWords(task, runs).find("without, which is worse"), std::string::npos);
  runs.back().loss = 0.05;
  EXPECT_NE(scaleInWords(task, runs).find("little difference"), std::string::npos);
  runs.front().loss = 3.0;
  EXPECT_NE(scaleInWords(task, runs).find("better in this run"), std::string::npos);
}

TEST(HeadOff, ALearnedHeadIsMissedByItsQuestion) {
  const Task task = namesPrevious();
  Trainer run(task, quick(task), kStudyBudget);
  while (!run.finished()) ASSERT_TRUE(run.step({}));
  const Examples examples = evaluationExamples(task);
  const auto off = switchEachOff(run.model(), examples);
  ASSERT_TRUE(off);
  EXPECT_EQ(off->all.loss, run.evaluations().back().losses.loss);
  ASSERT_EQ(off->without.size(), 1U);
  ASSERT_EQ(off->without.front().size(), 2U);

  // without every head of its layer only the residual is left; with one off, W_O's columns of that
  // head may as well be 0
  for (Index head = 0; head < 2; ++head) {
    TaskModel without(task, run.settings().model, 1);
    for (std::size_t i = 0; i < without.parameters().size(); ++i) {
      Tensor& to = without.parameters()[i].value;
      const Tensor& from = run.model().parameters()[i].value;
      std::copy_n(from.data(), from.size(), to.mutableData());
    }
    const Tensor& wO = without.weight(0, TensorId::wO).value;
    for (auto& parameter : without.parameters()) {
      if (parameter.value.data() != wO.data()) continue;
      for (Index row = 0; row < 16; ++row) {
        std::fill_n(parameter.value.mutableData() + row * 16 + head * 8, 8, 0.0F);
      }
    }
    TaskPass pass(without, examples);
    ASSERT_TRUE(pass.forward({}));
    EXPECT_NEAR(off->without[0][static_cast<std::size_t>(head)].loss,
                lossesOf(pass.logits(), task.questions, examples, {}).loss, 1e-5);
  }
  const auto missed = mostMissed(*off, 0);
  ASSERT_TRUE(missed);
  EXPECT_LT(missed->without, missed->with);
  EXPECT_NE(headsOffInWords(task, *off).find("“previous” needs head"), std::string::npos);
}

/// The loss without a head equals, bit for bit, that of a separate pass with the head switched off.
TEST(HeadOff, OfEveryLayerIsAPassByItself) {
  const Task task = namesPrevious();
  TrainingSettings settings = quick(task);
  settings.model.layers = 2;
  const TaskModel model(task, settings.model, 1);
  const Examples examples = evaluationExamples(task);
  const auto off = switchEachOff(model, examples);
  ASSERT_TRUE(off);
  for (Index layer = 0; layer < 2; ++layer) {
    for (Index head = 0; head < 2; ++head) {
      TaskPass pass(model, examples);
      pass.switchOff({layer, head});
      ASSERT_TRUE(pass.forward({}));
      const double alone = lossesOf(pass.logits(), task.questions, examples, {}).loss;
      EXPECT_EQ(off->without[static_cast<std::size_t>(layer)][static_cast<std::size_t>(head)].loss,
                alone);
      EXPECT_NE(alone, off->all.loss);
    }
  }
}

TEST(HeadStrip, ShowsStartEndAndWhereRelationsWereFound) {
  const Task task = namesPrevious();
  Trainer run(task, quick(task), kStudyBudget);
  Examples example = evaluationExamples(task);
  EXPECT_FALSE(headStrip(run, example, 5));
  while (!run.finished()) ASSERT_TRUE(run.step({}));
  const auto found = run.foundAt(0);
  ASSERT_TRUE(found);
  const std::vector<Index> steps = stripSteps(run, 5);
  EXPECT_EQ(steps.size(), 5U);
  EXPECT_EQ(steps.front(), 0);
  EXPECT_EQ(steps.back(), 60);
  EXPECT_TRUE(std::count(steps.begin(), steps.end(), *found));
  const auto strip = headStrip(run, example, 5);
  ASSERT_TRUE(strip);
  for (const StripMoment& moment : *strip) {
    EXPECT_EQ(moment.evaluation.step, moment.step);
    EXPECT_EQ(moment.evaluation.roles.relations.front().found, moment.step >= *found);
    // the weights are those the run had at that step
    Trainer again(task, quick(task), kStudyBudget);
    while (again.stepsTaken() < moment.step) ASSERT_TRUE(again.step({}));
    TaskPass pass(again.model(), example);
    ASSERT_TRUE(pass.forward({}));
    EXPECT_EQ(moment.weights.front().values(), pass.layer(0).tensor(TensorId::weights).values());
  }
}

TEST(HeadStrip, HasWhereARelationWasFoundHoweverFewSnapshotsFit) {
  const Task task = namesPrevious();
  TrainingSettings settings = quick(task);
  settings.snapshotBytes = 0;
  Trainer run(task, settings, kStudyBudget);
  while (!run.finished()) ASSERT_TRUE(run.step({}));
  const auto strip = headStrip(run, evaluationExamples(task), 5);
  ASSERT_TRUE(strip);
  std::vector<Index> steps;
  for (const StripMoment& moment : *strip) steps.push_back(moment.step);
  EXPECT_EQ(steps, (std::vector<Index>{0, run.foundAt(0).value(), 60}));
}

TEST(WeightGradients, SayWhatWasLearnedFirst) {
  EXPECT_EQ(weightGradientsInWords({}), "");
  const StepRecord early{1, 1.0, 1.0, {{0.0F, 0.3F, 0.4F, 6.0F, 8.0F}, {}}};
  EXPECT_NEAR(weightGradients(early).queryKey, 0.5, 1e-6);
  EXPECT_NEAR(weightGradients(early).valueOutput, 10.0, 1e-6);
  const StepRecord late{2, 1.0, 1.0, {{0.0F, 3.0F, 4.0F, 6.0F, 8.0F}}};
  std::vector<StepRecord> records{early};
  EXPECT_NE(weightGradientsInWords(records).find("20 times"), std::string::npos);
  EXPECT_NE(weightGradientsInWords(records).find("Up to step 1"), std::string::npos);
  records.push_back(late);
  EXPECT_NE(weightGradientsInWords(records).find("At step 2 these"), std::string::npos);
  EXPECT_NE(weightGradientsInWords({&late, 1}).find("no great difference"), std::string::npos);
}

TEST(HeadOff, NumbersAreSaidAsR2) {
  EXPECT_EQ(accuracyInWords({"a", "b", 5}, 0.974), "97 %");
  EXPECT_EQ(accuracyInWords({"a", "b", 1}, -0.412), "R² −0.41");
  HeadsOff off;
  off.all.questions = {{10, 0.1, 0.9}};
  off.without = {{Losses{0.0, {{10, 0.1, 0.89}}}}};
  EXPECT_FALSE(mostMissed(off, 0));
}

}  // namespace
}  // namespace headscope::test
