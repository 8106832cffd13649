#include "core/training/sentences.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "core/input/lexicon.h"

namespace headscope::training {
namespace {

using Words = std::vector<std::string>;

constexpr std::array kQuestions{
    WordQuestionInfo{WordQuestion::previous, "prev", "Previous word", "which word is before it?"},
    WordQuestionInfo{WordQuestion::subject, "subj", "Verb → its subject", "who does it, or is it?"},
    WordQuestionInfo{WordQuestion::described, "adj", "Adjective → its noun",
                     "which noun is it about?"},
    WordQuestionInfo{WordQuestion::description, "mod", "Noun → its adjectives", "what is it like?"},
    WordQuestionInfo{WordQuestion::determined, "det", "Determiner → its noun",
                     "which noun does it belong to?"},
    WordQuestionInfo{WordQuestion::object, "pobj", "Preposition → its object",
                     "what does it lead to?"},
    WordQuestionInfo{WordQuestion::antecedent, "pron", "Pronoun → its noun",
                     "which noun does it stand for?"},
    WordQuestionInfo{WordQuestion::verb, "verb", "Word → its verb", "which verb does it go with?"},
};

Words without(Words words, std::initializer_list<std::string_view> others) {
  std::erase_if(words, [&](const std::string& word) {
    return std::find(others.begin(), others.end(), word) != others.end();
  });
  return words;
}

/// Words that no lexicon knows, so that they tell nothing but who they are; no text holds them.
Words madeUpWords() {
  constexpr int kMadeUp = 150;
  Words words;
  for (int i = 1; i <= kMadeUp; ++i) words.push_back("word " + std::to_string(i));
  return words;
}

/// The words for each part of a sentence.
struct Vocabulary {
  Words determiners = lexicon().english(WordClass::determiner);
  Words adjectives = lexicon().english(WordClass::adjective);
  Words nouns = lexicon().english(WordClass::noun);
  Words verbs = without(lexicon().english(WordClass::verb),
                        {"do", "does", "did", "have", "has", "had", "can", "could", "will", "would",
                         "shall", "should", "may", "might", "must"});
  Words prepositions = without(lexicon().english(WordClass::preposition), {"as", "out"});
  Words copulas{"is", "was", "are", "were", "seems", "seemed", "remains", "became"};
  Words auxiliaries{"can", "could", "will", "would", "shall", "should", "may", "might", "must"};
  Words doForms{"do", "does", "did"};
  Words degrees{"very",   "quite",  "rather", "too",   "so",
                "really", "almost", "nearly", "still", "already"};
  Words manners{"quickly",   "slowly",   "quietly", "loudly", "happily",   "gently",
                "carefully", "together", "away",    "here",   "there",     "often",
                "again",     "outside",  "inside",  "well",   "everywhere"};
  Words openings{"today", "yesterday", "now",     "then", "perhaps",
                 "maybe", "sometimes", "usually", "soon"};
  Words relatives{"which", "who", "that"};
  Words relativesAfterComma{"which", "who"};
  Words subjects{"it", "he", "she", "they", "we"};
  Words objects{"it", "him", "them", "her", "us"};
  Words anySubjects{"it", "he", "she", "they", "we", "i", "you"};  // of anyone, not of a noun
  Words conjunctions{"and", "but", "because", "while", "when", "although", "or", "if"};
  Words negations{"not", "never"};
  Words marks{",", "."};
  Words unknown = madeUpWords();

  std::vector<const Words*> all() const {
    return {&determiners,  &adjectives,  &nouns,    &verbs,   &prepositions,
            &copulas,      &auxiliaries, &doForms,  &degrees, &manners,
            &openings,     &relatives,   &subjects, &objects, &anySubjects,
            &conjunctions, &negations,   &marks,    &unknown};
  }
};

const Vocabulary& vocabulary() {
  static const Vocabulary words;
  return words;
}

/// How many adjectives a noun has: none or one with these probabilities, else two.
struct AdjectiveCounts {
  double none, one;
};
constexpr AdjectiveCounts kOften{0.5, 0.35};
constexpr AdjectiveCounts kLess{0.65, 0.25};
constexpr AdjectiveCounts kSeldom{0.8, 0.15};

// How often a part of a sentence is there, or takes one of its forms.
constexpr double kOpening = 0.08;
constexpr double kSecondClause = 0.45;
constexpr double kCommaBeforeIt = 0.4;
constexpr double kAnyoneSubject = 0.15;   // a pronoun for no noun
constexpr double kPronounSubject = 0.55;  // of the second clause
constexpr double kCopulaAfterPronoun = 0.65;
constexpr double kCopulaAfterNoun = 0.35;
constexpr double kFullStop = 0.75;
constexpr double kUnknownWord = 0.25;  // of nouns, verbs and adjectives
constexpr double kDeterminer = 0.93;
constexpr double kThe = 0.5;
constexpr double kRelativeClause = 0.4;
constexpr double kRelativeInCommas = 0.45;
constexpr double kRelativeCopula = 0.35;   // "which was fluffy"
constexpr double kRelativeSubject = 0.25;  // "that sleeps here"; the rest: "that the dog chases"
constexpr double kRelativePronoun = 0.2;   // of the rest: "that it chases"
constexpr double kStranded = 0.5;          // "that the river flows by"
constexpr double kObjectPronoun = 0.2;
constexpr double kPronounAfterPreposition = 0.15;
constexpr double kNotAfterCopula = 0.15;
constexpr double kDegree = 0.5;
constexpr double kAuxiliary = 0.25;
constexpr double kDo = 0.7;   // of auxiliaries: "did not", else "can"
constexpr double kNot = 0.8;  // of negations; else "never"

/// So many words and a clause more would be too long.
constexpr std::size_t kMostWordsBeforeSecond = 10;

/// Says a sentence word by word, and notes what each has to do with the others as it is said.
class SentenceBuilder {
 public:
  explicit SentenceBuilder(Draws& draws) : draws_(draws) {}

