// Training: the loss by hand, the gradient of the whole model against central differences, the
// same bits on every thread count, and a run that stops, goes back, and learns.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/attention/gradients.h"
#include "core/base/error.h"
#include "core/document/attention.h"
#include "core/training/task_pass.h"
#include "core/training/trainer.h"
#include "tests/core/support/passes.h"
#include "tests/core/support/small_tasks.h"

namespace headscope::test {
namespace {

using namespace training;

constexpr float kNotAsked = std::numeric_limits<float>::quiet_NaN();
const Task kNamesPrevious = namesPrevious();
const Task kAsksOfSeries = asksOfSeries();

ExecutionContext onThreads(int threads) {
  ExecutionContext execution;
  execution.threads = threads;
  execution.flopsPerThread = 1;
  return execution;
}

std::vector<std::vector<float>> numbersOf(std::span<const Parameter> parameters) {
  std::vector<std::vector<float>> numbers;
  for (const Parameter& parameter : parameters) numbers.push_back(parameter.value.values());
  return numbers;
}

/// Trains a run for this number of steps.
void train(Trainer& run, Index steps, const ExecutionContext& execution = {}) {
  for (Index i = 0; i < steps; ++i) ASSERT_TRUE(run.step(execution));
}

TEST(Loss, IsCrossEntropyOverThePlacesThatAreAsked) {
  const Question questions[]{{"three", "", 3, 2.0F}};
  Examples examples{1, 3, {}, {}, {{2.0F, kNotAsked, 0.0F}}, {}};
  const Tensor logits = Tensor::fromValues(
      {1, 3, 3},
      std::vector<float>{0.0F, 0.0F, 0.0F, 5.0F, 6.0F, 7.0F, 0.0F, std::log(2.0F), 0.0F});
  Tensor gradient = Tensor::uninitialised(logits.shape());
  const Losses losses = lossesOf(logits, questions, examples, {}, gradient);
  // −ln 1/3 at the first place, −ln 1/4 at the last
  EXPECT_NEAR(losses.questions[0].loss, (std::log(3.0) + std::log(4.0)) / 2.0, 1e-6);
  EXPECT_NEAR(losses.loss, std::log(3.0) + std::log(4.0), 1e-6);
  EXPECT_EQ(losses.questions[0].asked, 2);
  EXPECT_EQ(losses.questions[0].accuracy, 0.0);  // the first of equal ones is the answer
  const std::vector<float> expected{1.0F / 3.0F, 1.0F / 3.0F, -2.0F / 3.0F, 0.0F, 0.0F,
                                    0.0F,        -0.75F,      0.5F,         0.25F};
  expectClose(gradient, expected, "gradient", 1e-6);
}

TEST(Loss, OfANumberIsItsSquaredError) {
  const Question questions[]{{"number", "", 1}};
  Examples examples{2, 2, {}, {}, {{1.0F, 3.0F, kNotAsked, 2.0F}}, {}};
  const Tensor logits = Tensor::fromValues({2, 2, 1}, std::vector<float>{1.5F, 2.0F, 9.0F, 2.0F});
  Tensor gradient = Tensor::uninitialised(logits.shape());
  const Losses losses = lossesOf(logits, questions, examples, {}, gradient);
  EXPECT_NEAR(losses.loss, (0.25 + 1.0) / 3.0, 1e-7);
  EXPECT_NEAR(losses.questions[0].accuracy, 1.0 - 1.25 / 2.0, 1e-7);
  expectClose(gradient, std::vector<float>{1.0F / 3.0F, -2.0F / 3.0F, 0.0F, 0.0F}, "gradient",
              1e-6);
}

/// A probability too small for a float still gives a finite loss.
TEST(Loss, OfAnAnswerFarBehindIsFinite) {
  const Question questions[]{{"two", "", 2}};
  Examples examples{1, 1, {}, {}, {{0.0F}}, {}};
  const Tensor logits = Tensor::fromValues({1, 1, 2}, std::vector<float>{-500.0F, 500.0F});
  EXPECT_NEAR(lossesOf(logits, questions, examples, {}).loss, 1000.0, 1e-6);
}

TEST(Loss, OfAQuestionThatIsNeverAskedIsNothing) {
  const Question questions[]{{"two", "", 2}, {"number", "", 1}};
  Examples examples{1, 1, {}, {}, {{kNotAsked}, {kNotAsked}}, {}};
  Tensor gradient = Tensor::uninitialised({1, 1, 3});
  const Losses losses = lossesOf(Tensor::zeros({1, 1, 3}), questions, examples, {}, gradient);
  EXPECT_EQ(losses.loss, 0.0);
  EXPECT_EQ(gradient.values(), std::vector<float>(3, 0.0F));
}

class WholeModel : public testing::TestWithParam<const Task*> {};

double lossOf(const TaskModel& model, const Examples& examples) {
  TaskPass pass(model, examples);
  pass.forward({});
  return lossesOf(pass.logits(), model.task().questions, examples, {}).loss;
}

/// The derivative along a random direction of every parameter: ∂L/∂p · u = (L(p + εu) − L(p − εu))
/// / 2ε.
TEST_P(WholeModel, HasTheGradientOfItsLoss) {
  const Task& task = *GetParam();
  for (const Index layers : {1, 2}) {
    ModelSettings settings = settingsOf(task).model;
    settings.layers = layers;
    TaskModel model(task, settings, 3);
    Draws draws(5, "examples");
    const Examples examples = task.examples(4, draws);
    TaskPass pass(model, examples);
    ASSERT_TRUE(pass.forward({}));
    Tensor gradLogits = Tensor::uninitialised(pass.logits().shape());
    lossesOf(pass.logits(), task.questions, examples, {}, gradLogits);
    ASSERT_TRUE(pass.backward(model, gradLogits, {}));
    for (Parameter& parameter : model.parameters()) {
      const Tensor direction = randomTensor(parameter.value.shape(), 7, parameter.name, 1.0F);
      const Tensor start = parameter.value.clone();
      const auto moved = [&](double by) {
        for (Index i = 0; i < start.size(); ++i) {
          parameter.value.mutableData()[i] =
              start.data()[i] + static_cast<float>(by) * direction.data()[i];
        }
        const double loss = lossOf(model, examples);
        std::copy_n(start.data(), start.size(), parameter.value.mutableData());
        return loss;
      };
      double expected = 0.0;
      for (Index i = 0; i < start.size(); ++i) {
        expected += static_cast<double>(parameter.gradient.data()[i]) *
                    static_cast<double>(direction.data()[i]);
      }
      constexpr double kStep = 2e-3;
      const double measured = (moved(kStep) - moved(-kStep)) / (2.0 * kStep);
      EXPECT_NEAR(expected, measured, 2e-4 + 2e-3 * std::abs(expected)) << parameter.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, WholeModel, testing::Values(&kNamesPrevious, &kAsksOfSeries),
                         [](const auto& test) { return std::string(test.param->id); });

TEST(TaskModel, StartsTheSameFromTheSameSeedAlone) {
  const ModelSettings settings = settingsOf(kNamesPrevious).model;
  const TaskModel one(kNamesPrevious, settings, 1);
  const TaskModel same(kNamesPrevious, settings, 1);
  const TaskModel other(kNamesPrevious, settings, 2);
  EXPECT_EQ(numbersOf(one.parameters()), numbersOf(same.parameters()));
  EXPECT_NE(numbersOf(one.parameters()), numbersOf(other.parameters()));
  Index count = 0;
  for (const Parameter& parameter : one.parameters()) count += parameter.value.size();
  EXPECT_EQ(count, 4 * 16 + 6 * 16 + 4 * 16 * 16 + 4 * 16 + 4);
  EXPECT_EQ(count, parameterCount(kNamesPrevious, settings));
}

TEST(TaskModel, IsADocumentAtEveryLayerOfEveryExample) {
  ModelSettings settings = settingsOf(kNamesPrevious).model;
  settings.layers = 2;
  const TaskModel model(kNamesPrevious, settings, 1);
  Draws draws(1, "examples");
  const Examples examples = kNamesPrevious.examples(3, draws);
  TaskPass pass(model, examples);
  ASSERT_TRUE(pass.forward({}));
  for (const Index layer : {0, 1}) {
    const DocumentPtr document = documentOf(pass, model, layer, 2, nullptr, kBudget);
    const std::string first(1, static_cast<char>('a' + examples.symbols[12]));
    EXPECT_EQ(document->input->tokens[0][0], first);
    EXPECT_TRUE(document->config.mask.causal);
    const TracePtr trace = runAttention(document);
    for (const TensorId id : {TensorId::weights, TensorId::output}) {
      expectClose(trace->tensor(id), pass.layer(layer).tensor(id).slice(0, 2, 3).values(),
                  std::string(info(id).name));
    }
  }
}

class EveryRun : public testing::TestWithParam<const Task*> {};

TEST_P(EveryRun, HasTheSameBitsOnEveryThreadCount) {
  TrainingSettings settings = settingsOf(*GetParam());
  settings.evaluateEvery = 4;
  settings.model.layers = 2;
  Trainer one(*GetParam(), settings, kBudget);
  Trainer three(*GetParam(), settings, kBudget);
  train(one, 5, onThreads(1));
  train(three, 5, onThreads(3));
  EXPECT_EQ(numbersOf(one.model().parameters()), numbersOf(three.model().parameters()));
  ASSERT_EQ(one.records().size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(one.records()[i].loss, three.records()[i].loss);
    EXPECT_EQ(one.records()[i].gradientLength, three.records()[i].gradientLength);
    for (std::size_t head = 0; head < one.records()[i].heads.size(); ++head) {
      EXPECT_EQ(one.records()[i].heads[head], three.records()[i].heads[head]);
    }
  }
  ASSERT_EQ(one.evaluations().size(), 2U);
  EXPECT_EQ(one.evaluations()[1].losses.loss, three.evaluations()[1].losses.loss);
}

INSTANTIATE_TEST_SUITE_P(All, EveryRun, testing::Values(&kNamesPrevious, &kAsksOfSeries),
                         [](const auto& test) { return std::string(test.param->id); });

TEST(Trainer, LearnsToNameThePrevious) {
  Trainer run(kNamesPrevious, settingsOf(kNamesPrevious), kBudget);
  while (!run.finished()) run.step({});
  const Evaluation& last = run.evaluations().back();
  EXPECT_EQ(run.stepsTaken(), 60);
  EXPECT_EQ(last.step, 60);
  EXPECT_EQ(last.losses.questions[0].accuracy, 1.0);
  EXPECT_TRUE(last.roles.relations[0].found);
  EXPECT_GT(run.foundAt(0).value_or(0), 0);
  EXPECT_LT(last.losses.loss, 0.1 * run.evaluations().front().losses.loss);
  EXPECT_FALSE(run.stopped());
}

/// The lengths equal those computed by hand from the last step's gradients.
TEST(Trainer, RecordsHowLongTheGradientsOfEveryHeadAre) {
  Trainer run(kNamesPrevious, settingsOf(kNamesPrevious), kBudget);
  train(run, 2);
  const Gradients& gradients = run.lastPass()->gradients(0);
  const auto length = [](const Tensor& tensor) {
    double squares = 0.0;
    for (const float value : tensor.values()) squares += std::pow(value, 2.0);
    return std::sqrt(squares);
  };
  const HeadGradients& second = run.records().back().heads[1];
  EXPECT_NEAR(second.rawScores, length(gradients.tensor(TensorId::rawScores).slice(1, 1, 2)), 1e-6);
  EXPECT_NEAR(second.wQ, length(gradients.tensor(TensorId::wQ).slice(0, 8, 16)), 1e-6);
  EXPECT_NEAR(second.wV, length(gradients.tensor(TensorId::wV).slice(0, 8, 16)), 1e-6);
  EXPECT_NEAR(second.wO, length(gradients.tensor(TensorId::wO).slice(1, 8, 16)), 1e-6);
  double squares = 0.0;
  for (const Parameter& parameter : run.model().parameters()) {
    squares += std::pow(lengthOf(parameter.gradient), 2.0);
  }
  EXPECT_NEAR(run.records().back().gradientLength, std::sqrt(squares), 1e-9);
}

TEST(Trainer, StopsWhereNumbersLeaveFloat32) {
  TrainingSettings settings = settingsOf(kNamesPrevious);
  settings.optimiser.learningRate = 1e30;
  Trainer run(kNamesPrevious, settings, kBudget);
  const auto start = numbersOf(run.model().parameters());
  while (!run.finished()) run.step({});
  ASSERT_TRUE(run.stopped());
  EXPECT_EQ(run.stopped()->step, 2);
  EXPECT_EQ(run.stopped()->tensor.rfind("layers.0.", 0), 0U) << run.stopped()->tensor;
  EXPECT_NE(run.stopped()->words.find("step 2: layers.0."), std::string::npos);
  EXPECT_EQ(run.stepsTaken(), 0);
  EXPECT_EQ(numbersOf(run.model().parameters()), start);
  EXPECT_FALSE(run.step({}));
  run.goBack(0);
  run.setLearningRate(1e-2);
  EXPECT_TRUE(run.step({}));
}

TEST(Trainer, GoesBackToASnapshotAndOnAsItDid) {
  TrainingSettings settings = settingsOf(kNamesPrevious);
  settings.evaluateEvery = 5;
  Trainer run(kNamesPrevious, settings, kBudget);
  train(run, 12);
  const auto then = numbersOf(run.model().parameters());
  const double loss = run.records().back().loss;
  run.goBack(7);
  EXPECT_EQ(run.stepsTaken(), 7);
  EXPECT_EQ(run.records().size(), 7U);
  EXPECT_EQ(run.evaluations().back().step, 5);
  train(run, 5);
  EXPECT_EQ(numbersOf(run.model().parameters()), then);
  EXPECT_EQ(run.records().back().loss, loss);
  EXPECT_EQ(run.evaluations().size(), 3U);
}

TEST(Trainer, TakesAnotherLearningRateAndBatchAtOnce) {
  Trainer run(kNamesPrevious, settingsOf(kNamesPrevious), kBudget);
  train(run, 1);
  run.setBatch(3);
  run.setLearningRate(0.0);
  const auto before = numbersOf(run.model().parameters());
  train(run, 1);
  EXPECT_EQ(run.lastPass()->config().batch, 3);
  EXPECT_EQ(numbersOf(run.model().parameters()), before);
}

TEST(Trainer, IsCancelledBetweenSteps) {
  Trainer run(kNamesPrevious, settingsOf(kNamesPrevious), kBudget);
  Trainer other(kNamesPrevious, settingsOf(kNamesPrevious), kBudget);
  std::atomic<bool> cancelled{true};
  ExecutionContext execution;
  execution.cancelled = &cancelled;
  EXPECT_FALSE(run.step(execution));
  EXPECT_EQ(run.stepsTaken(), 0);
  EXPECT_FALSE(run.stopped());
  train(run, 1);
  train(other, 1);
  EXPECT_EQ(numbersOf(run.model().parameters()), numbersOf(other.model().parameters()));
}

/// A run goes back to a step and on from it several times.
TEST(Snapshots, HoldAStepOnce) {
  TaskModel model(kNamesPrevious, settingsOf(kNamesPrevious).model, 1);
  Snapshots snapshots(0);  // full with the first, which always stays
  for (int n = 0; n < 3; ++n) {
    snapshots.add(0, model.parameters());
    snapshots.dropAfter(0);
  }
  EXPECT_EQ(snapshots.all().size(), 1U);
  EXPECT_EQ(snapshots.bytes(), snapshots.all().front().bytes());
}

TEST(Snapshots, HoldNoMoreThanTheyMayAndTheFirst) {
  TaskModel model(kNamesPrevious, settingsOf(kNamesPrevious).model, 1);
  Snapshots all(Index{1} << 30);
  all.add(0, model.parameters());
  const Index one = all.bytes();
  Snapshots snapshots(10 * one);
  std::vector<Index> steps;
  for (Index step = 0; step < 100; ++step) {
    snapshots.add(step, model.parameters());
    EXPECT_LE(snapshots.bytes(), 10 * one);
    EXPECT_EQ(snapshots.all().front().step, 0);
  }
  for (const Snapshot& snapshot : snapshots.all()) steps.push_back(snapshot.step);
  EXPECT_EQ(steps, (std::vector<Index>{0, 16, 32, 48, 64, 80, 96}));
  EXPECT_EQ(snapshots.every(), 16);
  EXPECT_EQ(snapshots.atMost(63)->step, 48);
  snapshots.dropAfter(40);
  EXPECT_EQ(snapshots.bytes(), 3 * one);
}

TEST(Snapshots, SomeStayHoweverFullItGets) {
  TaskModel model(kNamesPrevious, settingsOf(kNamesPrevious).model, 1);
  Snapshots all(Index{1} << 30);
  all.add(0, model.parameters());
  Snapshots snapshots(3 * all.bytes());
  for (Index step = 0; step < 40; ++step) snapshots.add(step, model.parameters(), step % 10 == 7);
  std::vector<Index> steps;
  for (const Snapshot& snapshot : snapshots.all()) steps.push_back(snapshot.step);
  EXPECT_EQ(steps, (std::vector<Index>{0, 7, 17, 27, 37}))
      << "more than fit, and no end is waited for";
}

void expectSettingsRefused(const TrainingSettings& settings, const std::string& words,
                           Index budget = kBudget) {
  try {
    const Trainer run(kNamesPrevious, settings, budget);
    FAIL() << "taken, without " << words;
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Trainer, RefusesWhatCannotBeTrained) {
  const TrainingSettings possible = settingsOf(kNamesPrevious);
  TrainingSettings s = possible;
  s.model.heads = 3;
  expectSettingsRefused(s, "d_model 16 does not divide into 3 heads");
  s = possible;
  s.model.layers = 0;
  expectSettingsRefused(s, "layers is 0: give 1 to 8");
  s.model.layers = 9;
  expectSettingsRefused(s, "layers is 9: give 1 to 8");
  s = possible;
  s.batch = 0;
  expectSettingsRefused(s, "batch is 0");
  s = possible;
  s.optimiser.learningRate = std::numeric_limits<double>::quiet_NaN();
  expectSettingsRefused(s, "learning rate is nan");
  s = possible;
  s.model.dModel = 65536;
  s.model.heads = 1;
  expectSettingsRefused(s, "more than the memory budget of 1.00 MB", 1'000'000);
}

}  // namespace
}  // namespace headscope::test
