// The classes of words in their texts, unknown words, other languages, and the example sentences.
#include "core/input/tagger.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "core/input/example_sentences.h"
#include "core/input/input.h"
#include "core/training/sentences.h"
#include "tests/core/everyday_sentences.h"

namespace headscope {
namespace {

/// The use of the last word of these that the text has.
WordUse useOf(const std::string& word, const std::string& text) {
  const std::vector<std::string> tokens = tokenize(text);
  const std::vector<WordUse> uses = wordUses(tokens);
  WordUse found;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] == word) found = uses[i];
  }
  return found;
}

std::string classIn(const std::string& word, const std::string& text) {
  return std::string(toString(useOf(word, text).wordClass));
}

TEST(Tagger, WordsTakeTheClassOfTheirPlace) {
  EXPECT_EQ(classIn("play", "The children play football."), "verb");
  EXPECT_EQ(classIn("play", "The play was very long."), "noun");
  EXPECT_EQ(classIn("bakes", "My grandmother bakes bread."), "verb");
  EXPECT_EQ(classIn("walks", "The long walks made him tired."), "noun");
  EXPECT_EQ(classIn("that", "He lives in that house."), "determiner");
  EXPECT_EQ(classIn("that", "The door that she opened was closed."), "pronoun");
  EXPECT_EQ(classIn("her", "She lost her glasses."), "determiner");
  EXPECT_EQ(classIn("her", "We saw her."), "pronoun");
  EXPECT_EQ(classIn("before", "They slept before sunrise."), "preposition");
  EXPECT_EQ(classIn("before", "They slept before she left."), "conjunction");
  EXPECT_EQ(classIn("to", "He wanted to sleep."), "other");
  EXPECT_EQ(classIn("to", "He went to the river."), "preposition");
  EXPECT_EQ(classIn("broken", "He repaired the broken window."), "adjective");
  EXPECT_EQ(classIn("open", "He closed the open window."), "adjective");
  EXPECT_EQ(classIn("42", "The farmer sold 42 sheep."), "determiner");
  EXPECT_EQ(classIn("42", "42"), "other");
}

TEST(Tagger, WordsHaveParts) {
  const std::string text =
      "My sister's friend, who was happy, read old books in the summer holidays.";
  EXPECT_EQ(useOf("sister's", text).part, WordPart::owner);
  EXPECT_EQ(useOf("friend", text).part, std::nullopt);
  EXPECT_EQ(useOf("who", text).part, WordPart::beginsClause);
  EXPECT_EQ(useOf("happy", text).part, WordPart::afterCopula);
  EXPECT_EQ(useOf("old", text).part, std::nullopt);
  EXPECT_EQ(useOf("books", text).part, WordPart::afterVerb);
  EXPECT_EQ(useOf("summer", text).part, WordPart::beforeNoun);
  EXPECT_EQ(useOf("holidays", text).part, WordPart::afterPreposition);
}

TEST(Tagger, WithoutOrderWordsHaveTheirUsualClass) {
  const std::vector<std::string> one = tokenize("the cat chased the play");
  const std::vector<std::string> other = tokenize("play the the chased cat");
  const auto uses = wordUsesWithoutOrder(one);
  const auto others = wordUsesWithoutOrder(other);
  EXPECT_EQ(uses[4].wordClass, others[0].wordClass);
  EXPECT_EQ(uses[1].wordClass, others[4].wordClass);
  EXPECT_EQ(uses[1].part, std::nullopt);
}

/// In sentences that nothing was made from, by what a person says of their words.
TEST(Tagger, EverydayWordsHaveTheirClasses) {
  using training::WordQuestion;
  using enum WordClass;
  const auto wanted = [](WordQuestion question) -> std::set<WordClass> {
    switch (question) {
      case WordQuestion::subject:
        return {verb, copula};
      case WordQuestion::described:
        return {adjective};
      case WordQuestion::description:
        return {noun};
      case WordQuestion::determined:
        return {determiner};
      case WordQuestion::object:
        return {preposition};
      case WordQuestion::antecedent:
        return {pronoun};
      default:
        return {};
    }
  };
  for (const char* half : {"tuning", "held_back"}) {
    int words = 0, right = 0;
    for (const training::Sentence& sentence : test::everydaySentences(half)) {
      const std::vector<WordUse> uses = wordUses(sentence.words);
      for (const auto& question : training::wordQuestions()) {
        const std::set<WordClass> classes = wanted(question.question);
        for (std::size_t i = 0; i < uses.size() && !classes.empty(); ++i) {
          if (sentence.partnersOf(question.question, static_cast<Index>(i)).empty()) continue;
          ++words;
          right += static_cast<int>(classes.count(uses[i].wordClass));
        }
      }
    }
    EXPECT_GE(right, words * 98 / 100) << half << ": " << right << " of " << words;
  }
}

std::vector<std::string> unknownIn(const std::string& text) {
  const std::vector<std::string> tokens = tokenize(text);
  const std::vector<bool> unknown = unknownWords(tokens);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (unknown[i]) words.push_back(tokens[i]);
  }
  return words;
}

TEST(Tagger, UnknownWordsAreFound) {
  EXPECT_EQ(unknownIn("The zorbling gleeped near the old mill, said Cormac."),
            (std::vector<std::string>{"zorbling", "gleeped"}));
  EXPECT_TRUE(unknownIn("In 1999 our neighbours sold 42 sheep.").empty());
  EXPECT_EQ(classIn("gleeped", "The zorbling gleeped near the old mill."), "verb");
  EXPECT_EQ(classIn("zorbling", "The zorbling gleeped near the old mill."), "noun");
}

TEST(Tagger, OtherLanguagesAreSeen) {
  for (const char* text : {"Der alte Lehrer geht heute in die Schule.",
                           "Le chat dort sur le tapis pendant que la pluie tombe.",
                           "El perro corre por la calle con su amigo.", "Кошка спит у огня."}) {
    const std::vector<std::string> tokens = tokenize(text);
    EXPECT_TRUE(seemsForeign(tokens)) << text;
    EXPECT_FALSE(training::readSentence(tokens)) << text;
  }
  EXPECT_EQ(classIn("Lehrer", "Der alte Lehrer geht heute in die Schule."), "noun");
  EXPECT_EQ(classIn("tapis", "Le chat dort sur le tapis pendant que la pluie tombe."), "other");
  for (const char* text : {"The cat sat on the mat", "Cormac visited Aleksandra in Reykjavik.",
                           "42", "Yes.", "Blorp the zibbly glanked a snorf."}) {
    EXPECT_FALSE(seemsForeign(tokenize(text))) << text;
  }
}

TEST(Tagger, NothingIsTooShortOrTooLong) {
  EXPECT_TRUE(wordUses({}).empty());
  EXPECT_FALSE(seemsForeign({}));
  const std::vector<std::string> many(5000, "play");
  EXPECT_EQ(wordUses(many).size(), many.size());
}

TEST(ExampleSentences, AreKnownAndRead) {
  EXPECT_EQ(exampleSentences().size(), 3U);
  for (const std::string& text : exampleSentences()) {
    const std::vector<std::string> tokens = tokenize(text);
    EXPECT_FALSE(seemsForeign(tokens)) << text;
    EXPECT_TRUE(unknownIn(text).empty()) << text;
    EXPECT_TRUE(training::readSentence(tokens)) << text;
  }
}

}  // namespace
}  // namespace headscope
