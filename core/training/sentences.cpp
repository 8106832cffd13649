#include "core/training/sentences.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "core/input/input.h"
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

/// Made-up words that carry no information but identity. No lexicon and no text contains them.
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
  Words anySubjects{"it", "he", "she", "they", "we", "i", "you"};  // these refer to no noun
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

/// The probabilities of no adjective and of one adjective before a noun; otherwise it has two.
struct AdjectiveCounts {
  double none, one;
};
constexpr AdjectiveCounts kOften{0.5, 0.35};
constexpr AdjectiveCounts kLess{0.65, 0.25};
constexpr AdjectiveCounts kSeldom{0.8, 0.15};

// Probabilities of the parts of a sentence and their forms.
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

/// The most words after which a second clause still fits.
constexpr std::size_t kMostWordsBeforeSecond = 10;

/// The choices that make up a sentence: drawn at random, or found by reading a given sentence.
class Choices {
 public:
  Choices() = default;
  virtual ~Choices() = default;
  Choices(const Choices&) = delete;
  Choices& operator=(const Choices&) = delete;

  virtual bool chance(double probability) = 0;
  /// The index of the first end that lies above a number drawn from [0, 1); the number of ends
  /// where none does.
  virtual std::size_t which(std::span<const double> ends) = 0;
  virtual std::string word(const Words& any) = 0;
  virtual std::string exactly(const char* word) = 0;
  /// `usual` with this probability, otherwise one of `any`.
  virtual std::string word(const std::string& usual, double probability, const Words& any) = 0;
  /// Returns whether an optional extra part follows. Reading accepts such parts; drawing never
  /// makes them.
  virtual bool more() = 0;
};

class DrawnChoices final : public Choices {
 public:
  explicit DrawnChoices(Draws& draws) : draws_(draws) {}

  bool chance(double probability) override { return draws_.chance(probability); }
  std::size_t which(std::span<const double> ends) override {
    const double drawn = draws_.uniform();
    return static_cast<std::size_t>(
        std::find_if(ends.begin(), ends.end(), [drawn](double end) { return drawn < end; }) -
        ends.begin());
  }
  std::string word(const Words& any) override {
    return any[static_cast<std::size_t>(draws_.below(std::ssize(any)))];
  }
  std::string exactly(const char* word) override { return word; }
  std::string word(const std::string& usual, double probability, const Words& any) override {
    return draws_.chance(probability) ? usual : word(any);
  }
  bool more() override { return false; }

 private:
  Draws& draws_;
};

/// Finds the choices that produce a given sentence, by backtracking: at a word that does not match,
/// the last choice with an untried alternative is changed, and the sentence starts again. What is
/// built after such a word means nothing; it ends soon, since no more optional parts follow.
class ReadChoices final : public Choices {
 public:
  /// `words` are in lower case.
  explicit ReadChoices(const Words& words) : words_(words) {}

  void begin() {
    next_ = 0;
    choice_ = 0;
    differs_ = false;
  }
  /// Returns whether these choices gave the whole sentence.
  bool read() const { return !differs_ && next_ == words_.size(); }
  /// Changes the last choice that has an untried alternative. Returns false where there is none.
  bool takeOthers() {
    while (!taken_.empty() && taken_.back().way + 1 == taken_.back().ways) taken_.pop_back();
    if (taken_.empty()) return false;
    ++taken_.back().way;
    return true;
  }

  bool chance(double probability) override { return (way(2) == 0) == (probability >= 0.5); }
  std::size_t which(std::span<const double> ends) override { return way(ends.size() + 1); }
  std::string word(const Words& any) override {
    return take([&](const std::string& word) {
      if (&any == &vocabulary().unknown) return lexicon().classOf(word) == WordClass::other;
      return std::find(any.begin(), any.end(), word) != any.end();
    });
  }
  std::string exactly(const char* exact) override {
    return take([exact](const std::string& word) { return word == exact; });
  }
  std::string word(const std::string& usual, double, const Words& any) override {
    return take([&](const std::string& word) {
      return word == usual || std::find(any.begin(), any.end(), word) != any.end();
    });
  }
  bool more() override { return way(2) == 1; }

 private:
  struct Choice {
    std::size_t way = 0, ways = 0;
  };
  template <typename Fits>
  std::string take(const Fits& fits) {
    differs_ = differs_ || next_ == words_.size() || !fits(words_[next_]);
    return differs_ ? std::string() : words_[next_++];
  }
  std::size_t way(std::size_t ways) {
    if (differs_) return 0;
    if (choice_ == taken_.size()) taken_.push_back({0, ways});
    return taken_[choice_++].way;
  }