  Sentence build() {
    if (draws_.chance(kOpening)) say(words_.openings);
    clause(draws_.chance(kRelativeClause));
    if (sentence_.words.size() <= kMostWordsBeforeSecond && draws_.chance(kSecondClause)) {
      secondClause();
    }
    if (draws_.chance(kFullStop)) say(".");
    for (Index i = 1; i < std::ssize(sentence_.words); ++i)
      answer(WordQuestion::previous, i, i - 1);
    for (auto& places : sentence_.partners) {
      for (auto& partners : places) std::sort(partners.begin(), partners.end());
    }
    return std::move(sentence_);
  }

 private:
  Index say(std::string word) {
    sentence_.words.push_back(std::move(word));
    for (auto& places : sentence_.partners) places.emplace_back();
    return std::ssize(sentence_.words) - 1;
  }
  Index say(const Words& any) {
    return say(any[static_cast<std::size_t>(draws_.below(std::ssize(any)))]);
  }

  /// A noun, verb or adjective: now and then one that the lexicon does not know.
  Index sayOpen(const Words& known) {
    return say(draws_.chance(kUnknownWord) ? words_.unknown : known);
  }

  void answer(WordQuestion question, Index of, Index partner) {
    auto& partners =
        sentence_.partners[static_cast<std::size_t>(question)][static_cast<std::size_t>(of)];
    if (std::find(partners.begin(), partners.end(), partner) == partners.end()) {
      partners.push_back(partner);
    }
  }
  void describe(Index adjective, Index noun) {
    answer(WordQuestion::described, adjective, noun);
    answer(WordQuestion::description, noun, adjective);
  }

  /// "the old cat"; its noun.
  Index nounPhrase(AdjectiveCounts adjectives) {
    std::optional<Index> determiner;
    if (draws_.chance(kDeterminer)) {
      determiner = draws_.chance(kThe) ? say("the") : say(words_.determiners);
    }
    const double drawn = draws_.uniform();
    const int count = drawn < adjectives.none                    ? 0
                      : drawn < adjectives.none + adjectives.one ? 1
                                                                 : 2;
    std::vector<Index> described;
    for (int i = 0; i < count; ++i) described.push_back(sayOpen(words_.adjectives));
    const Index noun = sayOpen(words_.nouns);
    if (determiner) answer(WordQuestion::determined, *determiner, noun);
    for (const Index adjective : described) describe(adjective, noun);
    nouns_.push_back(noun);
    return noun;
  }

  /// Stands for either of the first two nouns: which, a single layer cannot know.
  Index pronoun(const Words& any) {
    const Index place = say(any);
    const std::size_t candidates = std::min<std::size_t>(2, nouns_.size());
    for (std::size_t i = 0; i < candidates; ++i) {
      answer(WordQuestion::antecedent, place, nouns_[i]);
    }
    return place;
  }
  Index nounOrPronoun(double pronouns, const Words& any, AdjectiveCounts adjectives) {
    const bool again = !nouns_.empty() && draws_.chance(pronouns);
    return again ? pronoun(any) : nounPhrase(adjectives);
  }

  /// "on the mat", which says more of a verb.
  void prepositionalPhrase(Index verb) {
    const Index preposition = say(words_.prepositions);
    const Index object = nounOrPronoun(kPronounAfterPreposition, words_.objects, kLess);
    answer(WordQuestion::object, preposition, object);
    answer(WordQuestion::verb, preposition, verb);
    answer(WordQuestion::verb, object, verb);
  }

