#include "core/language/story_questions.h"

#include <string>

#include "core/base/translation.h"
#include "core/language/stories.h"
#include "core/language/story_words.h"

namespace headscope::language {
namespace {

using training::Draws;

/// A case word by word.
class CaseWriter {
 public:
  void say(std::initializer_list<std::string_view> parts) { append(words_, parts); }
  /// Says a word that decides the answer; the last such word counts.
  void decide(std::string_view word) {
    decides_ = std::ssize(words_);
    say({word});
  }

  StoryCase answered(std::string_view right, std::optional<std::string_view> wrong = {}) const {
    StoryCase written;
    for (const Word word : words_) written.tokens.push_back(storyWord(word));
    written.right = storyWord(right);
    if (wrong) written.wrong = storyWord(*wrong);
    written.decides = decides_;
    return written;
  }

 private:
  std::vector<Word> words_{kBeginToken};
  Index decides_ = 0;
};

/// "… the birds that saw the cat" were
StoryCase agree(Draws& draws) {
  const bool many = draws.chance(0.5);
  const auto [seer, seen] = someOf<2>(kAnimals, draws);
  CaseWriter text;
  text.say({"one day Tom and Anna went to the park . the"});
  text.decide(many ? seer.many : seer.one);
  text.say({"that", oneOf(kDeeds, draws), "the", many ? seen.one : seen.many});
  return many ? text.answered("were", "was") : text.answered("was", "were");
}

/// "… Mia was sad because" she
StoryCase pronoun(Draws& draws) {
  const bool girls = draws.chance(0.5);
  const Person& girl = oneOf(kGirls, draws);
  const Person& boy = oneOf(kBoys, draws);
  const Person &who = girls ? girl : boy, &other = girls ? boy : girl;
  CaseWriter text;
  text.say({"one day", who.name, "and", other.name, "went to the", oneOf(kPlaces, draws), "."});
  text.decide(who.name);
  text.say({"was", oneOf(kMoods, draws), "because"});
  return text.answered(who.subject, other.subject);
}

/// "… Mia gave the coin to" Leo
StoryCase give(Draws& draws) {
  const auto [giver, taker] = twoPeople(draws);
  const Word place = oneOf(kPlaces, draws), thing = oneOf(kThings, draws);
  CaseWriter text;
  text.say({"one day", giver.name, "and", taker.name, "went to the", place, "."});
  text.say({"when", giver.name, "and"});
  text.decide(taker.name);
  text.say({"were at the", place, ",", giver.name, "gave the", thing, "to"});
  return text.answered(taker.name, giver.name);
}

/// "… Mia gave the coin to Leo . Leo thanked" Mia
StoryCase thank(Draws& draws) {
  const auto [giver, taker] = twoPeople(draws);
  const Word place = oneOf(kPlaces, draws), thing = oneOf(kThings, draws);
  CaseWriter text;
  text.say({giver.name, "was in the", place, "with", taker.name, "."});
  text.say({"when", giver.name, "and", taker.name, "were at the", place, ","});
  text.decide(giver.name);
  text.say({"gave the", thing, "to", taker.name, ".", taker.name, "thanked"});
  return text.answered(giver.name, taker.name);
}

/// "… Tom sang : la mi do re . Anna sang : la mi" do
StoryCase song(Draws& draws) {
  constexpr std::size_t kLength = 6;
  constexpr Index kLeastSung = 2, kMostSung = 4;  // before the answer
  std::vector<Word> syllables;
  for (std::size_t i = 0; i < kLength; ++i) syllables.push_back(oneOf(kSyllables, draws));
  const auto sung = static_cast<std::size_t>(kLeastSung + draws.below(kMostSung - kLeastSung + 1));
  CaseWriter text;
  text.say({"one day Tom and Anna went to the park . Tom sang :"});
  for (std::size_t i = 0; i < kLength; ++i) {
    if (i == sung) {
      text.decide(syllables[i]);
    } else {
      text.say({syllables[i]});
    }
  }
  text.say({". Anna sang :"});
  for (std::size_t i = 0; i < sung; ++i) text.say({syllables[i]});
  return text.answered(syllables[sung]);
}

/// "… Tom put the coin in the red bag . Anna slept . then he opened the red bag and took the" coin
StoryCase box(Draws& draws) {
  const Word thing = oneOf(kThings, draws), colour = oneOf(kColours, draws);
  const Word box = oneOf(kBoxes, draws);
  CaseWriter text;
  text.say({"one day Tom and Anna went to the park . Tom put the"});
  text.decide(thing);
  text.say({"in the", colour, box, ". Anna slept . then he opened the", colour, box});
  text.say({"and took the"});
  return text.answered(thing);
}

struct Question {
  StoryQuestion question;
  StoryCase (*make)(Draws&);
};
constexpr std::array<Question, kStoryQuestions> kQuestions{{
    {{"agree", trLater("was or were: “the birds that saw the cat” were"), trLater("the subject")},
     agree},
    {{"pronoun", trLater("he or she: “Mia was sad because” she"), trLater("the person")}, pronoun},
    {{"give", trLater("who is given it: “Mia gave the coin to” Leo"), trLater("the taker's name")},
     give},
    {{"thank", trLater("who is thanked: “Leo thanked” Mia, who gave it"),
      trLater("the giver's name")},
     thank},
    {{"song", trLater("the song again: “la mi do re. Anna sang: la mi” do"),
      trLater("the syllable when it was sung first")},
     song},
    {{"box", trLater("what was put there: “he opened the bag and took the” coin"),
      trLater("the thing that was put there")},
     box},
}};

}  // namespace

const std::array<StoryQuestion, kStoryQuestions>& storyQuestions() {
  static const auto questions = [] {
    std::array<StoryQuestion, kStoryQuestions> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = kQuestions[i].question;
    return all;
  }();
  return questions;
}

std::vector<StoryCase> storyCases(std::size_t question, Index count) {
  const auto& [words, make] = kQuestions.at(question);
  // a name of their own: no stream of stories has these draws, whatever its seed
  Draws draws(0, "questions about stories: " + std::string(words.name));
  std::vector<StoryCase> cases;
  for (Index i = 0; i < count; ++i) cases.push_back(make(draws));
  return cases;
}

}  // namespace headscope::language
