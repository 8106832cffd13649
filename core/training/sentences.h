// Sentences: made up over the English words of the lexicon, of 5 to 16 tokens, each with the
// answers to eight questions about every word: which other words of the sentence it has to do
// with. They are put together by chance along a grammar, which knows the answers; the same grammar
// reads a sentence that somebody wrote, and knows them there.
//
// "the old cat, which was fluffy, did not sleep because it was hungry." Only their structure is
// that of English: who sleeps where is drawn, and number does not agree.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/index.h"
#include "core/training/curriculum.h"
#include "core/training/task.h"

namespace headscope::training {

/// Asked of every word; a word that has no such partner answers "none".
enum class WordQuestion {
  previous,     // any word: the one before it
  subject,      // verb, copula, auxiliary: who does it, or is it
  described,    // adjective: the noun it is about
  description,  // noun: its adjectives
  determined,   // determiner: its noun
  object,       // preposition: its object; stranded at a clause's end: what the clause is about
  antecedent,   // pronoun: the nouns it may stand for
  verb,         // noun, auxiliary, negation, adverb, preposition: the verb it goes with
};
inline constexpr std::size_t kWordQuestions = kLayerQuestions;

struct WordQuestionInfo {
  WordQuestion question;
  std::string_view name;   // "subj": in flags, files and tables
  std::string_view title;  // "Verb → its subject"
  std::string_view words;  // "who does it?"
};
/// In the order of WordQuestion.
std::span<const WordQuestionInfo> wordQuestions();
const WordQuestionInfo& info(WordQuestion question);

struct Sentence {
  std::vector<std::string> words;
  /// [question][place]: the places of the partners, in order; empty: none.
  Partners partners;

  const std::vector<Index>& partnersOf(WordQuestion question, Index place) const {
    return partners[static_cast<std::size_t>(question)][static_cast<std::size_t>(place)];
  }
};

inline constexpr Index kShortestSentence = 5;
inline constexpr Index kLongestSentence = 16;

Sentence drawSentence(Draws& draws);

/// A sentence that somebody wrote, in lower case, with the answers: of any length, and a little
/// freer than the drawn ones (more clauses, more said of a verb). Nothing where it does not go by
/// the grammar. Where it can be read in two ways, the likelier turns are taken.
std::optional<Sentence> readSentence(const std::vector<std::string>& tokens);

/// Every word that a sentence may hold, each once.
std::vector<std::string> sentenceWords();

}  // namespace headscope::training
