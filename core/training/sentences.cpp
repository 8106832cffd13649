#include "core/training/sentences.h"

#include "core/base/translation.h"
#include "core/input/input.h"
#include "core/training/sentence_choices.h"
#include "core/training/sentence_grammar.h"

namespace headscope::training {
namespace {

constexpr std::array kQuestions{
    WordQuestionInfo{WordQuestion::previous, "prev", trLater("Previous word"),
                     trLater("which word is before it?")},
    WordQuestionInfo{WordQuestion::subject, "subj", trLater("Verb → its subject"),
                     trLater("who does it, or is it?")},
    WordQuestionInfo{WordQuestion::described, "adj", trLater("Adjective → its noun"),
                     trLater("which noun is it about?")},
    WordQuestionInfo{WordQuestion::description, "mod", trLater("Noun → its adjectives"),
                     trLater("what is it like?")},
    WordQuestionInfo{WordQuestion::determined, "det", trLater("Determiner → its noun"),
                     trLater("which noun does it belong to?")},
    WordQuestionInfo{WordQuestion::object, "pobj", trLater("Preposition → its object"),
                     trLater("what does it lead to?")},
    WordQuestionInfo{WordQuestion::antecedent, "pron", trLater("Pronoun → its noun"),
                     trLater("which noun does it stand for?")},
    WordQuestionInfo{WordQuestion::verb, "verb", trLater("Word → its verb"),
                     trLater("which verb does it go with?")},
};

}  // namespace

std::span<const WordQuestionInfo> wordQuestions() { return kQuestions; }

const WordQuestionInfo& info(WordQuestion question) {
  return kQuestions[static_cast<std::size_t>(question)];
}

Sentence drawSentence(Draws& draws) {
  DrawnChoices choices(draws);
  for (;;) {
    Sentence sentence = SentenceBuilder(choices).build();
    const Index length = std::ssize(sentence.words);
    if (length >= kShortestSentence && length <= kLongestSentence) return sentence;
  }
}

std::optional<Sentence> readSentence(const std::vector<std::string>& tokens) {
  if (seemsForeign(tokens)) return std::nullopt;
  return readSentence(tokens, wordUses(tokens));
}

std::optional<Sentence> readSentence(const std::vector<std::string>& tokens,
                                     const std::vector<WordUse>& uses) {
  constexpr int kMostTried = 5'000;
  std::vector<std::string> words;
  for (const std::string& token : tokens) words.push_back(lowerCased(token));
  ReadChoices choices(words, uses);
  for (int tried = 0; tried < kMostTried; ++tried) {
    choices.begin();
    Sentence sentence = SentenceBuilder(choices).build();
    if (choices.read()) return sentence;
    if (!choices.takeOthers()) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace headscope::training
