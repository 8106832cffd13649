// Sentence reading: a language model's pass over a sentence, with the words that it would put next,
// and the answers to the questions without the heads that look at the deciding words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/language/language_trainer.h"
#include "core/model/model_trace.h"

namespace headscope::language {

/// A model's pass over a sentence at one step of a run, and the next words.
struct SentenceReading {
  std::string sentence;
  Index leftOut = 0;                 // tokens at its beginning for which there is no room
  std::vector<std::string> unknown;  // its words that the corpus has not
  model::ModelTracePtr trace;
  std::vector<model::TokenProbability> next;  // after the sentence, the most probable first
};

/// Reads a sentence, of which the last `context` tokens have room; empty: the corpus's example.
/// Returns nothing where cancelled.
std::optional<SentenceReading> readSentence(const model::ModelPtr& model, const Corpus& corpus,
                                            const std::string& sentence, Index context,
                                            Index memoryBudgetBytes,
                                            const ExecutionContext& execution);

/// The share of right answers to each question without the head that looks most at the word that
/// decides. Empty where the corpus has no questions; nothing where cancelled.
std::optional<std::vector<double>> rightWithoutLookers(const LanguageModel& model,
                                                       const LanguageEvaluation& evaluation,
                                                       const ExecutionContext& execution);

}  // namespace headscope::language
