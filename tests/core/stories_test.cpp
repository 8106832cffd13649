// Stories: what a seed gives, the vocabulary, and questions whose right answers the grammar gives.
#include "core/language/stories.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/base/random.h"
#include "core/language/story_questions.h"

namespace headscope::language {
namespace {

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) {
    if (!text.empty()) text += ' ';
    text += word;
  }
  return text;
}
std::string textOf(const std::vector<std::int32_t>& tokens) {
  std::vector<std::string_view> words;
  for (const std::int32_t token : tokens) {
    words.push_back(storyWords()[static_cast<std::size_t>(token)]);
  }
  return joined(words);
}

/// The texts between the tokens that begin them.
std::vector<std::string> textsOf(const std::vector<std::int32_t>& tokens) {
  std::vector<std::string> texts;
  std::string all = textOf(tokens);
  const std::string begin = std::string(kBeginToken) + " ";
  EXPECT_TRUE(all.starts_with(begin));
  all.erase(0, begin.size());
  for (std::size_t end = 0; end != std::string::npos;) {
    end = all.find(" " + begin);
    texts.push_back(all.substr(0, end));
    if (end != std::string::npos) all.erase(0, end + begin.size() + 1);
  }
  return texts;
}

TEST(Stories, OneSeedGivesOneTextOnEveryMachine) {
  const auto tokens = storyTokens(1, 20'000);
  ASSERT_EQ(tokens.size(), 20'000U);
  EXPECT_EQ(tokens, storyTokens(1, 20'000));
  EXPECT_NE(tokens, storyTokens(2, 20'000));
  std::string bytes;
  for (const std::int32_t token : tokens) bytes += static_cast<char>(token);
  EXPECT_EQ(hashBytes(bytes), 2564159363659555751U);
  training::Draws draws(1, "stories");
  EXPECT_EQ(joined(story(draws)),
            "one day Mia and Tom went to the forest . the horse that took the dog was sad . the "
            "white goat took the soft horse . the horse smiled and the goat sang . a tall rabbit "
            "ran near the forest . \" look , a rabbit ! \" said Tom . Mia and Tom went home .");
}

TEST(Stories, FewerTokensAreTheBeginningOfMore) {
  auto more = storyTokens(3, 2'000);
  more.resize(700);
  EXPECT_EQ(more, storyTokens(3, 700));
}

TEST(Stories, EveryWordIsATokenAndEveryTokenIsUsed) {
  const auto words = storyWords();
  EXPECT_EQ(words[0], kBeginToken);
  EXPECT_EQ(words[1], kUnknownToken);
  EXPECT_TRUE(std::is_sorted(words.begin() + 2, words.end()));
  EXPECT_EQ(words.size(), 173U);
  std::set<std::string_view> said;
  training::Draws draws(5, "stories");
  for (int i = 0; i < 3'000; ++i) {
    for (const std::string_view word : story(draws)) said.insert(word);
  }
  for (const std::string_view word : said) EXPECT_GE(storyWord(word), 2) << word;
  EXPECT_EQ(said.size(), words.size() - 2);
  EXPECT_THROW(storyWord("telescope"), std::out_of_range);
}

TEST(Stories, WhoGivesIsThankedAndABoxHoldsWhatWasPutThere) {
  training::Draws draws(7, "stories");
  int thanked = 0, opened = 0;
  for (int i = 0; i < 1'000; ++i) {
    const auto words = story(draws);
    for (std::size_t at = 0; at + 7 < words.size(); ++at) {
      SCOPED_TRACE(joined(words));
      if (words[at] == "thanked") {  // "Mia gave the coin to Leo . Leo thanked Mia"
        EXPECT_EQ(words[at - 1], words[at - 3]);
        EXPECT_EQ(words[at + 1], words[at - 8]);
        ++thanked;
      } else if (words[at] ==
                 "opened") {  // "the coin in the red box … opened the red box and took the coin"
        const std::string box = std::string(words[at + 2]) + " " + std::string(words[at + 3]);
        const std::string put = "put the " + std::string(words[at + 7]) + " in the " + box + " .";
        EXPECT_NE(joined(words).find(put), std::string::npos);
        ++opened;
      }
    }
  }
  EXPECT_GT(thanked, 100);
  EXPECT_GT(opened, 100);
}

TEST(Stories, ASongIsSungTwice) {
  training::Draws draws(7, "stories");
  int songs = 0;
  for (int i = 0; i < 1'000; ++i) {
    const std::string text = joined(story(draws)) + " ";
    const std::string sings = " sang : ";
    for (std::size_t at = text.find(sings); at != std::string::npos;) {
      const auto songFrom = [&](std::size_t from) {
        return text.substr(from, text.find(" . ", from) - from);
      };
      const std::string song = songFrom(at + sings.size());
      const std::size_t again = text.find(sings, at + 1);
      ASSERT_NE(again, std::string::npos) << text;
      EXPECT_EQ(song, songFrom(again + sings.size())) << text;
      ++songs;
      at = text.find(sings, again + 1);
    }
  }
  EXPECT_GT(songs, 100);
}

TEST(Stories, SomeTextsAreRandomWordsGivenTwice) {
  const auto texts = textsOf(storyTokens(1, 100'000));
  const auto repeated = std::count_if(texts.begin(), texts.end() - 1, [](const std::string& text) {
    const std::size_t half = text.size() / 2;
    return text.size() % 2 == 1 && text[half] == ' ' &&
           text.substr(0, half) == text.substr(half + 1);
  });
  EXPECT_NEAR(static_cast<double>(repeated) / static_cast<double>(texts.size()), 0.15, 0.03);
}

TEST(StoryQuestions, RightAnswersAreThoseOfTheGrammar) {
  const auto& questions = storyQuestions();
  const std::array<std::string_view, kStoryQuestions> order{"agree", "pronoun", "give",
                                                            "thank", "song",    "box"};
  for (std::size_t i = 0; i < questions.size(); ++i) {
    EXPECT_EQ(questions[i].name, order[i]);
    const auto cases = storyCases(i, 50);
    ASSERT_EQ(cases.size(), 50U);
    std::set<std::int32_t> answers;
    for (const StoryCase& one : cases) {
      SCOPED_TRACE(textOf(one.tokens));
      EXPECT_EQ(one.tokens[0], 0);
      EXPECT_LT(one.tokens.size(), 60U);
      ASSERT_GT(one.decides, 0);
      ASSERT_LT(one.decides, std::ssize(one.tokens));
      EXPECT_NE(one.wrong, one.right);
      answers.insert(one.right);
      const auto& words = storyWords();
      const std::string_view decides =
          words[static_cast<std::size_t>(one.tokens[static_cast<std::size_t>(one.decides)])];
      const std::string_view right = words[static_cast<std::size_t>(one.right)];
      if (order[i] == "agree") {
        const bool many = decides.ends_with('s') || decides == "mice";
        EXPECT_EQ(right, many ? "were" : "was");
      } else if (order[i] == "pronoun") {
        const std::set<std::string_view> girls{"Anna", "Mia",  "Lucy", "Sara", "Emma",
                                               "Nora", "Ella", "Rosa", "Jane", "Kate"};
        EXPECT_EQ(right, girls.contains(decides) ? "she" : "he");
      } else {
        EXPECT_EQ(right, decides);
      }
    }
    EXPECT_GE(answers.size(), 2U);
  }
  EXPECT_FALSE(storyCases(4, 1).front().wrong);
  EXPECT_FALSE(storyCases(5, 1).front().wrong);
}

TEST(StoryQuestions, EveryCallGivesEqualCases) {
  for (std::size_t i = 0; i < kStoryQuestions; ++i) {
    const auto few = storyCases(i, 3), more = storyCases(i, 9);
    for (std::size_t n = 0; n < few.size(); ++n) {
      EXPECT_EQ(few[n].tokens, more[n].tokens);
      EXPECT_EQ(few[n].right, more[n].right);
    }
  }
  EXPECT_THROW(storyCases(kStoryQuestions, 1), std::out_of_range);
}

}  // namespace
}  // namespace headscope::language
