// Sentences: generated from the English words of the lexicon, with 5 to 40 tokens. Each has the
// answers to eight questions about every word: the other words of the sentence that it is related
// to. They are drawn at random from a grammar, which gives the answers. The grammar can also read a
// written sentence and give its answers.
//
// "the old cat, which was fluffy, did not sleep because it was hungry." Only the structure is
// English: the words are drawn at random, and number does not agree.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/index.h"
#include "core/input/tagger.h"
#include "core/training/curriculum.h"
#include "core/training/task.h"

namespace headscope::training {

/// The questions asked of every word. A word that has no such partner answers "none".
enum class WordQuestion {
  previous,     // any word: the one before it
  subject,      // verb, copula, auxiliary: its subject
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
  std::vector<WordUse> uses;  // of the words; empty: not known
  /// [question][place]: the places of the partners, in order; empty: none.
  Partners partners;

  const std::vector<Index>& partnersOf(WordQuestion question, Index place) const {
    return partners[static_cast<std::size_t>(question)][static_cast<std::size_t>(place)];
  }
};

inline constexpr Index kShortestSentence = 5;
inline constexpr Index kLongestSentence = 40;

Sentence drawSentence(Draws& draws);

/// Reads a written sentence and returns it in lower case, with the answers. It may have any length
/// and more forms than drawn ones: "cannot", "every morning" at the beginning, "such a", "close the
/// door". Returns nothing where the grammar does not produce it, or where the text seems to be in
/// another language. Where there are two readings, the more probable choices are taken.
std::optional<Sentence> readSentence(const std::vector<std::string>& tokens);
/// Likewise, for words whose uses are known.
std::optional<Sentence> readSentence(const std::vector<std::string>& tokens,
                                     const std::vector<WordUse>& uses);

}  // namespace headscope::training
