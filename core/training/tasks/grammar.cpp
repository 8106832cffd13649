// Grammar: generated sentences whose words name the verb, the subject, the word they depend on and
// the word before.
#include <algorithm>
#include <array>
#include <string>

#include "core/base/translation.h"
#include "core/training/tasks/example_writer.h"
#include "core/training/tasks/tasks.h"

namespace headscope::training {
namespace {

constexpr std::array<const char*, 30> kGrammarWords{
    ".",                                                       // after the sentence
    "the",   "a",     "every",                                 // determiners
    "big",   "small", "young",   "quiet",  "brown", "hungry",  // adjectives
    "dog",   "cat",   "horse",   "rabbit", "girl",  "boy",    "farmer", "teacher",  // nouns
    "sees",  "likes", "follows", "helps",  "finds", "greets",                       // verbs
    "near",  "with",  "behind",                                                     // prepositions
    "today", "often", "again",                                                      // adverbs
};

/// The words of one class are adjacent: the first and their number.
struct GrammarClass {
  Index first, count;

  Index drawn(Draws& draws) const { return first + draws.below(count); }
};

/// Sentence → [adverb] phrase [preposition phrase] verb phrase [adverb], and phrase → determiner
/// adjective{0–2} noun: 5 to 16 words.
struct GrammarSentence {
  static constexpr GrammarClass kDeterminers{1, 3};
  static constexpr GrammarClass kAdjectives{4, 6};
  static constexpr GrammarClass kNouns{10, 8};
  static constexpr GrammarClass kVerbs{18, 6};
  static constexpr GrammarClass kPrepositions{24, 3};
  static constexpr GrammarClass kAdverbs{27, 3};

  std::vector<Index> words;
  std::vector<Index> dependsOn;  // a place for each word
  Index subject = 0, verb = 0;

  explicit GrammarSentence(Draws& draws) {
    const bool adverbLeads = draws.chance(0.5);
    if (adverbLeads) add(kAdverbs, draws);
    subject = addPhrase(draws);
    if (draws.chance(0.6)) {
      const Index preposition = add(kPrepositions, draws);
      const Index object = addPhrase(draws);
      dependsOn[static_cast<std::size_t>(preposition)] = object;
    }
    verb = add(kVerbs, draws);
    dependsOn.back() = subject;
    if (adverbLeads) dependsOn.front() = verb;
    addPhrase(draws);
    if (draws.chance(0.3)) {
      add(kAdverbs, draws);
      dependsOn.back() = verb;
    }
  }

 private:
  /// Appends a word and returns its place.
  Index add(const GrammarClass& kind, Draws& draws) {
    words.push_back(kind.drawn(draws));
    dependsOn.push_back(0);
    return static_cast<Index>(words.size()) - 1;
  }

  /// Appends a phrase and returns the place of its noun, on which its words depend.
  Index addPhrase(Draws& draws) {
    const Index begin = add(kDeterminers, draws);
    const Index fifth = draws.below(5);  // none with 0.4, one with 0.4, two with 0.2
    for (Index i = 0; i < fifth / 2; ++i) add(kAdjectives, draws);
    const Index noun = add(kNouns, draws);
    std::fill(dependsOn.begin() + begin, dependsOn.end(), noun);
    return noun;
  }
};

}  // namespace

Task grammarTask() {
  static constexpr Index kPlaces = 16;
  static constexpr Index kWords = kGrammarWords.size();
  static constexpr Index kFullStop = 0;
  enum Asked { verb, subject, noun, previous };

  return {
      .id = "grammar",
      .title = trLater("Grammar"),
      .words = trLater(
          "Sentences of 5 to 16 words of a small language, padded with full stops. Each word names "
          "the sentence's verb, its subject, the noun of its own phrase, and the word before."),
      .lookFor = trLater(
          "The verb can be at the third to the eleventh position, so its head has to recognise "
          "verbs. The subject is a noun like the others: the first one. The word before depends "
          "only on position. With some seeds two heads each hold half a relation permanently: "
          "start again with another seed."),
      .settings = {.model = {.layers = 1, .dModel = 64, .heads = 4, .embeddingScale = 3.0},
                   .learningRate = 2e-2,
                   .batch = 32,
                   .steps = 200},
      .questions = {{"verb", trLater("the verb"), kWords},
                    {"subject", trLater("the subject"), kWords},
                    {"noun", trLater("the noun of its phrase"), kWords},
                    {"previous", trLater("the word before"), kWords}},
      .relations = {{"verb", trLater("the verb")},
                    {"subject", trLater("the noun of the first phrase")},
                    {"noun",
                     "the noun of its phrase, for a noun itself; for a preposition its object, for "
                     "the verb the subject, for an adverb the verb"},
                    {"previous", trLater("the word before")}},
      .length = kPlaces,
      .features = {kWords},
      .generate =
          [](ExampleWriter& example, Draws& draws) {
            const GrammarSentence sentence(draws);
            const auto words = static_cast<Index>(sentence.words.size());
            for (Index i = 0; i < kPlaces; ++i) {
              example.symbol(i) =
                  i < words ? sentence.words[static_cast<std::size_t>(i)] : kFullStop;
            }
            for (Index i = 0; i < words; ++i) {
              example.copy(verb, i, sentence.verb);
              example.copy(subject, i, sentence.subject);
              example.copy(noun, i, sentence.dependsOn[static_cast<std::size_t>(i)]);
              if (i > 0) example.copy(previous, i, i - 1);
            }
          },
      .word =
          [](std::span<const Index> symbols) {
            return std::string(kGrammarWords[static_cast<std::size_t>(symbols.front())]);
          },
  };
}

}  // namespace headscope::training
