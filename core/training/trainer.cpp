#include "core/training/trainer.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/attention/config.h"
#include "core/attention/gradients.h"
#include "core/attention/ledger.h"
#include "core/attention/limits.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/training/task_pass.h"

namespace headscope::training {
namespace {

constexpr Index kMostSteps = 100'000;

using Numbers2D = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

double squaresOf(const ConstMatrixView& m) {
  const Eigen::Map<const Numbers2D, 0, Eigen::OuterStride<>> cells(
      m.data, m.rows, m.cols, Eigen::OuterStride<>(m.rowStride));
  return static_cast<double>(cells.square().sum());
}

float root(double squares) { return static_cast<float>(std::sqrt(squares)); }

/// The lengths of the gradients of every head, layer by layer.
std::vector<HeadGradients> headGradientsOf(const TaskPass& pass, const ModelSettings& model,
                                           const ExecutionContext& execution) {
  const Index batch = pass.config().batch;
  const Index heads = model.heads;
  const Index width = model.dModel / heads;
  std::vector<double> squares(static_cast<std::size_t>(model.layers * batch * heads));
  parallelFor(model.layers * batch, execution, [&](Index piece) {
    const Tensor& scores = pass.gradients(piece / batch).tensor(TensorId::rawScores);
    for (Index head = 0; head < heads; ++head) {
      squares[static_cast<std::size_t>(piece * heads + head)] =
          squaresOf(scores.matrix({piece % batch, head}));
    }
  });
  std::vector<HeadGradients> all(static_cast<std::size_t>(model.layers * heads));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto layer = static_cast<Index>(i) / heads;
    const auto head = static_cast<Index>(i) % heads;
    double scores = 0.0;
    for (Index item = 0; item < batch; ++item) {
      scores += squares[static_cast<std::size_t>((layer * batch + item) * heads + head)];
    }
    const Gradients& gradients = pass.gradients(layer);
    const auto rows = [&](TensorId id) {
      return root(squaresOf(
          gradients.tensor(id).matrixOf(Box{0, 0, head * width, width, 0, model.dModel})));
    };
    all[i] = {root(scores), rows(TensorId::wQ), rows(TensorId::wK), rows(TensorId::wV),
              root(squaresOf(gradients.tensor(TensorId::wO)
                                 .matrixOf(Box{0, 0, 0, model.dModel, head * width, width})))};
  }
  return all;
}

Index classesOf(const Task& task) {
  Index classes = 0;
  for (const Question& question : task.questions) classes += question.classes;
  return classes;
}

/// The most bytes of a pass over `examples` examples: results, h, logits and the examples, and with
/// `backward` also the gradients.
Index bytesOfPass(const Task& task, const ModelSettings& model, Index examples, bool backward) {
  const Ledger cost = ledger(attentionOf(task, model, examples));
  const Index both = backward ? 2 : 1;
  const Index rows = examples * task.length;
  const Index perLayer = cost.residentBytes + (both - 1) * cost.resultBytes +
                         both * rows * model.dModel * static_cast<Index>(sizeof(float));
  const auto questions = static_cast<Index>(task.questions.size());
  const auto relations = static_cast<Index>(task.relations.size());
  return model.layers * perLayer + rows * (both * classesOf(task) + model.dModel) * 4 +
         rows * (questions * 4 + relations * task.length + 64);
}

void requireNumber(double value, double least, const char* name, const char* wayOut) {
  if (std::isfinite(value) && value >= least) return;
  throw UserError(fmt::format("the {} is {}: {}", name, value, wayOut));
}

}  // namespace

TrainingSettings settingsOf(const Task& task) {
  const TaskSettings t = task.settings;
  TrainingSettings settings;
  settings.model = t.model;
  settings.optimiser.learningRate = t.learningRate;
  settings.batch = t.batch;
  settings.steps = t.steps;
  return settings;
}

Index bytesOf(const Task& task, const TrainingSettings& settings) {
  const Index numbers = 4 * parameterCount(task, settings.model);  // with gradients and moments
  const Index record =
      static_cast<Index>(sizeof(StepRecord)) +
      settings.model.layers * settings.model.heads * static_cast<Index>(sizeof(HeadGradients));
  return numbers * static_cast<Index>(sizeof(float)) + settings.steps * record +
         settings.snapshotBytes + bytesOfPass(task, settings.model, settings.batch, true) +
         bytesOfPass(task, settings.model, kEvaluationExamples, false);
}

