#include "core/training/head_off.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/platform/threads.h"
#include "core/training/task_pass.h"

namespace headscope::training {
namespace {

/// Points of accuracy, or of R², that count as a loss.
constexpr double kNoticeable = 0.02;

/// The losses of a pass whose logits are computed; nothing where cancelled.
std::optional<Losses> lossesOf(const TaskModel& model, const TaskPass& pass,
                               const ExecutionContext& execution) {
  Losses losses = lossesOf(pass.logits(), model.task().questions, pass.examples(), execution);
  if (execution.stop()) return std::nullopt;
  return losses;
}

}  // namespace

std::optional<HeadsOff> switchEachOff(const TaskModel& model, const Examples& examples,
                                      const ExecutionContext& execution) {
  const ScopedThreadLimit threads(
      threadsOfPass(model.task(), model.settings(), examples.count, execution));
  HeadsOff off;
  TaskPass whole(model, examples);
  if (!whole.forward(execution)) return std::nullopt;
  auto all = lossesOf(model, whole, execution);
  if (!all) return std::nullopt;
  off.all = std::move(*all);
  for (Index layer = 0; layer < model.settings().layers; ++layer) {
    auto& ofLayer = off.without.emplace_back();
    for (Index head = 0; head < model.settings().heads; ++head) {
      TaskPass pass(model, examples);
      pass.switchOff({layer, head});
      if (!pass.forward(execution, &whole)) return std::nullopt;
      auto losses = lossesOf(model, pass, execution);
      if (!losses) return std::nullopt;
      ofLayer.push_back(std::move(*losses));
    }
  }
  return off;
}

std::optional<HeadMissed> mostMissed(const HeadsOff& off, std::size_t question) {
  const double with = off.all.questions[question].accuracy;
  std::optional<HeadMissed> most;
  for (std::size_t layer = 0; layer < off.without.size(); ++layer) {
    for (std::size_t head = 0; head < off.without[layer].size(); ++head) {
      const double without = off.without[layer][head].questions[question].accuracy;
      if (with - without < kNoticeable || (most && without >= most->without)) continue;
      most = {{static_cast<Index>(layer), static_cast<Index>(head)}, with, without};
    }
  }
  return most;
}

std::string accuracyInWords(const Question& question, double accuracy) {
  if (question.classes > 1) return fmt::format("{:.0f} %", 100.0 * accuracy);
  return fmt::format("R² {}{:.2f}", accuracy < 0.0 ? "−" : "", std::abs(accuracy));
}

std::string headInWords(const HeadOfLayer& head, Index layers) {
  if (layers == 1) return fmt::format("head {}", head.head + 1);
  return fmt::format("layer {}, head {}", head.layer + 1, head.head + 1);
}

/// Returns whether the answers are no better than guesses: fewer than twice as many are right as by
/// chance, or of numbers, hardly more is explained than by their mean.
static bool guesses(const Question& question, double accuracy) {
  return accuracy < (question.classes > 1 ? 2.0 / static_cast<double>(question.classes) : 0.1);
}

std::string headsOffInWords(const Task& task, const HeadsOff& off) {
  std::string words, guessed;
  const auto& questions = task.questions;
  for (std::size_t q = 0; q < questions.size(); ++q) {
    if (!guesses(questions[q], off.all.questions[q].accuracy)) continue;
    guessed += fmt::format("{}“{}”", guessed.empty() ? "" : ", ", questions[q].name);
  }
  if (!guessed.empty()) {
    words = fmt::format(
        "Still guessed: {}. Train first: only what is answered can be lost without a head.",
        guessed);
  }
  for (std::size_t q = 0; q < questions.size(); ++q) {
    if (guesses(questions[q], off.all.questions[q].accuracy)) continue;
    if (!words.empty()) words += ' ';
    const auto missed = mostMissed(off, q);
    const double with = off.all.questions[q].accuracy;
    if (!missed) {
      words += fmt::format("“{}” ({}) does not need any single head: it loses less than {}.",
                           questions[q].name, accuracyInWords(questions[q], with),
                           questions[q].classes > 1 ? "2 points" : "0.02");
      continue;
    }
    words += fmt::format("“{0}” needs {3} most: it falls from {1} to {2} without it.",
                         questions[q].name, accuracyInWords(questions[q], with),
                         accuracyInWords(questions[q], missed->without),
                         headInWords(missed->head, std::ssize(off.without)));
  }
  return words;
}

}  // namespace headscope::training
