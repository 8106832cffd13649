#include "core/training/sentence_words.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "core/input/word_forms.h"

namespace headscope::training {
namespace {

using Words = std::vector<std::string>;

Words without(Words words, std::initializer_list<std::string_view> others) {
  std::erase_if(words, [&](const std::string& word) {
    return std::find(others.begin(), others.end(), word) != others.end();
  });
  return words;
}

Words with(Words words, std::initializer_list<const char*> more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// No lexicon and no text contains these words.
Words madeUpWords() {
  constexpr int kMadeUp = 100;
  Words words;
  for (int i = 1; i <= kMadeUp; ++i) words.push_back("word " + std::to_string(i));
  return words;
}

Words ownersOf(const Words& nouns) {
  constexpr std::size_t kOwners = 30;
  Words words;
  for (std::size_t i = 0; i < kOwners; ++i) words.push_back(nouns[i] + "'s");
  return words;
}

const Words& english(WordClass wordClass) { return lexicon().english(wordClass); }

Words mainVerbs() {
  Words words = english(WordClass::verb);
  std::erase_if(words, [](const std::string& word) { return isAuxiliary(word); });
  return words;
}

}  // namespace

SentenceWords::SentenceWords()
    : determiners{WordClass::determiner, with(english(WordClass::determiner), {"that", "her"}),
                  true},
      adjectives{WordClass::adjective, english(WordClass::adjective), true},
      nouns{WordClass::noun, english(WordClass::noun), true},
      verbs{WordClass::verb, mainVerbs(), true},
      adverbs{WordClass::adverb,
              without(english(WordClass::adverb), {"very", "quite", "rather", "too", "so"}), true},
      prepositions{WordClass::preposition, english(WordClass::preposition), true},
      owners{WordClass::noun, ownersOf(english(WordClass::noun))},
      madeUp{WordClass::other, madeUpWords()},
      copulas{WordClass::copula,
              {"is", "was", "are", "were", "seems", "seemed", "remains", "became"}},
      auxiliaries{WordClass::verb,
                  {"can", "could", "will", "would", "shall", "should", "may", "might", "must"}},
      doForms{WordClass::verb, {"do", "does", "did"}},
      perfects{WordClass::verb, {"have", "has", "had"}},
      degrees{WordClass::adverb,
              {"very", "quite", "rather", "too", "so", "really", "almost", "nearly", "still",
               "already"}},
      openings{WordClass::adverb,
               {"today", "yesterday", "now", "then", "perhaps", "maybe", "sometimes", "usually",
                "soon", "suddenly", "finally", "however"}},
      times{WordClass::noun,
            {"day", "days", "night", "morning", "evening", "week", "year", "time", "hour"}},
      often{WordClass::adverb,
            {"always", "often", "sometimes", "usually", "still", "already", "just", "only", "also",
             "really", "quickly", "slowly", "quietly", "suddenly", "finally"}},
      relatives{WordClass::pronoun, {"which", "who", "that"}},
      relativesAfterComma{WordClass::pronoun, {"which", "who"}},
      subjects{WordClass::pronoun, {"it", "he", "she", "they", "we"}},
      objects{WordClass::pronoun, {"it", "him", "them", "her", "us"}},
      anySubjects{WordClass::pronoun, {"it", "he", "she", "they", "we", "i", "you"}},
      conjunctions{WordClass::conjunction,
                   {"and", "but", "because", "while", "when", "although", "or", "if", "before",
                    "after", "until", "where", "so", "as"}},
      fronted{WordClass::conjunction,
              {"because", "while", "when", "although", "if", "before", "after", "until", "as"}},
      asking{WordClass::conjunction, {"where", "when", "why", "how"}},
      reporting{WordClass::pronoun, {"that"}},
      negations{WordClass::negation, {"not", "never"}},
      ends{WordClass::punctuation, {".", ".", ".", "!"}},
      negatives{WordClass::negation, english(WordClass::negation), true},
      anyCopulas{WordClass::copula, english(WordClass::copula), true},
      reflexives{WordClass::pronoun,
                 {"myself", "yourself", "himself", "herself", "itself", "ourselves", "themselves"}},
      indefinites{WordClass::pronoun,
                  {"someone", "somebody", "something", "everyone", "everybody", "everything",
                   "anyone", "anybody", "anything", "nobody", "nothing", "this", "these", "those",
                   "me", "you", "one"}} {}

const SentenceWords& sentenceVocabulary() {
  static const SentenceWords words;
  return words;
}

std::vector<ClassedWord> sentenceWords() {
  const SentenceWords& w = sentenceVocabulary();
  std::vector<ClassedWord> all{{",", WordClass::punctuation},   {"?", WordClass::punctuation},
                               {"and", WordClass::conjunction}, {"to", WordClass::other},
                               {"whose", WordClass::pronoun},   {"of", WordClass::preposition}};
  for (const WordList* list : {&w.determiners,
                               &w.adjectives,
                               &w.nouns,
                               &w.verbs,
                               &w.adverbs,
                               &w.prepositions,
                               &w.owners,
                               &w.copulas,
                               &w.auxiliaries,
                               &w.doForms,
                               &w.perfects,
                               &w.degrees,
                               &w.openings,
                               &w.times,
                               &w.often,
                               &w.relatives,
                               &w.relativesAfterComma,
                               &w.subjects,
                               &w.objects,
                               &w.anySubjects,
                               &w.conjunctions,
                               &w.fronted,
                               &w.asking,
                               &w.reporting,
                               &w.negations,
                               &w.ends}) {
    for (const std::string& word : list->words) all.push_back({word, list->wordClass});
  }
  for (const WordList* list : {&w.nouns, &w.verbs, &w.adjectives}) {
    for (const std::string& word : w.madeUp.words) all.push_back({word, list->wordClass});
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace headscope::training
