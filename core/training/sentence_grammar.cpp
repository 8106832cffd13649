#include "core/training/sentence_grammar.h"

#include <algorithm>
#include <array>
#include <utility>

namespace headscope::training {
namespace {

// Probabilities of the parts of a sentence and their forms.
constexpr double kQuestion = 0.06;
constexpr double kAskingWord = 0.35;  // "where did …"
constexpr double kSecondClause = 0.42;
constexpr double kThirdClause = 0.1;
constexpr double kCommaBeforeIt = 0.4;
constexpr double kAnyoneSubject = 0.12;   // a pronoun for no noun
constexpr double kPronounSubject = 0.55;  // of the second clause
constexpr double kCopulaAfterPronoun = 0.5;
constexpr double kCopulaAfterNoun = 0.3;
constexpr double kFullStop = 0.8;
constexpr double kDeterminer = 0.88;
constexpr double kOwner = 0.06;  // "my sister's"
constexpr double kThe = 0.45;
constexpr double kCompound = 0.06;  // "summer holidays"
constexpr double kAnd = 0.06;       // "the cat and the dog"
constexpr double kRelativeClause = 0.28;
constexpr double kLaterRelative = 0.05;  // of objects
constexpr double kPhraseOfNoun = 0.17;   // "the key of the door"
constexpr double kOf = 0.4;
constexpr double kRelativeInCommas = 0.5;
constexpr double kObjectPronoun = 0.2;
constexpr double kPronounAfterPreposition = 0.12;
constexpr double kNotAfterCopula = 0.12;
constexpr double kDegree = 0.4;
constexpr double kDegreeInPhrase = 0.05;  // "a very old man"
constexpr double kNot = 0.8;              // of negations; else "never"
constexpr double kAdverbBeforeVerb = 0.1;
constexpr double kSecondPredicate = 0.12;  // "… and ran away"
constexpr double kExtraPhrase = 0.1;
constexpr double kLastAdverb = 0.07;
constexpr double kTime = 0.04;  // "every morning"

/// The most words after which another clause still fits.
constexpr std::size_t kMostWordsBeforeSecond = 17;

}  // namespace

Index SentenceBuilder::note(std::string word, WordClass wordClass) {
  sentence_.words.push_back(std::move(word));
  sentence_.uses.push_back({wordClass});
  for (auto& places : sentence_.partners) places.emplace_back();
  return std::ssize(sentence_.words) - 1;
}

void SentenceBuilder::answer(WordQuestion question, Index of, Index partner) {
  auto& partners =
      sentence_.partners[static_cast<std::size_t>(question)][static_cast<std::size_t>(of)];
  if (std::find(partners.begin(), partners.end(), partner) == partners.end()) {
    partners.push_back(partner);
  }
}
void SentenceBuilder::answer(WordQuestion question, Index of, const Places& partners) {
  for (const Index partner : partners) answer(question, of, partner);
}
void SentenceBuilder::answer(WordQuestion question, const Places& of, Index partner) {
  for (const Index place : of) answer(question, place, partner);
}
void SentenceBuilder::describe(Index adjective, const Places& nouns) {
  for (const Index noun : nouns) {
    answer(WordQuestion::described, adjective, noun);
    answer(WordQuestion::description, noun, adjective);
  }
}

Sentence SentenceBuilder::build() {
  if (!asks()) {
    opening();
    if (choices_.more()) {
      predicate({});  // "close the door"
    } else {
      clause(choices_.chance(kRelativeClause));
    }
    for (const double probability : {kSecondClause, kThirdClause}) {
      if (sentence_.words.size() > kMostWordsBeforeSecond || !choices_.chance(probability)) break;
      secondClause();
    }
    while (choices_.fits() && choices_.more()) secondClause();
    if (choices_.chance(kFullStop)) say(words_.ends);
  }
  findParts(sentence_.words, sentence_.uses);
  for (Index i = 1; i < std::ssize(sentence_.words); ++i) answer(WordQuestion::previous, i, i - 1);
  for (auto& places : sentence_.partners) {
    for (auto& partners : places) std::sort(partners.begin(), partners.end());
  }
  return std::move(sentence_);
}

/// Appends "today", "in the evening," or "when the dog slept,".
void SentenceBuilder::opening() {
  switch (choices_.which(std::array{0.66, 0.75, 0.87})) {
    case 0:
      if (choices_.more()) {  // "every morning"
        awaiting_ = {timePhrase(words_.nouns)};
        if (choices_.chance(0.3)) comma();
      }
      break;
    case 1:
      awaiting_.push_back(say(words_.openings));
      if (choices_.chance(0.3)) comma();
      break;
    case 2:
      awaiting_ = prepositionalPhrase({});
      if (choices_.chance(0.7)) comma();
      break;
    default:
      say(words_.fronted);
      clause(false);
      comma();
  }
}

/// Appends "does the dog sleep here?" or nothing.
bool SentenceBuilder::asks() {
  if (!choices_.chance(kQuestion)) return false;
  if (choices_.chance(kAskingWord)) say(words_.asking);
  const std::size_t form = choices_.which(std::array{0.45, 0.75});
  const WordList& first = form == 0   ? words_.doForms
                          : form == 1 ? words_.auxiliaries
                                      : words_.copulas;
  const Index auxiliary = say(first);
  const Places who = subject(false);
  answer(WordQuestion::subject, auxiliary, who);
  if (form == 2) {
    answer(WordQuestion::verb, who, auxiliary);
    complement(auxiliary, who);
  } else {
    const Index verb = verbOf(who);
    answer(WordQuestion::verb, auxiliary, verb);
    answer(WordQuestion::verb, who, verb);
    rest(verb, who);
  }
  say("?", WordClass::punctuation);
  return true;
}

/// Appends "the old cat"; returns the place of its noun.
Index SentenceBuilder::nounPhrase(AdjectiveCounts adjectives, After after) {
  std::optional<Index> determiner;
  if (choices_.more()) say("such", WordClass::adverb);
  if (choices_.chance(kDeterminer)) {
    determiner = note(choices_.word("the", kThe, words_.determiners), words_.determiners.wordClass);
  }
  if (choices_.chance(kOwner)) {
    const Index owner = say(words_.owners);
    if (determiner) answer(WordQuestion::determined, *determiner, owner);
    determiner.reset();
  }
  const std::size_t count =
      choices_.which(std::array{adjectives.none, adjectives.none + adjectives.one});
  Places described;
  for (std::size_t i = 0; i < count; ++i) {
    std::optional<Index> degree;
    if (i == 0 && choices_.chance(kDegreeInPhrase)) degree = say(words_.degrees);
    described.push_back(sayOpen(words_.adjectives));
    if (degree) answer(WordQuestion::verb, *degree, described.back());
  }
  if (choices_.chance(kCompound)) sayOpen(words_.nouns);
  const Index noun = sayOpen(words_.nouns);
  if (determiner) answer(WordQuestion::determined, *determiner, noun);
  for (const Index adjective : described) describe(adjective, {noun});
  afterNoun(noun, after);
  return noun;
}

void SentenceBuilder::afterNoun(Index noun, After after) {
  if (after == After::nothing) return;
  if (choices_.chance(kPhraseOfNoun)) phraseOf();
  if (after == After::clause) relativeClause(noun);
}

/// Appends "of the door" or "on the shelf", which belongs to a noun.
void SentenceBuilder::phraseOf() {
  const Index preposition =
      note(choices_.word("of", kOf, words_.prepositions), words_.prepositions.wordClass);
  answer(WordQuestion::object, preposition, nounPhrase(kLess));
}

/// Appends "the old cat", "the cat and the dog" or "she"; returns the places of its nouns.
SentenceBuilder::Places SentenceBuilder::subject(bool relative) {
  if (choices_.chance(kAnyoneSubject)) {
    return {say(choices_.more() ? words_.indefinites : words_.anySubjects)};
  }
  Places nouns{nounPhrase(kOften, relative ? After::clause : After::phrase)};
  if (!relative && choices_.chance(kAnd)) {
    say("and", WordClass::conjunction);
    nouns.push_back(nounPhrase(kLess));
  }
  topics_ = nouns;
  return nouns;
}

SentenceBuilder::Places SentenceBuilder::objectPhrase(AdjectiveCounts adjectives) {
  if (!topics_.empty() && choices_.chance(kObjectPronoun)) return {pronoun(words_.objects)};
  if (choices_.more()) return {say(words_.indefinites)};
  Places nouns{
      nounPhrase(adjectives, choices_.chance(kLaterRelative) ? After::clause : After::phrase)};
  if (choices_.chance(kAnd)) {
    if (choices_.chance(0.25)) {
      comma();
      nouns.push_back(nounPhrase(kSeldom));
    }
    say("and", WordClass::conjunction);
    nouns.push_back(nounPhrase(kSeldom));
  }
  topics_.push_back(nouns.front());
  return nouns;
}

/// Appends a pronoun for either of the first two topics: a single layer cannot know which.
Index SentenceBuilder::pronoun(const WordList& any) {
  const Index place = say(any);
  const std::size_t candidates = std::min<std::size_t>(2, topics_.size());
  for (std::size_t i = 0; i < candidates; ++i) answer(WordQuestion::antecedent, place, topics_[i]);
  return place;
}

/// Appends "on the mat", which belongs to verbs; returns the places of its words that do.
SentenceBuilder::Places SentenceBuilder::prepositionalPhrase(const Places& verbs) {
  const Index preposition = say(words_.prepositions);
  Places objects;
  if (!topics_.empty() && choices_.chance(kPronounAfterPreposition)) {
    objects = {pronoun(words_.objects)};
  } else {
    objects = {nounPhrase(kLess, After::phrase)};
    if (choices_.chance(kAnd)) {
      say("and", WordClass::conjunction);
      objects.push_back(nounPhrase(kSeldom));
    }
  }
  answer(WordQuestion::object, preposition, objects);
  Places all = objects;
  all.insert(all.begin(), preposition);
  for (const Index verb : verbs) answer(WordQuestion::verb, all, verb);
  return all;
}

/// The words at the beginning go with this verb.
void SentenceBuilder::settle(Index verb) {
  answer(WordQuestion::verb, awaiting_, verb);
  awaiting_.clear();
}

/// Appends "was not very fluffy". In a relative clause the noun keeps its own verb.
void SentenceBuilder::copula(const Places& subject, bool relative) {
  const Index verb = say(words_.copulas);
  answer(WordQuestion::subject, verb, subject);
  if (!relative) answer(WordQuestion::verb, subject, verb);
  if (!relative) settle(verb);
  if (choices_.chance(kNotAfterCopula)) {
    answer(WordQuestion::verb, say("not", WordClass::negation), verb);
  }
  complement(verb, subject);
}

/// Appends "very fluffy", "on the mat", "a teacher" or "built by them".
void SentenceBuilder::complement(Index verb, const Places& subject) {
  switch (choices_.which(std::array{0.7, 0.8, 0.9})) {
    case 0: {
      std::optional<Index> degree;
      if (choices_.chance(kDegree)) degree = say(words_.degrees);
      const Index adjective = sayOpen(words_.adjectives);
      if (degree) answer(WordQuestion::verb, *degree, adjective);
      describe(adjective, subject);
      if (choices_.chance(kAnd)) {
        say("and", WordClass::conjunction);
        describe(sayOpen(words_.adjectives), subject);
      }
      break;
    }
    case 1:
      prepositionalPhrase({verb});
      break;
    case 2:
      answer(WordQuestion::verb, nounPhrase(kLess, After::phrase), verb);
      break;
    default: {
      const Index participle = verbOf(subject);
      answer(WordQuestion::verb, verb, participle);
      if (choices_.chance(0.7)) prepositionalPhrase({participle});
    }
  }
  moreOf(verb);
}

Index SentenceBuilder::verbOf(const Places& subject) {
  const bool adverb = choices_.chance(kAdverbBeforeVerb);
  std::optional<Index> before;
  if (adverb) before = say(choices_.more() ? words_.negatives : words_.often);
  const Index verb = sayOpen(words_.verbs);
  answer(WordQuestion::subject, verb, subject);
  if (before) answer(WordQuestion::verb, *before, verb);
  return verb;
}

/// Appends "did not jump over it".
void SentenceBuilder::predicate(const Places& subject, bool again) {
  Places before;  // the words before the verb that go with it
  const std::size_t auxiliary = choices_.which(std::array{0.74, 0.86, 0.93});
  if (auxiliary > 0) {
    before.push_back(say(auxiliary == 1   ? words_.doForms
                         : auxiliary == 2 ? words_.auxiliaries
                                          : words_.perfects));
    answer(WordQuestion::subject, before.back(), subject);
    if (auxiliary == 1 || choices_.chance(0.2)) {
      before.push_back(say(choices_.chance(kNot) ? "not" : "never", WordClass::negation));
    }
    if (choices_.more()) before.push_back(say(words_.anyCopulas));  // "had been waiting"
  } else if (choices_.more()) {
    before.push_back(say(words_.negatives));  // "cannot"
  }
  const Index verb = verbOf(subject);
  answer(WordQuestion::verb, subject, verb);
  answer(WordQuestion::verb, before, verb);
  settle(verb);
  rest(verb, subject);
  if (again && choices_.chance(kSecondPredicate)) {
    say("and", WordClass::conjunction);
    predicate(subject, false);
  }
}

/// Appends the objects and phrases of a verb.
void SentenceBuilder::rest(Index verb, const Places& subject) {
  const auto object = [&] { answer(WordQuestion::verb, objectPhrase(kOften), verb); };
  switch (choices_.which(std::array{0.3, 0.5, 0.74, 0.84, 0.88, 0.91, 0.94})) {
    case 0:
      object();
      break;
    case 1:
      object();
      [[fallthrough]];
    case 2:
      prepositionalPhrase({verb});
      break;
    case 3:
      answer(WordQuestion::verb, say(words_.adverbs), verb);
      break;
    case 4: {  // "wanted to read the book"
      say("to", WordClass::other);
      const Index second = verbOf(subject);
      if (choices_.chance(0.7)) answer(WordQuestion::verb, objectPhrase(kLess), second);
      break;
    }
    case 5:
      thatClause();
      break;
    case 6:  // "gave him a book"
      answer(WordQuestion::verb, objectPhrase(kSeldom), verb);
      answer(WordQuestion::verb, nounPhrase(kLess), verb);
      break;
    default:
      if (choices_.more()) describe(sayOpen(words_.adjectives), subject);  // "tasted wonderful"
      if (choices_.more()) {  // "explain why it was hungry"
        say(words_.asking);
        return clause(false);
      }
  }
  moreOf(verb);
}

/// Appends "that it was hungry".
void SentenceBuilder::thatClause() {
  say(words_.reporting);
  const Places who{choices_.chance(kPronounSubject) && !topics_.empty() ? pronoun(words_.subjects)
                                                                        : nounPhrase(kLess)};
  if (choices_.chance(0.5)) {
    copula(who);
  } else {
    const Index verb = verbOf(who);
    answer(WordQuestion::verb, who, verb);
    if (choices_.chance(0.6)) prepositionalPhrase({verb});
  }
}

/// Appends "in the garden every morning", which belongs to a verb.
void SentenceBuilder::moreOf(Index verb) {
  if (!choices_.fits()) return;
  if (choices_.chance(kExtraPhrase)) prepositionalPhrase({verb});
  while (choices_.fits() && choices_.more()) prepositionalPhrase({verb});
  if (choices_.chance(kLastAdverb)) answer(WordQuestion::verb, say(words_.adverbs), verb);
  while (choices_.fits() && choices_.more()) answer(WordQuestion::verb, say(words_.adverbs), verb);
  if (choices_.more()) say(words_.reflexives);
  if (choices_.chance(kTime)) answer(WordQuestion::verb, timePhrase(words_.times), verb);
}

/// Appends "every Sunday morning"; returns the place of its last word.
Index SentenceBuilder::timePhrase(const WordList& times) {
  const Index determiner = say(words_.determiners);
  if (choices_.chance(0.2)) sayOpen(words_.nouns);
  const Index time = say(times);
  answer(WordQuestion::determined, determiner, time);
  return time;
}

/// Appends ", which was fluffy,", "that sleeps by the door", "that the river flows by" or "whose
/// door was closed".
void SentenceBuilder::relativeClause(Index noun) {
  const bool commas = choices_.chance(kRelativeInCommas);
  if (commas) comma();
  const std::size_t form = choices_.which(std::array{0.3, 0.65, 0.93});
  if (form == 3) {
    answer(WordQuestion::antecedent, say("whose", WordClass::pronoun), noun);
    const Index owned = sayOpen(words_.nouns);
    if (choices_.more()) {  // "whose tractor broke down"
      predicate({owned}, false);
      if (commas) comma();
      return;
    }
    const Index verb = say(words_.copulas);
    answer(WordQuestion::subject, verb, owned);
    answer(WordQuestion::verb, owned, verb);
    describe(sayOpen(words_.adjectives), {owned});
    if (commas) comma();
    return;
  }
  answer(WordQuestion::antecedent, say(commas ? words_.relativesAfterComma : words_.relatives),
         noun);
  if (form == 0) {
    copula({noun}, true);
  } else if (form == 1) {
    std::optional<Index> auxiliary;
    if (choices_.chance(0.15)) {
      auxiliary = say(choices_.chance(0.5) ? words_.perfects : words_.auxiliaries);
      answer(WordQuestion::subject, *auxiliary, noun);
    }
    const Index verb = verbOf({noun});
    if (auxiliary) answer(WordQuestion::verb, *auxiliary, verb);
    const std::size_t more = choices_.which(std::array{0.45, 0.8});
    if (more == 0) prepositionalPhrase({verb});
    if (more == 1) answer(WordQuestion::verb, nounPhrase(kLess), verb);
  } else {
    const Index who = choices_.chance(0.3) ? say(words_.anySubjects) : nounPhrase(kSeldom);
    const Index verb = verbOf({who});
    answer(WordQuestion::verb, who, verb);
    if (choices_.chance(0.35)) {
      answer(WordQuestion::object, say(words_.prepositions), noun);
    } else if (choices_.chance(0.15)) {
      answer(WordQuestion::verb, say(words_.adverbs), verb);
    }
  }
  if (commas) comma();
}

void SentenceBuilder::clause(bool relative) {
  const Places who = subject(relative);
  if (choices_.chance(kCopulaAfterNoun)) {
    copula(who);
  } else {
    predicate(who);
  }
}

/// Appends ", because it was too wide".
void SentenceBuilder::secondClause() {
  if (choices_.chance(kCommaBeforeIt)) comma();
  say(words_.conjunctions);
  if (topics_.empty() || !choices_.chance(kPronounSubject)) return clause(false);
  const Places who{pronoun(words_.subjects)};
  if (choices_.chance(kCopulaAfterPronoun)) {
    copula(who);
  } else {
    predicate(who);
  }
}

}  // namespace headscope::training