  const Words& words_;
  std::size_t next_ = 0, choice_ = 0;
  bool differs_ = false;  // whether a word did not match since begin()
  std::vector<Choice> taken_;
};

/// Builds a sentence word by word and records the partners of each word.
class SentenceBuilder {
 public:
  explicit SentenceBuilder(Choices& choices) : choices_(choices) {}

  Sentence build() {
    if (choices_.chance(kOpening)) say(words_.openings);
    clause(choices_.chance(kRelativeClause));
    if (sentence_.words.size() <= kMostWordsBeforeSecond && choices_.chance(kSecondClause)) {
      secondClause();
    }
    while (choices_.more()) secondClause();
    if (choices_.chance(kFullStop)) say(".");
    for (Index i = 1; i < std::ssize(sentence_.words); ++i)
      answer(WordQuestion::previous, i, i - 1);
    for (auto& places : sentence_.partners) {
      for (auto& partners : places) std::sort(partners.begin(), partners.end());
    }
    return std::move(sentence_);
  }

 private:
  Index note(std::string word) {
    sentence_.words.push_back(std::move(word));
    for (auto& places : sentence_.partners) places.emplace_back();
    return std::ssize(sentence_.words) - 1;
  }
  Index say(const Words& any) { return note(choices_.word(any)); }
  Index say(const char* word) { return note(choices_.exactly(word)); }