void checkTraining(const Task& task, const TrainingSettings& settings, Index memoryBudgetBytes) {
  const ModelSettings& m = settings.model;
  const auto count = [](const char* name, Index value, Index least, Index most) {
    if (value >= least && value <= most) return;
    throw UserError(fmt::format("{} is {}: give {} to {}", name, value, least, most));
  };
  count("layers", m.layers, 1, kMostLayers);
  count("batch", settings.batch, 1, Limits::kBatch);
  count("steps", settings.steps, 0, kMostSteps);
  count("evaluate every", settings.evaluateEvery, 1, kMostSteps);
  count("snapshot bytes", settings.snapshotBytes, 0, std::numeric_limits<Index>::max() / 2);
  auto problems = validate(attentionOf(task, m, settings.batch), HeadWidth::divided);
  if (!problems.empty()) throw UserError(std::move(problems));
  requireNumber(m.embeddingScale, 0.0, "embedding's scale", "give a number from 0");
  requireNumber(settings.optimiser.learningRate, 0.0, "learning rate",
                "give a number from 0, such as 0.01");
  requireNumber(settings.optimiser.weightDecay, 0.0, "weight decay", "give a number from 0");
  requireNumber(settings.optimiser.clip, 0.0, "longest gradient", "give a number from 0");
  const Index needed = bytesOf(task, settings);
  if (needed <= memoryBudgetBytes) return;
  throw UserError(
      fmt::format("training {} × {} heads of d_model {} with batches of {} needs {}, more than the "
                  "memory budget of {}: reduce batch, d_model, heads, layers or steps",
                  m.layers, m.heads, m.dModel, settings.batch, bytesInWords(needed),
                  bytesInWords(memoryBudgetBytes)));
}

Examples evaluationExamples(const Task& task) {
  Draws draws(0, "evaluation");
  return task.examples(kEvaluationExamples, draws);
}

std::optional<Evaluation> evaluationOf(const TaskPass& pass, const Task& task, Index step,
                                       const ExecutionContext& execution) {
  Evaluation evaluation{
      step, lossesOf(pass.logits(), task.questions, pass.examples(), execution), {}};
  std::vector<Tensor> weights;
  for (Index layer = 0; layer < pass.layers(); ++layer) {
    weights.push_back(pass.layer(layer).tensor(TensorId::weights));
  }
  std::optional<Roles> roles = rolesOf(weights, pass.examples(), execution);
  if (!roles || execution.stop()) return std::nullopt;
  evaluation.roles = std::move(*roles);
  return evaluation;
}

Trainer::Trainer(const Task& task, const TrainingSettings& settings, Index memoryBudgetBytes)
    : settings_((checkTraining(task, settings, memoryBudgetBytes), settings)),
      memoryBudgetBytes_(memoryBudgetBytes),
      model_(task, settings.model, settings.seed),
      evaluation_(evaluationExamples(task)),
      memory_(std::make_shared<BlockStore>()),
      snapshots_(settings.snapshotBytes) {
  keepMemory();
}

Trainer::~Trainer() = default;

void Trainer::keepMemory() {
  memory_->keepFree(bytesOfPass(task(), settings_.model, settings_.batch, true) +
                    bytesOfPass(task(), settings_.model, kEvaluationExamples, false));
}

ExecutionContext Trainer::withMemory(const ExecutionContext& given) const {
  ExecutionContext execution = given;
  execution.memory = memory_;
  return execution;
}

bool Trainer::step(const ExecutionContext& given) {
  if (stopped_) return false;
  const ExecutionContext execution = withMemory(given);
  if (evaluations_.empty() && !evaluate(execution)) return false;
  // one product forward, two backward: one for each of its operands
  const ScopedThreadLimit threads(
      threadsOfPass(task(), settings_.model, 3 * settings_.batch, execution));
  if (!train(execution)) return false;
  const bool due = stepsTaken_ % settings_.evaluateEvery == 0 || stepsTaken_ == settings_.steps;
  if (due) evaluate(execution);  // the step counts even where the evaluation is cancelled
  return !stopped_;
}

bool Trainer::evaluate(const ExecutionContext& given) {
  if (stopped_) return false;
  if (!evaluations_.empty() && evaluations_.back().step == stepsTaken_) return true;
  const ExecutionContext execution = withMemory(given);
  const ScopedThreadLimit threads(
      threadsOfPass(task(), settings_.model, kEvaluationExamples, execution));
  return takeEvaluation(execution);
}

