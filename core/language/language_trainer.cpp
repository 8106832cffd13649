#include "core/language/language_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "core/attention/config.h"
#include "core/attention/ledger.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/language/language_pass.h"
#include "core/training/loss.h"
#include "core/training/task.h"

namespace headscope::language {
namespace {
using training::Draws;
using training::Parameter;
using training::Snapshot;
using training::Stop;

constexpr Index kMostSteps = 1'000'000;
constexpr Index kMostBatch = 1024;
constexpr Index kTextsAtOnce = 64;      // of an evaluation
constexpr Index kHeldOutTokens = 4096;  // at least

void requireNumber(const char* name, double value, const char* wayOut) {
  if (std::isfinite(value) && value >= 0.0) return;
  throw UserError(fmt::format("the {} is {}: {}", name, value, wayOut));
}

/// Multiplies and adds of a forward pass over `tokens` tokens.
Index flopsOf(const LanguageSettings& settings, Index vocabulary, Index tokens) {
  const Index perToken = 2 * parameterCount(settings.model, vocabulary) +
                         4 * settings.model.layers * settings.model.context * settings.model.dModel;
  return perToken * tokens;
}

/// The bytes of a pass over `texts` texts, and with `backward` of its gradients.
Index bytesOfPass(const LanguageSettings& settings, Index vocabulary, Index texts, bool backward) {
  const LanguageModelSettings& m = settings.model;
  AttentionConfig attention = configOf(m, vocabulary).attention(0, m.context);
  attention.batch = texts;
  const Index rows = texts * m.context;
  const Index networks = m.networks ? 8 * m.dModel : 0;  // two products of 4 D
  const Index perLayer =
      ledger(attention).residentBytes + rows * (6 * m.dModel + networks) * Index{4};
  const Index rest = rows * (4 * m.dModel + 2 * vocabulary) * Index{4};
  return m.layers * perLayer + rest + (backward ? 2 * perLayer : 0);
}

/// The texts of a batch and the tokens that follow each of theirs.
struct Batch {
  Texts texts;
  training::Examples next;  // the answers
};

Batch emptyBatch(Index count, Index length) {
  Batch batch{{count, length, {}}, {}};
  batch.next.count = count;
  batch.next.length = length;
  batch.next.answers.emplace_back();
  return batch;
}

/// Adds `length` tokens from `start` on, and those that follow them.
void addText(Batch& batch, const std::vector<std::int32_t>& from, Index start) {
  const auto first = from.begin() + start;
  batch.texts.tokens.insert(batch.texts.tokens.end(), first, first + batch.texts.length);
  std::vector<float>& answers = batch.next.answers.front();
  std::transform(first + 1, first + 1 + batch.texts.length, std::back_inserter(answers),
                 [](std::int32_t token) { return static_cast<float>(token); });
}

std::vector<training::Question> nextToken(Index vocabulary) {
  return {{"next", "the next token", vocabulary}};
}

}  // namespace

Index bytesOf(const LanguageSettings& s, Index vocabulary) {
  const Index numbers = 4 * parameterCount(s.model, vocabulary);  // with gradients and moments
  return numbers * static_cast<Index>(sizeof(float)) + s.snapshotBytes +
         bytesOfPass(s, vocabulary, s.batch, true) +
         bytesOfPass(s, vocabulary, kTextsAtOnce, false);
}

void checkTraining(const LanguageSettings& s, Index vocabulary, Index memoryBudgetBytes) {
  checkModel(s.model);
  requireCount("batch", s.batch, 1, kMostBatch);
  requireCount("steps", s.steps, 0, kMostSteps);
  requireCount("warm-up steps", s.warmUp, 0, kMostSteps);
  requireCount("evaluate every", s.evaluateEvery, 1, kMostSteps);
  requireCount("snapshot bytes", s.snapshotBytes, 0, std::numeric_limits<Index>::max() / 2);
  requireNumber("learning rate", s.optimiser.learningRate, "give a number from 0, such as 0.001");
  requireNumber("weight decay", s.optimiser.weightDecay, "give a number from 0");
  requireNumber("longest gradient", s.optimiser.clip, "give a number from 0");
  const Index needed = bytesOf(s, vocabulary);
  if (needed <= memoryBudgetBytes) return;
  throw UserError(fmt::format(
      "training {} layers of d_model {} with batches of {} texts of {} tokens needs {}, more than "
      "the memory budget of {}: reduce batch, context, d_model or layers",
      s.model.layers, s.model.dModel, s.batch, s.model.context, bytesInWords(needed),
      bytesInWords(memoryBudgetBytes)));
}

double learningRateAt(const LanguageSettings& s, Index step) {
  const double rising =
      s.warmUp > 0 ? std::min(1.0, static_cast<double>(step) / static_cast<double>(s.warmUp)) : 1.0;
  const double through =
      s.steps > 0 ? static_cast<double>(step - 1) / static_cast<double>(s.steps) : 0.0;
  return s.optimiser.learningRate * rising * 0.5 *
         (1.0 + std::cos(std::numbers::pi * std::min(1.0, through)));
}

LanguageTrainer::LanguageTrainer(CorpusPtr corpus, const LanguageSettings& settings,
                                 Index memoryBudgetBytes)
    : corpus_(std::move(corpus)),
      settings_((checkTraining(settings, corpus_->vocabulary, memoryBudgetBytes), settings)),
      memoryBudgetBytes_(memoryBudgetBytes),
      model_(settings.model, corpus_->vocabulary, settings.seed),
      memory_(std::make_shared<BlockStore>()),
      snapshots_(settings.snapshotBytes) {
  const Index needed = settings.model.context + 1;
  if (corpus_->stories && settings.model.context < kStoryContext) {
    throw UserError(fmt::format(
        "context is {}, and the questions about stories are up to {} tokens long: give at least {}",
        settings.model.context, kStoryContext, kStoryContext));
  }
  if (std::ssize(corpus_->training) < needed || std::ssize(corpus_->heldOut) < needed) {
    throw UserError(fmt::format(
        "{} has {} tokens to learn from and {} held out, fewer than a text of {} and the next "
        "token: choose a longer text or a smaller context",
        corpus_->title, corpus_->training.size(), corpus_->heldOut.size(), needed - 1));
  }
  keepMemory();
}

LanguageTrainer::~LanguageTrainer() = default;

void LanguageTrainer::keepMemory() {
  memory_->keepFree(bytesOfPass(settings_, corpus_->vocabulary, settings_.batch, true) +
                    bytesOfPass(settings_, corpus_->vocabulary, kTextsAtOnce, false));
}

ExecutionContext LanguageTrainer::withMemory(const ExecutionContext& given) const {
  ExecutionContext execution = given;
  execution.memory = memory_;
  return execution;
}

int LanguageTrainer::threadsOf(Index tokens, const ExecutionContext& execution) const {
  return threadsFor(flopsOf(settings_, corpus_->vocabulary, tokens), execution.threads,
                    execution.flopsPerThread);
}

bool LanguageTrainer::step(const ExecutionContext& given) {
  if (stopped_) return false;
  if (evaluations_.empty() && !evaluate(given)) return false;
  const ExecutionContext execution = withMemory(given);
  const ScopedThreadLimit threads(
      threadsOf(3 * settings_.batch * settings_.model.context, execution));
  if (!train(execution)) return false;
  const bool due = stepsTaken_ % settings_.evaluateEvery == 0 || stepsTaken_ == settings_.steps;
  if (due) evaluate(given);  // the step counts even where the evaluation is cancelled
  return !stopped_;
}

bool LanguageTrainer::train(const ExecutionContext& execution) {
  const double start = clockSeconds();
  Draws draws(settings_.seed, fmt::format("batch {}", stepsTaken_));
  Batch batch = emptyBatch(settings_.batch, settings_.model.context);
  const Index starts = std::ssize(corpus_->training) - settings_.model.context;
  for (Index text = 0; text < settings_.batch; ++text) {
    addText(batch, corpus_->training, draws.below(starts));
  }
  LanguagePass pass(model_, batch.texts);
  if (!pass.forward(execution)) return false;
  Tensor gradient = Tensor::uninitialised(pass.logits().shape(), execution.memory);
  const auto next = nextToken(corpus_->vocabulary);
  const double loss = training::lossesOf(pass.logits(), next, batch.next, execution, gradient).loss;
  if (execution.stop()) return false;
  if (!std::isfinite(loss)) {
    stop(pass.firstNotFinite());
    return false;
  }
  if (!pass.backward(model_, gradient, execution)) return false;
  training::OptimiserSettings optimiser = settings_.optimiser;
  optimiser.learningRate = learningRateAt(settings_, stepsTaken_ + 1);
  const ExecutionContext whole{execution.threads};  // a step that has begun is not cancelled
  const double length = training::takeStep(model_.parameters(), optimiser, stepsTaken_ + 1, whole);
  if (!std::isfinite(length)) {
    const auto parameters = model_.parameters();
    const auto found = std::ranges::find_if(parameters, [](const Parameter& parameter) {
      return !std::isfinite(training::lengthOf(parameter.gradient));
    });
    stop("the gradient of " + (found == parameters.end() ? "the whole" : found->name));
    return false;
  }
  ++stepsTaken_;
  records_.push_back({stepsTaken_, loss, length});
  trainingMs_ += millisecondsSince(start);
  return true;
}

/// Texts that lie evenly in the held-out part, and the pass over them.
struct LanguageTrainer::HeldOut {
  Texts texts;
  training::Examples next;  // the tokens that follow
  std::unique_ptr<LanguagePass> pass;
};

bool LanguageTrainer::evaluate(const ExecutionContext& given) {
  if (stopped_) return false;
  if (!evaluations_.empty() && evaluations_.back().step == stepsTaken_) return true;
  const ExecutionContext execution = withMemory(given);
  const ScopedThreadLimit threads(threadsOf(kTextsAtOnce * settings_.model.context, execution));
  LanguageEvaluation evaluation;
  evaluation.step = stepsTaken_;
  const std::unique_ptr<const HeldOut> held = heldOut(execution);
  if (!held) return false;
  evaluation.heldOutLoss = training::lossesOf(held->pass->logits(), nextToken(corpus_->vocabulary),
                                              held->next, execution)
                               .loss;
  if (execution.stop()) return false;
  if (!std::isfinite(evaluation.heldOutLoss)) {
    stop("the loss of the held-out text");
    return false;
  }
  for (std::size_t q = 0; corpus_->stories && q < kStoryQuestions; ++q) {
    std::optional<AnsweredQuestion> answered = answersTo(model_, q, execution);
    if (!answered) return false;
    evaluation.questions.push_back(std::move(*answered));
  }
  evaluations_.push_back(std::move(evaluation));
  snapshots_.add(stepsTaken_, model_.parameters());
  return true;
}

std::unique_ptr<const LanguageTrainer::HeldOut> LanguageTrainer::heldOut(
    const ExecutionContext& execution) const {
  const Index length = settings_.model.context;
  const Index count = std::max<Index>(1, kHeldOutTokens / length);
  Batch batch = emptyBatch(count, length);
  const Index starts = std::ssize(corpus_->heldOut) - length;
  for (Index text = 0; text < count; ++text) {
    addText(batch, corpus_->heldOut, text * starts / count);
  }
  auto held = std::make_unique<HeldOut>();
  held->texts = std::move(batch.texts);
  held->next = std::move(batch.next);
  held->pass = std::make_unique<LanguagePass>(model_, held->texts);
  if (!held->pass->forward(execution)) return nullptr;
  return held;
}

std::optional<std::vector<HeadSimilarity>> LanguageTrainer::similarity(
    const ExecutionContext& execution) const {
  const auto held = heldOut(execution);
  if (!held) return std::nullopt;
  std::vector<HeadSimilarity> layers;
  for (Index layer = 0; layer < settings_.model.layers; ++layer) {
    auto of = headSimilarity(held->pass->weights(layer), execution);
    if (!of) return std::nullopt;
    layers.push_back(std::move(*of));
  }
  return layers;
}

/// Restores the parameters of the last good snapshot; the curves stay as they are.
void LanguageTrainer::stop(std::string tensor) {
  Stop why{stepsTaken_ + 1, std::move(tensor), 0, {}};
  if (why.tensor.empty()) why.tensor = "the loss";
  if (const Snapshot* good = snapshots_.atMost(stepsTaken_)) {
    goBack(good->step);
    why.back = good->step;
  }
  why.words = fmt::format(
      "step {}: {} does not fit a 32-bit float; the parameters are those after step {} again: "
      "train with a lower learning rate than {}",
      why.step, why.tensor, why.back, settings_.optimiser.learningRate);
  stopped_ = std::move(why);
}

void LanguageTrainer::goBack(Index step) {
  const Snapshot* snapshot = snapshots_.atMost(step);
  if (snapshot == nullptr) throw std::logic_error("no snapshot of so early a step");
  putInto(*snapshot, model_.parameters());
  stepsTaken_ = snapshot->step;
  snapshots_.dropAfter(stepsTaken_);
  std::erase_if(records_, [this](const LanguageRecord& r) { return r.step > stepsTaken_; });
  std::erase_if(evaluations_, [this](const LanguageEvaluation& e) { return e.step > stepsTaken_; });
  stopped_.reset();
}

void LanguageTrainer::change(const LanguageSettings& settings) {
  checkTraining(settings, corpus_->vocabulary, memoryBudgetBytes_);
  settings_ = settings;
  keepMemory();
}

void LanguageTrainer::setLearningRate(double rate) {
  LanguageSettings changed = settings_;
  changed.optimiser.learningRate = rate;
  change(changed);
}

void LanguageTrainer::setBatch(Index batch) {
  LanguageSettings changed = settings_;
  changed.batch = batch;
  change(changed);
}

void LanguageTrainer::setSteps(Index steps) {
  LanguageSettings changed = settings_;
  changed.steps = steps;
  change(changed);
}

std::string LanguageTrainer::nameAt(Index step) const {
  return fmt::format("{}, step {}", corpus_->title, step);
}

model::ModelPtr LanguageTrainer::modelNow() const { return model_.model(nameAt(stepsTaken_)); }

model::ModelPtr LanguageTrainer::modelAt(Index step) const {
  const Snapshot* snapshot = snapshots_.atMost(step);
  if (snapshot == nullptr) throw std::logic_error("no snapshot of so early a step");
  LanguageModel earlier(settings_.model, corpus_->vocabulary, settings_.seed);
  putInto(*snapshot, earlier.parameters());
  return earlier.model(nameAt(snapshot->step));
}

std::optional<Index> LanguageTrainer::answeredAt(std::size_t question) const {
  const double solved = storyQuestions()[question].solved;
  const auto first = std::ranges::find_if(evaluations_, [=](const LanguageEvaluation& e) {
    return question < e.questions.size() && e.questions[question].right >= solved;
  });
  return first == evaluations_.end() ? std::nullopt : std::optional(first->step);
}

void LanguageTrainer::resume(State state) {
  stepsTaken_ = state.stepsTaken;
  trainingMs_ = state.trainingMs;
  records_ = std::move(state.records);
  evaluations_ = std::move(state.evaluations);
}

}  // namespace headscope::language
