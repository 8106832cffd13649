#include "core/language/language_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/language/language_pass.h"
#include "core/training/loss.h"
#include "core/training/task.h"

namespace headscope::language {
namespace {
using model_training::ModelTrainer;
using training::Draws;

/// The texts of so many tokens that an evaluation runs at once.
Index heldOutTexts(Index length) {
  constexpr Index kTokens = 4096;
  return std::max<Index>(1, kTokens / length);
}

/// Multiplies and adds of a forward pass over `tokens` tokens.
Index flopsOf(const LanguageSettings& s, Index vocabulary, Index tokens) {
  return tokens * model_training::flopsPerToken(s.model, parameterCount(s.model, vocabulary),
                                                s.model.context);
}

/// The bytes of a pass over `texts` texts, and with `backward` of its gradients.
Index bytesOfTexts(const LanguageSettings& s, Index vocabulary, Index texts, bool backward) {
  const Index length = s.model.context;
  return model_training::bytesOfPass(configOf(s.model, vocabulary), texts, length,
                                     texts * length * vocabulary, backward);
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
  return bytesOfRun(s, parameterCount(s.model, vocabulary)) +
         bytesOfTexts(s, vocabulary, s.batch, true) +
         bytesOfTexts(s, vocabulary, heldOutTexts(s.model.context), false);
}

void checkTraining(const LanguageSettings& s, Index vocabulary, Index memoryBudgetBytes) {
  checkModel(s.model);
  checkSchedule(s);
  const Index needed = bytesOf(s, vocabulary);
  if (needed <= memoryBudgetBytes) return;
  throw UserError(fmt::format(
      "training {} layers of d_model {} with batches of {} texts of {} tokens needs {}, more than "
      "the memory budget of {}: reduce batch, context, d_model or layers",
      s.model.layers, s.model.dModel, withThousands(s.batch), withThousands(s.model.context),
      bytesInWords(needed), bytesInWords(memoryBudgetBytes)));
}

LanguageTrainer::LanguageTrainer(CorpusPtr corpus, const LanguageSettings& settings,
                                 Index memoryBudgetBytes)
    : EvaluatedTrainer(settings),
      corpus_(std::move(corpus)),
      settings_((checkTraining(settings, corpus_->vocabulary, memoryBudgetBytes), settings)),
      memoryBudgetBytes_(memoryBudgetBytes),
      model_(settings.model, corpus_->vocabulary, settings.seed) {
  const Index needed = settings.model.context + 1;
  if (corpus_->stories && settings.model.context < kStoryContext) {
    throw UserError(fmt::format(
        "context is {}, and the questions about stories are up to {} tokens long: give at least {}",
        settings.model.context, withThousands(kStoryContext), kStoryContext));
  }
  if (std::ssize(corpus_->training) < needed || std::ssize(corpus_->heldOut) < needed) {
    throw UserError(fmt::format(
        "{} has {} tokens to learn from and {} held out, fewer than a text of {} and the next "
        "token: choose a longer text or a smaller context",
        corpus_->title, withThousands(std::ssize(corpus_->training)), corpus_->heldOut.size(),
        needed - 1));
  }
  keepMemory();
}

ModelTrainer::Work LanguageTrainer::stepWork() const {
  return {flopsOf(settings_, corpus_->vocabulary, 3 * settings_.batch * settings_.model.context),
          bytesOfTexts(settings_, corpus_->vocabulary, settings_.batch, true)};
}

ModelTrainer::Work LanguageTrainer::evaluationWork() const {
  const Index texts = heldOutTexts(settings_.model.context);
  return {flopsOf(settings_, corpus_->vocabulary, texts * settings_.model.context),
          bytesOfTexts(settings_, corpus_->vocabulary, texts, false)};
}

std::optional<ModelTrainer::BatchResult> LanguageTrainer::runBatch(
    Index step, const ExecutionContext& execution) {
  Draws draws(settings_.seed, fmt::format("batch {}", step));
  Batch batch = emptyBatch(settings_.batch, settings_.model.context);
  const Index starts = std::ssize(corpus_->training) - settings_.model.context;
  for (Index text = 0; text < settings_.batch; ++text) {
    addText(batch, corpus_->training, draws.below(starts));
  }
  LanguagePass pass(model_, batch.texts);
  if (!pass.forward(execution)) return std::nullopt;
  Tensor gradient = Tensor::uninitialised(pass.logits().shape(), execution.memory);
  const auto next = nextToken(corpus_->vocabulary);
  const double loss = training::lossesOf(pass.logits(), next, batch.next, execution, gradient).loss;
  if (execution.stop()) return std::nullopt;
  if (!std::isfinite(loss)) return BatchResult{loss, pass.firstNotFinite()};
  if (!pass.backward(model_, gradient, execution)) return std::nullopt;
  return BatchResult{loss};
}

/// Texts that lie evenly in the held-out part, and the pass over them.
struct LanguageTrainer::HeldOut {
  Texts texts;
  training::Examples next;  // the tokens that follow
  std::unique_ptr<LanguagePass> pass;
};

std::optional<ModelTrainer::BatchResult> LanguageTrainer::addEvaluation(
    const ExecutionContext& execution) {
  LanguageEvaluation evaluation;
  evaluation.step = stepsTaken();
  const std::unique_ptr<const HeldOut> held = heldOut(execution);
  if (!held) return std::nullopt;
  evaluation.heldOutLoss = training::lossesOf(held->pass->logits(), nextToken(corpus_->vocabulary),
                                              held->next, execution)
                               .loss;
  if (execution.stop()) return std::nullopt;
  const BatchResult result{evaluation.heldOutLoss, "the loss of the held-out text"};
  if (!std::isfinite(result.loss)) return result;
  for (std::size_t q = 0; corpus_->stories && q < kStoryQuestions; ++q) {
    std::optional<AnsweredQuestion> answered = answersTo(model_, q, execution);
    if (!answered) return std::nullopt;
    evaluation.questions.push_back(std::move(*answered));
  }
  keep(std::move(evaluation));
  return result;
}

bool LanguageTrainer::madeDiscovery() const {
  for (std::size_t q = 0; corpus_->stories && q < kStoryQuestions; ++q) {
    if (answeredAt(q) == stepsTaken()) return true;
  }
  return false;
}

std::unique_ptr<const LanguageTrainer::HeldOut> LanguageTrainer::heldOut(
    const ExecutionContext& execution) const {
  const Index length = settings_.model.context;
  const Index count = heldOutTexts(length);
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

void LanguageTrainer::change(const model_training::Schedule& schedule) {
  const LanguageSettings changed{schedule, settings_.model};
  checkTraining(changed, corpus_->vocabulary, memoryBudgetBytes_);
  settings_ = changed;
}

std::string LanguageTrainer::nameAt(Index step) const {
  return fmt::format("{}, step {}", corpus_->title, withThousands(step));
}

model::ModelPtr LanguageTrainer::modelNow() const { return model_.model(nameAt(stepsTaken())); }

model::ModelPtr LanguageTrainer::modelAt(Index step) const {
  const training::Snapshot& snapshot = snapshotAt(step);
  LanguageModel earlier(settings_.model, corpus_->vocabulary, settings_.seed);
  putInto(snapshot, earlier.parameters());
  return earlier.model(nameAt(snapshot.step));
}

std::optional<Index> LanguageTrainer::answeredAt(std::size_t question) const {
  const double solved = storyQuestions()[question].solved;
  const auto first = std::ranges::find_if(evaluations(), [=](const LanguageEvaluation& e) {
    return question < e.questions.size() && e.questions[question].right >= solved;
  });
  return first == evaluations().end() ? std::nullopt : std::optional(first->step);
}

}  // namespace headscope::language
