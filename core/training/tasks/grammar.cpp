// Grammar: generated sentences whose words name the verb, the subject, the word they depend on and
// the word before.
#include <algorithm>
#include <array>
#include <string>

#include "core/training/tasks/example.h"
#include "core/training/tasks/tasks.h"

namespace headscope::training {
namespace {

constexpr std::array<std::string_view, 30> kGrammarWords{
    ".",                                                       // after the sentence
    "the",   "a",     "every",                                 // determiners
    "big",   "small", "young",   "quiet",  "brown", "hungry",  // adjectives
    "dog",   "cat",   "horse",   "rabbit", "girl",  "boy",    "farmer", "teacher",  // nouns
    "sees",  "likes", "follows", "helps",  "finds", "greets",                       // verbs
    "near",  "with",  "behind",                                                     // prepositions
    "today", "often", "again",                                                      // adverbs
};

class Grammar final : public Task {
 public:
  std::string_view id() const override { return "grammar"; }
  std::string_view title() const override { return "Grammar"; }
  std::string_view words() const override {
    return "Sentences of 5 to 16 words of a small language, padded with full stops. Each word "
           "names the sentence's verb, its subject, the noun of its own phrase, and the word "
           "before.";
  }
  std::string_view lookFor() const override {
    return "The verb can be at the third to the eleventh position, so its head has to recognise "
           "verbs. The subject is a noun like the others: the first one. The word before depends "
           "only on position. With some seeds two heads each hold half a relation permanently: "
           "start again with another seed.";
  }
  TaskSettings settings() const override {
    return {.model = {.layers = 1, .dModel = 64, .heads = 4, .embeddingScale = 3.0},
            .learningRate = 2e-2,
            .batch = 32,
            .steps = 200};
  }

  std::span<const Question> questions() const override {
    static constexpr Index kWords = kGrammarWords.size();
    static constexpr std::array<Question, 4> kQuestions{{
        {"verb", "the verb", kWords},
        {"subject", "the subject", kWords},
        {"noun", "the noun of its phrase", kWords},
        {"previous", "the word before", kWords},
    }};
    return kQuestions;
  }
  std::span<const Relation> relations() const override {
    static constexpr std::array<Relation, 4> kRelations{{
        {"verb", "the verb"},
        {"subject", "the noun of the first phrase"},
        {"noun",
         "the noun of its phrase, for a noun itself; for a preposition its object, for the verb "
         "the "
         "subject, for an adverb the verb"},
        {"previous", "the word before"},
    }};
    return kRelations;
  }

  Index length() const override { return 16; }
  std::vector<Index> features() const override { return {kGrammarWords.size()}; }

  std::string word(std::span<const Index> symbols) const override {
    return answerWord(verb, symbols.front());
  }
  std::string answerWord(Index /*question*/, Index answer) const override {
    return std::string(kGrammarWords[static_cast<std::size_t>(answer)]);
  }

 private:
  /// The words of one class are adjacent: the first and their number.
  struct WordClass {
    Index first, count;

    Index drawn(Draws& draws) const { return first + draws.below(count); }
  };

  static constexpr WordClass kDeterminers{1, 3};
  static constexpr WordClass kAdjectives{4, 6};
  static constexpr WordClass kNouns{10, 8};
  static constexpr WordClass kVerbs{18, 6};
  static constexpr WordClass kPrepositions{24, 3};
  static constexpr WordClass kAdverbs{27, 3};
  static constexpr Index kFullStop = 0;

  /// Sentence → [adverb] phrase [preposition phrase] verb phrase [adverb], and phrase → determiner
  /// adjective{0–2} noun: 5 to 16 words.
  struct Sentence {
    std::vector<Index> words;
    std::vector<Index> dependsOn;  // a place for each word
    Index subject = 0, verb = 0;

    explicit Sentence(Draws& draws) {
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
    Index add(const WordClass& kind, Draws& draws) {
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

  enum Asked { verb, subject, noun, previous };

  void generate(Example& example, Draws& draws) const override {
    const Sentence sentence(draws);
    const auto words = static_cast<Index>(sentence.words.size());
    for (Index i = 0; i < length(); ++i) {
      example.symbol(i) = i < words ? sentence.words[static_cast<std::size_t>(i)] : kFullStop;
    }
    for (Index i = 0; i < words; ++i) {
      example.copy(verb, i, sentence.verb);
      example.copy(subject, i, sentence.subject);
      example.copy(noun, i, sentence.dependsOn[static_cast<std::size_t>(i)]);
      if (i > 0) example.copy(previous, i, i - 1);
    }
  }
};

}  // namespace

const Task& grammarTask() {
  static const Grammar task;
  return task;
}

}  // namespace headscope::training
