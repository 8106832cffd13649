#include "core/language/stories.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/language/story_words.h"

namespace headscope::language {
namespace {

using training::Draws;

constexpr std::string_view kOtherWords =
    "one day and went to the . was in with there a an it when were at , gave thanked because he "
    "she his her him that put then opened took \" I like said liked too saw which very by lost "
    "found near look ! home good for : sang";

/// The share of texts that are random words given twice. They ask for the second half alone what a
/// song asks for: look for the word before, and repeat what followed it. Models learn the song and
/// the box sooner with them.
constexpr double kRepeated = 0.15;
constexpr Index kLeastRepeated = 4, kMostRepeated = 24;  // words, before they are given again

std::string_view article(std::string_view word) {
  return std::string_view("aeio").find(word.front()) == std::string_view::npos ? "a" : "an";
}

/// Tells one story: who and where, two to five events, an end.
class Teller {
 public:
  explicit Teller(Draws& draws)
      : draws_(draws),
        people_(twoPeople(draws)),
        place_(oneOf(kPlaces, draws)),
        thing_(oneOf(kThings, draws)) {}

  std::vector<Word> tell() {
    beginning();
    constexpr Index kLeast = 2, kMost = 5;
    for (Index left = kLeast + draws_.below(kMost - kLeast + 1); left > 0; --left) {
      (this->*oneOf(kEvents, draws_))();
    }
    end();
    return std::move(words_);
  }

 private:
  using Event = void (Teller::*)();

  template <typename List>
  const auto& any(const List& list) {
    return oneOf(list, draws_);
  }
  void say(std::initializer_list<std::string_view> parts) { append(words_, parts); }

  void beginning() {
    const double kind = draws_.uniform();
    if (kind < 0.4) {
      say({"one day", a_.name, "and", b_.name, "went to the", place_, "."});
    } else if (kind < 0.7) {
      say({a_.name, "was in the", place_, "with", b_.name, "."});
    } else {
      const Word kindOfThing = draws_.chance(0.5) ? any(kColours) : any(kSizes);
      say({"there was", article(kindOfThing), kindOfThing, thing_, "in the", place_, "."});
      say({a_.name, "and", b_.name, "saw it ."});
    }
  }

  void giving() {
    const bool turned = draws_.chance(0.5);
    const Person &giver = turned ? b_ : a_, &taker = turned ? a_ : b_;
    const bool otherOrder = draws_.chance(0.5);
    const Person &first = otherOrder ? b_ : a_, &second = otherOrder ? a_ : b_;
    say({"when", first.name, "and", second.name, "were at the", place_, ","});
    say({giver.name, "gave the", thing_, "to", taker.name, "."});
    if (draws_.chance(0.6)) say({taker.name, "thanked", giver.name, "."});
  }

  void mood() {
    const Word mood = any(kMoods), deed = any(kDeeds), colour = any(kColours), thing = any(kThings);
    say({a_.name, "was", mood, "because", a_.subject, deed, "the", colour, thing, "."});
  }

  void relativeClause() {
    const auto [seer, seen] = someOf<2>(kAnimals, draws_);
    const bool many = draws_.chance(0.5), manySeen = draws_.chance(0.5);
    const Word deed = any(kDeeds), mood = any(kMoods);
    say({"the", many ? seer.many : seer.one, "that", deed, "the", manySeen ? seen.many : seen.one,
         many ? "were" : "was", mood, "."});
  }

  void box() {
    const Word thing = any(kThings), colour = any(kColours), box = any(kBoxes);
    say({a_.name, "put the", thing, "in the", colour, box, "."});
    if (draws_.chance(0.5)) say({b_.name, any(kActions), "."});
    say({"then", a_.subject, "opened the", colour, box, "and took the", thing, "."});
  }

  void liking() {
    const Word colour = any(kColours), thing = any(kThings);
    say({"\" I like the", colour, thing, ", \" said", a_.name, "."});
    say({b_.name, "liked the", colour, thing, "too ."});
  }

  void list() {
    const auto things = someOf<3>(kThings, draws_);
    sawThings(a_, things);
    say({"."});
    sawThings(b_, things);
    say({"too ."});
  }
  void sawThings(const Person& who, const std::array<Word, 3>& things) {
    const auto& [first, second, third] = things;
    say({who.name, "saw", article(first), first, ",", article(second), second});
    say({"and", article(third), third});
  }

  void song() {
    constexpr Index kLeast = 4, kMost = 7;
    std::vector<Word> song;
    for (Index left = kLeast + draws_.below(kMost - kLeast + 1); left > 0; --left) {
      song.push_back(any(kSyllables));
    }
    for (const Person& singer : people_) {
      say({singer.name, "sang :"});
      words_.insert(words_.end(), song.begin(), song.end());
      say({"."});
    }
  }

