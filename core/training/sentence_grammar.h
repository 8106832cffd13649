// Sentence grammar: builds a sentence word by word and records the partners of each word, as
// sentences.h describes them.
#pragma once

#include <optional>
#include <vector>

#include "core/training/sentence_choices.h"
#include "core/training/sentences.h"

namespace headscope::training {

class SentenceBuilder {
 public:
  explicit SentenceBuilder(Choices& choices) : choices_(choices) {}

  Sentence build();

 private:
  /// The probabilities of no adjective and of one adjective before a noun; otherwise it has two.
  struct AdjectiveCounts {
    double none, one;
  };
  static constexpr AdjectiveCounts kOften{0.5, 0.35}, kLess{0.65, 0.25}, kSeldom{0.8, 0.15};
  /// The phrases that may follow a noun: nothing, "of the town", a relative clause.
  enum class After { nothing, phrase, clause };
  using Places = std::vector<Index>;

  Index note(std::string word, WordClass wordClass);
  Index say(const WordList& any) { return note(choices_.word(any), any.wordClass); }
  Index sayOpen(const WordList& any) { return note(choices_.openWord(any), any.wordClass); }
  Index say(const char* word, WordClass wordClass) {
    return note(choices_.exactly(word), wordClass);
  }
  void comma() { say(",", WordClass::punctuation); }

  void answer(WordQuestion question, Index of, Index partner);
  void answer(WordQuestion question, Index of, const Places& partners);
  void answer(WordQuestion question, const Places& of, Index partner);
  void describe(Index adjective, const Places& nouns);

  void opening();
  bool asks();
  void clause(bool relative);
  void secondClause();
  void thatClause();

  Index nounPhrase(AdjectiveCounts adjectives, After after = After::nothing);
  void afterNoun(Index noun, After after);
  Places subject(bool relative);
  Places objectPhrase(AdjectiveCounts adjectives);
  Index pronoun(const WordList& any);
  void relativeClause(Index noun);

  Places prepositionalPhrase(const Places& verbs);
  void phraseOf();
  void copula(const Places& subject, bool relative = false);
  void complement(Index verb, const Places& subject);
  void predicate(const Places& subject, bool again = true);
  void rest(Index verb, const Places& subject);
  Index verbOf(const Places& subject);
  void moreOf(Index verb);
  Index timePhrase(const WordList& times);
  void settle(Index verb);

  Choices& choices_;
  const SentenceWords& words_ = sentenceVocabulary();
  Sentence sentence_;
  Places topics_;    // nouns that a pronoun may stand for
  Places awaiting_;  // words at the beginning that go with a verb still to come
};

}  // namespace headscope::training