bool Trainer::train(const ExecutionContext& execution) {
  const double start = clockSeconds();
  pass_.reset();
  Draws draws(settings_.seed, fmt::format("batch {}", stepsTaken_));
  batch_ = task().examples(settings_.batch, draws);
  auto pass = std::make_unique<TaskPass>(model_, batch_);
  if (!pass->forward(execution)) return false;
  Tensor gradient = Tensor::uninitialised(pass->logits().shape(), execution.memory);
  const Losses losses = lossesOf(pass->logits(), task().questions, batch_, execution, gradient);
  if (!std::isfinite(losses.loss) || pass->overflowed()) {
    stop(pass->firstNotFinite());
    return false;
  }
  if (!pass->backward(model_, gradient, execution)) return false;
  StepRecord record{stepsTaken_ + 1, losses.loss, 0.0,
                    headGradientsOf(*pass, settings_.model, execution)};
  if (execution.stop()) return false;
  snapshots_.add(stepsTaken_, model_.parameters(), foundNow());
  const ExecutionContext whole{execution.threads};  // a step that has begun is not cancelled
  record.gradientLength =
      takeStep(model_.parameters(), settings_.optimiser, stepsTaken_ + 1, whole);
  if (!std::isfinite(record.gradientLength)) {
    const auto parameters = model_.parameters();
    const auto found = std::find_if(
        parameters.begin(), parameters.end(),
        [](const Parameter& parameter) { return !std::isfinite(lengthOf(parameter.gradient)); });
    stop("the gradient of " + (found == parameters.end() ? "the whole" : found->name));
    return false;
  }
  records_.push_back(std::move(record));
  pass_ = std::move(pass);
  ++stepsTaken_;
  trainingMs_ += millisecondsSince(start);
  return true;
}

bool Trainer::takeEvaluation(const ExecutionContext& execution) {
  TaskPass pass(model_, evaluation_);
  if (!pass.forward(execution)) return false;
  std::optional<Evaluation> evaluation = evaluationOf(pass, task(), stepsTaken_, execution);
  if (!evaluation) return false;
  if (!std::isfinite(evaluation->losses.loss) || pass.overflowed()) {
    stop(pass.firstNotFinite());
    return false;
  }
  evaluations_.push_back(std::move(*evaluation));
  return true;
}

/// Restores the parameters of the last good snapshot, and drops the curves after it.
void Trainer::stop(std::string tensor) {
  Stop why{stepsTaken_ + 1, std::move(tensor), 0, {}};
  if (why.tensor.empty()) why.tensor = "the loss";
  if (const Snapshot* good = snapshots_.atMost(stepsTaken_)) {
    goBack(good->step);
    why.back = good->step;
  }
  why.words = fmt::format(
      "step {}: {} does not fit a 32-bit float; the parameters are those after step {} again: "
      "train with a lower learning rate than {}",
      withThousands(why.step), why.tensor, withThousands(why.back),
      settings_.optimiser.learningRate);
  stopped_ = std::move(why);
}

void Trainer::goBack(Index step) {
  const Snapshot* snapshot = snapshots_.atMost(step);
  if (snapshot == nullptr) throw std::logic_error("no snapshot of so early a step");
  putInto(*snapshot, model_.parameters());
  stepsTaken_ = snapshot->step;
  snapshots_.dropAfter(stepsTaken_);
  std::erase_if(records_, [this](const StepRecord& r) { return r.step > stepsTaken_; });
  std::erase_if(evaluations_, [this](const Evaluation& e) { return e.step > stepsTaken_; });
  pass_.reset();
  stopped_.reset();
}

void Trainer::change(const TrainingSettings& settings) {
  checkTraining(task(), settings, memoryBudgetBytes_);
  settings_ = settings;
  keepMemory();
}

void Trainer::setLearningRate(double rate) {
  TrainingSettings changed = settings_;
  changed.optimiser.learningRate = rate;
  change(changed);
}

void Trainer::setBatch(Index batch) {
  TrainingSettings changed = settings_;
  changed.batch = batch;
  change(changed);
}

void Trainer::setSteps(Index steps) {
  TrainingSettings changed = settings_;
  changed.steps = steps;
  change(changed);
}

std::optional<Index> Trainer::foundAt(std::size_t relation) const {
  const auto first =
      std::find_if(evaluations_.begin(), evaluations_.end(),
                   [relation](const Evaluation& e) { return e.roles.relations[relation].found; });
  return first == evaluations_.end() ? std::nullopt : std::optional(first->step);
}

bool Trainer::foundNow() const {
  if (evaluations_.back().step != stepsTaken_) return false;
  for (std::size_t r = 0; r < task().relations.size(); ++r) {
    if (foundAt(r) == stepsTaken_) return true;
  }
  return false;
}

void Trainer::resume(State state) {
  stepsTaken_ = state.stepsTaken;
  trainingMs_ = state.trainingMs;
  records_ = std::move(state.records);
  evaluations_ = std::move(state.evaluations);
}

}  // namespace headscope::training