  void description() {
    const Word animal = any(kAnimals).one, look = any(kLooks), action = any(kActions);
    const Word colour = any(kColours), thing = any(kThings);
    say({"the", animal, ", which was very", look, ",", action, "by the", colour, thing, "."});
    say({"the", animal, "was", look, "."});
  }

  void eachOther() {
    const Word deed = any(kDeeds);
    say({b_.name, deed, a_.name, "and", a_.subject, deed, b_.object, "."});
  }

  void lostAndFound() {
    const Word thing = any(kThings);
    say({a_.name, "lost", a_.owner, thing, "."});
    say({b_.name, "found the", thing, "and gave it to", a_.name, "."});
  }

  void sighting() {
    const Word size = any(kSizes), animal = any(kAnimals).one, action = any(kActions);
    say({article(size), size, animal, action, "near the", place_, "."});
    say({"\" look ,", article(animal), animal, "! \" said", b_.name, "."});
  }

  void twoAnimals() {
    const auto [one, other] = someOf<2>(kAnimals, draws_);
    const Word colour = any(kColours), deed = any(kDeeds), look = any(kLooks);
    say({"the", colour, one.one, deed, "the", look, other.one, "."});
    const Word action = any(kActions), otherAction = any(kActions);
    say({"the", other.one, action, "and the", one.one, otherAction, "."});
  }

  void end() {
    if (draws_.chance(0.5)) {
      say({a_.name, "and", b_.name, "went home ."});
    } else {
      say({"it was a good day for", a_.name, "and", b_.name, "."});
    }
  }

  static constexpr std::array<Event, 12> kEvents{
      &Teller::giving,    &Teller::mood,         &Teller::relativeClause, &Teller::box,
      &Teller::liking,    &Teller::list,         &Teller::song,           &Teller::description,
      &Teller::eachOther, &Teller::lostAndFound, &Teller::sighting,       &Teller::twoAnimals};

  Draws& draws_;
  std::array<Person, 2> people_;
  const Person &a_ = people_[0], &b_ = people_[1];
  Word place_, thing_;
  std::vector<Word> words_;
};

std::vector<std::string> wordsInOrder() {
  std::vector<Word> words;
  for (const Person& person : kGirls) words.push_back(person.name);
  for (const Person& person : kBoys) words.push_back(person.name);
  for (const Animal& animal : kAnimals) words.insert(words.end(), {animal.one, animal.many});
  const auto add = [&](const auto&... lists) {
    (words.insert(words.end(), lists.begin(), lists.end()), ...);
  };
  add(kThings, kPlaces, kBoxes, kColours, kSizes, kMoods, kLooks, kActions, kDeeds, kSyllables);
  append(words, {kOtherWords});
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::vector<std::string> all{std::string(kBeginToken), std::string(kUnknownToken)};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

const std::vector<std::string>& vocabulary() {
  static const std::vector<std::string> words = wordsInOrder();
  return words;
}

void addRepeated(Draws& draws, std::vector<std::int32_t>& tokens) {
  const Index count = kLeastRepeated + draws.below(kMostRepeated - kLeastRepeated + 1);
  const std::size_t begin = tokens.size();
  constexpr Index kFirstWord = 2;  // after kBeginToken and kUnknownToken
  for (Index i = 0; i < count; ++i) {
    const Index word = kFirstWord + draws.below(std::ssize(vocabulary()) - kFirstWord);
    tokens.push_back(static_cast<std::int32_t>(word));
  }
  for (Index i = 0; i < count; ++i) tokens.push_back(tokens[begin + static_cast<std::size_t>(i)]);
}

}  // namespace

std::span<const std::string> storyWords() { return vocabulary(); }

std::int32_t storyWord(std::string_view word) {
  static const auto ids = [] {
    std::unordered_map<std::string_view, std::int32_t> all;
    for (const std::string& each : vocabulary()) {
      all.emplace(each, static_cast<std::int32_t>(all.size()));
    }
    return all;
  }();
  return ids.at(word);
}

std::vector<std::string_view> story(Draws& draws) { return Teller(draws).tell(); }

std::vector<std::int32_t> storyTokens(std::uint64_t seed, Index count) {
  Draws draws(seed, "stories");
  std::vector<std::int32_t> tokens;
  constexpr std::size_t kLongestText = 256;
  tokens.reserve(static_cast<std::size_t>(count) + kLongestText);
  while (std::ssize(tokens) < count) {
    tokens.push_back(0);  // kBeginToken
    if (draws.chance(kRepeated)) {
      addRepeated(draws, tokens);
    } else {
      for (const std::string_view word : story(draws)) tokens.push_back(storyWord(word));
    }
  }
  tokens.resize(static_cast<std::size_t>(count));
  return tokens;
}

}  // namespace headscope::language
