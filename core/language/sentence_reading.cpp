#include "core/language/sentence_reading.h"

#include <algorithm>
#include <utility>

#include "core/language/stories.h"

namespace headscope::language {
namespace {

constexpr std::size_t kNextWords = 12;

}  // namespace

std::optional<SentenceReading> readSentence(const model::ModelPtr& model, const Corpus& corpus,
                                            const std::string& sentence, Index context,
                                            Index memoryBudgetBytes,
                                            const ExecutionContext& execution) {
  SentenceReading reading;
  reading.sentence = sentence.empty() ? corpus.example : sentence;
  const auto unknown = corpus.tokenizer->id(kUnknownToken);
  std::vector<tokenizer::Token> tokens = corpus.tokenizer->encode(reading.sentence);
  reading.leftOut = std::max<Index>(0, std::ssize(tokens) - context);
  tokens.erase(tokens.begin(), tokens.begin() + reading.leftOut);
  model::ModelInput input;
  for (const tokenizer::Token& token : tokens) {
    input.ids.push_back(token.id);
    input.tokens.push_back(corpus.tokenizer->inWords(token.id));
    if (token.id == unknown) reading.unknown.emplace_back(token.offsets.of(reading.sentence));
  }
  reading.trace =
      runModel(makeModelDocument(model, std::move(input)), nullptr, execution, memoryBudgetBytes);
  if (reading.trace == nullptr) return std::nullopt;
  reading.next = reading.trace->predictions(reading.trace->tokens() - 1, kNextWords);
  return reading;
}

std::optional<std::vector<double>> rightWithoutLookers(const LanguageModel& model,
                                                       const LanguageEvaluation& evaluation,
                                                       const ExecutionContext& execution) {
  std::vector<double> right;
  for (std::size_t q = 0; q < evaluation.questions.size(); ++q) {
    const auto answered = answersTo(model, q, execution, evaluation.questions[q].head);
    if (!answered) return std::nullopt;
    right.push_back(answered->right);
  }
  return right;
}

}  // namespace headscope::language