  /// Appends a noun, verb or adjective, sometimes one that the lexicon does not know.
  Index sayOpen(const Words& known) {
    return say(choices_.chance(kUnknownWord) ? words_.unknown : known);
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

  /// Appends "the old cat"; returns the place of its noun.
  Index nounPhrase(AdjectiveCounts adjectives) {
    std::optional<Index> determiner;
    if (choices_.chance(kDeterminer))
      determiner = note(choices_.word("the", kThe, words_.determiners));
    const std::size_t count =
        choices_.which(std::array{adjectives.none, adjectives.none + adjectives.one});
    std::vector<Index> described;
    for (std::size_t i = 0; i < count; ++i) described.push_back(sayOpen(words_.adjectives));
    const Index noun = sayOpen(words_.nouns);
    if (determiner) answer(WordQuestion::determined, *determiner, noun);
    for (const Index adjective : described) describe(adjective, noun);
    nouns_.push_back(noun);
    return noun;
  }

  /// Appends a pronoun for either of the first two nouns: a single layer cannot know which.
  Index pronoun(const Words& any) {
    const Index place = say(any);
    const std::size_t candidates = std::min<std::size_t>(2, nouns_.size());
    for (std::size_t i = 0; i < candidates; ++i) {
      answer(WordQuestion::antecedent, place, nouns_[i]);
    }
    return place;
  }
  Index nounOrPronoun(double pronouns, const Words& any, AdjectiveCounts adjectives) {
    const bool again = !nouns_.empty() && choices_.chance(pronouns);
    return again ? pronoun(any) : nounPhrase(adjectives);
  }

  /// Appends "on the mat", which belongs to a verb.
  void prepositionalPhrase(Index verb) {
    const Index preposition = say(words_.prepositions);
    const Index object = nounOrPronoun(kPronounAfterPreposition, words_.objects, kLess);
    answer(WordQuestion::object, preposition, object);
    answer(WordQuestion::verb, preposition, verb);
    answer(WordQuestion::verb, object, verb);
  }

  /// Appends "was not very fluffy". In a relative clause the noun keeps its own verb.
  void copula(Index subject, bool relative = false) {
    const Index verb = say(words_.copulas);
    answer(WordQuestion::subject, verb, subject);
    if (!relative) answer(WordQuestion::verb, subject, verb);
    if (choices_.chance(kNotAfterCopula)) {
      answer(WordQuestion::verb, say("not"), verb);
    }
    if (choices_.more()) {  // "is on the mat"
      prepositionalPhrase(verb);
      return moreOf(verb);
    }
    std::optional<Index> degree;
    if (choices_.chance(kDegree)) degree = say(words_.degrees);
    const Index adjective = sayOpen(words_.adjectives);
    if (degree) answer(WordQuestion::verb, *degree, adjective);
    describe(adjective, subject);
    moreOf(verb);
  }

  Index verbOf(Index subject) {
    const Index verb = sayOpen(words_.verbs);
    answer(WordQuestion::subject, verb, subject);
    return verb;
  }
  void object(Index verb) {
    answer(WordQuestion::verb, nounOrPronoun(kObjectPronoun, words_.objects, kOften), verb);
  }

  /// Appends "did not jump over it".
  void predicate(Index subject) {
    std::vector<Index> before;  // the words before the verb that go with it
    if (choices_.chance(kAuxiliary)) {
      const bool negated = choices_.chance(kDo);
      before.push_back(say(negated ? words_.doForms : words_.auxiliaries));
      answer(WordQuestion::subject, before.back(), subject);
      if (negated) before.push_back(say(choices_.chance(kNot) ? "not" : "never"));
    }
    const Index verb = verbOf(subject);
    answer(WordQuestion::verb, subject, verb);
    for (const Index word : before) answer(WordQuestion::verb, word, verb);
    switch (choices_.which(std::array{0.2, 0.3, 0.75, 0.88})) {
      case 0:
        object(verb);
        break;
      case 1:
        object(verb);
        [[fallthrough]];
      case 2:
        prepositionalPhrase(verb);
        break;
      case 3:
        answer(WordQuestion::verb, say(words_.manners), verb);
        break;
      default:
        break;
    }
    moreOf(verb);
  }

  /// Appends "in the garden today", which belongs to a verb.
  void moreOf(Index verb) {
    while (choices_.more()) prepositionalPhrase(verb);
    if (choices_.more()) answer(WordQuestion::verb, say(words_.manners), verb);
    if (choices_.more()) answer(WordQuestion::verb, say(words_.openings), verb);
  }

  /// Appends ", which was fluffy,", "that sleeps by the door" or "that the river flows by".
  void relativeClause(Index noun) {
    const bool commas = choices_.chance(kRelativeInCommas);
    if (commas) say(",");
    const Index relative = say(commas ? words_.relativesAfterComma : words_.relatives);
    answer(WordQuestion::antecedent, relative, noun);
    const std::size_t form =
        choices_.which(std::array{kRelativeCopula, kRelativeCopula + kRelativeSubject});
    if (form == 0) {
      copula(noun, true);
    } else if (form == 1) {
      const Index verb = verbOf(noun);
      const std::size_t more = choices_.which(std::array{0.6, 0.8});
      if (more == 0) prepositionalPhrase(verb);
      if (more == 1) object(verb);
    } else {
      const bool anyone = choices_.chance(kRelativePronoun);
      const Index subject = anyone ? say(words_.anySubjects) : nounPhrase(kSeldom);
      const Index verb = verbOf(subject);
      answer(WordQuestion::verb, subject, verb);
      if (choices_.chance(kStranded)) {
        answer(WordQuestion::object, say(words_.prepositions), noun);
      }
    }
    if (commas) say(",");
  }

  void clause(bool relative) {
    const bool anyone = choices_.chance(kAnyoneSubject);
    const Index subject = anyone ? say(words_.anySubjects) : nounPhrase(kOften);
    if (relative && !anyone) relativeClause(subject);
    if (choices_.chance(kCopulaAfterNoun)) {
      copula(subject);
    } else {
      predicate(subject);
    }
  }

  /// Appends ", because it was too wide".
  void secondClause() {
    if (choices_.chance(kCommaBeforeIt)) say(",");
    say(words_.conjunctions);
    if (!choices_.chance(kPronounSubject)) return clause(false);
    const Index subject = pronoun(words_.subjects);
    if (choices_.chance(kCopulaAfterPronoun)) {
      copula(subject);
    } else {
      predicate(subject);
    }
  }

  Choices& choices_;
  const Vocabulary& words_ = vocabulary();
  Sentence sentence_;
  std::vector<Index> nouns_;  // so far
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
  constexpr int kMostTried = 2'000;
  Words words;
  for (const std::string& token : tokens) words.push_back(lowerCased(token));
  ReadChoices choices(words);
  for (int tried = 0; tried < kMostTried; ++tried) {
    choices.begin();
    Sentence sentence = SentenceBuilder(choices).build();
    if (choices.read()) return sentence;
    if (!choices.takeOthers()) return std::nullopt;
  }
  return std::nullopt;
}

std::vector<std::string> sentenceWords() {
  std::vector<std::string> all;
  for (const Words* words : vocabulary().all()) all.insert(all.end(), words->begin(), words->end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace headscope::training
