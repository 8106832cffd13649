// Story answers: how a language model answers the questions about stories, where its heads look
// when they are asked, and the answers without a head.
#pragma once

#include <optional>
#include <vector>

#include "core/attention/places.h"
#include "core/base/execution.h"
#include "core/language/language_model.h"
#include "core/language/story_questions.h"

namespace headscope::language {

/// Holds every case of a question.
inline constexpr Index kStoryContext = 48;
/// The cases of each question.
inline constexpr Index kStoryCases = 200;

/// The answers to one question.
struct AnsweredQuestion {
  double right = 0.0;  // share of the cases
  /// The head that looks most from the place of the answer at the word that decides, and the mean
  /// of its weights there.
  HeadOfLayer head;
  double look = 0.0;
  std::vector<double> looks;  // of every head, layer by layer
};
/// The answers with a share and the looks of every head; `heads` of them in each layer.
AnsweredQuestion answeredWith(double right, std::vector<double> looks, Index heads);

/// Asks one of storyQuestions(), with `off` switched off: it adds nothing. The model must have been
/// trained on stories and have at least kStoryContext positions. Nothing where cancelled. The
/// caller's ScopedThreadLimit limits the threads.
std::optional<AnsweredQuestion> answersTo(const LanguageModel& model, std::size_t question,
                                          const ExecutionContext& execution,
                                          std::optional<HeadOfLayer> off = std::nullopt);

/// The share of right answers without each head, layer by layer. Nothing where cancelled.
std::optional<std::vector<double>> rightWithoutEach(const LanguageModel& model,
                                                    std::size_t question,
                                                    const ExecutionContext& execution);

}  // namespace headscope::language