  /// "was not very fluffy". In a relative clause the noun keeps its own verb.
  void copula(Index subject, bool relative = false) {
    const Index verb = say(words_.copulas);
    answer(WordQuestion::subject, verb, subject);
    if (!relative) answer(WordQuestion::verb, subject, verb);
    if (draws_.chance(kNotAfterCopula)) answer(WordQuestion::verb, say("not"), verb);
    std::optional<Index> degree;
    if (draws_.chance(kDegree)) degree = say(words_.degrees);
    const Index adjective = sayOpen(words_.adjectives);
    if (degree) answer(WordQuestion::verb, *degree, adjective);
    describe(adjective, subject);
  }

  Index verbOf(Index subject) {
    const Index verb = sayOpen(words_.verbs);
    answer(WordQuestion::subject, verb, subject);
    return verb;
  }
  void object(Index verb) {
    answer(WordQuestion::verb, nounOrPronoun(kObjectPronoun, words_.objects, kOften), verb);
  }

  /// "did not jump over it"
  void predicate(Index subject) {
    std::vector<Index> before;  // what stands before the verb and goes with it
    if (draws_.chance(kAuxiliary)) {
      const bool negated = draws_.chance(kDo);
      before.push_back(say(negated ? words_.doForms : words_.auxiliaries));
      answer(WordQuestion::subject, before.back(), subject);
      if (negated) before.push_back(say(draws_.chance(kNot) ? "not" : "never"));
    }
    const Index verb = verbOf(subject);
    answer(WordQuestion::verb, subject, verb);
    for (const Index word : before) answer(WordQuestion::verb, word, verb);
    const double form = draws_.uniform();
    if (form < 0.3) object(verb);
    if (form >= 0.2 && form < 0.75) prepositionalPhrase(verb);
    if (form >= 0.75 && form < 0.88) answer(WordQuestion::verb, say(words_.manners), verb);
  }

  /// ", which was fluffy,", "that sleeps by the door" or "that the river flows by"
  void relativeClause(Index noun) {
    const bool commas = draws_.chance(kRelativeInCommas);
    if (commas) say(",");
    const Index relative = say(commas ? words_.relativesAfterComma : words_.relatives);
    answer(WordQuestion::antecedent, relative, noun);
    const double form = draws_.uniform();
    if (form < kRelativeCopula) {
      copula(noun, true);
    } else if (form < kRelativeCopula + kRelativeSubject) {
      const Index verb = verbOf(noun);
      const double more = draws_.uniform();
      if (more < 0.6) {
        prepositionalPhrase(verb);
      } else if (more < 0.8) {
        object(verb);
      }
    } else {
      const bool anyone = draws_.chance(kRelativePronoun);
      const Index subject = anyone ? say(words_.anySubjects) : nounPhrase(kSeldom);
      const Index verb = verbOf(subject);
      answer(WordQuestion::verb, subject, verb);
      if (draws_.chance(kStranded)) {
        answer(WordQuestion::object, say(words_.prepositions), noun);
      }
    }
    if (commas) say(",");
  }

  void clause(bool relative) {
    const bool anyone = draws_.chance(kAnyoneSubject);
    const Index subject = anyone ? say(words_.anySubjects) : nounPhrase(kOften);
    if (relative && !anyone) relativeClause(subject);
    if (draws_.chance(kCopulaAfterNoun)) {
      copula(subject);
    } else {
      predicate(subject);
    }
  }

  /// ", because it was too wide"
  void secondClause() {
    if (draws_.chance(kCommaBeforeIt)) say(",");
    say(words_.conjunctions);
    if (!draws_.chance(kPronounSubject)) return clause(false);
    const Index subject = pronoun(words_.subjects);
    if (draws_.chance(kCopulaAfterPronoun)) {
      copula(subject);
    } else {
      predicate(subject);
    }
  }

  Draws& draws_;
  const Vocabulary& words_ = vocabulary();
  Sentence sentence_;
  std::vector<Index> nouns_;  // said so far
};

}  // namespace

std::span<const WordQuestionInfo> wordQuestions() { return kQuestions; }

const WordQuestionInfo& info(WordQuestion question) {
  return kQuestions[static_cast<std::size_t>(question)];
}

Sentence drawSentence(Draws& draws) {
  for (;;) {
    Sentence sentence = SentenceBuilder(draws).build();
    const Index length = std::ssize(sentence.words);
    if (length >= kShortestSentence && length <= kLongestSentence) return sentence;
  }
}

std::vector<std::string> sentenceWords() {
  std::vector<std::string> all;
  for (const Words* words : vocabulary().all()) all.insert(all.end(), words->begin(), words->end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace headscope::training
