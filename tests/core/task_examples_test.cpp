// The examples of each task, checked against the task's own rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/core/support/generated.h"

namespace headscope::test {
namespace {

TEST(Cards, HaveEveryColourTwiceAndPartnersOfOneColour) {
  const Generated g = generated("cards");
  const Index partner = g.relation("partner");
  for (Index n = 0; n < g.all.count; ++n) {
    std::map<Index, int> cards;
    for (Index i = 0; i < g.all.length; ++i) {
      ++cards[g.symbol(n, i, 0)];
      const std::vector<Index> j = g.partners(partner, n, i);
      ASSERT_EQ(j.size(), 1U);
      EXPECT_NE(j.front(), i);
      EXPECT_EQ(g.symbol(n, j.front(), 0), g.symbol(n, i, 0));
      EXPECT_EQ(g.partners(g.relation("first"), n, i), std::vector<Index>{0});
    }
    for (const auto& [colour, count] : cards) EXPECT_EQ(count, 2) << colour;
  }
  EXPECT_EQ(g.task.word(std::vector<Index>{0, 6}), "red 7");
}

TEST(Recall, AsksAtLettersForWhatFollowedThemWherever) {
  const Generated g = generated("recall");
  bool someTwice = false;
  for (Index n = 0; n < g.all.count; ++n) {
    std::set<Index> keys;
    for (Index i = 0; i < 12; i += 2) keys.insert(g.symbol(n, i));
    EXPECT_EQ(keys.size(), 6U);
    for (Index i = 0; i < g.all.length; ++i) {
      EXPECT_EQ(g.symbol(n, i) >= 8, i % 2 == 1);
      EXPECT_EQ(g.answer(0, n, i).has_value(), i >= 12 && i % 2 == 0);
      EXPECT_EQ(g.partners(g.relation("previous"), n, i).size(), i < 12 && i % 2 == 1 ? 1U : 0U);
      const std::vector<Index> found = g.partners(g.relation("induction"), n, i);
      for (const Index j : found) EXPECT_EQ(g.symbol(n, j - 1), g.symbol(n, i));
      someTwice = someTwice || found.size() > 1;
    }
  }
  EXPECT_TRUE(someTwice);
  EXPECT_EQ(g.task.word(std::vector<Index>{1}), "B");
  EXPECT_EQ(g.task.word(std::vector<Index>{8}), "1");
}

TEST(Induction, AsksFromTheSecondRoundOn) {
  const Generated g = generated("induction");
  std::set<Index> periods;
  for (Index n = 0; n < g.all.count; ++n) {
    Index period = 1;
    while (g.symbol(n, period) != g.symbol(n, 0)) ++period;
    periods.insert(period);
    std::set<Index> letters;
    for (Index i = 0; i < g.all.length; ++i) {
      letters.insert(g.symbol(n, i));
      const auto answer = g.answer(0, n, i);
      EXPECT_EQ(answer.has_value(), i >= period);
      if (answer && i + 1 < g.all.length) {
        EXPECT_EQ(*answer, static_cast<double>(g.symbol(n, i + 1)));
      }
      EXPECT_EQ(g.partners(g.relation("previous"), n, i).empty(), i == 0 || i >= period);
      const std::vector<Index> found = g.partners(g.relation("induction"), n, i);
      EXPECT_EQ(std::ssize(found), i / period) << "one for each round before";
      for (const Index j : found) EXPECT_EQ(g.symbol(n, j - 1), g.symbol(n, i));
    }
    EXPECT_EQ(std::ssize(letters), period);
  }
  EXPECT_EQ(*periods.begin(), 6);
  EXPECT_EQ(*periods.rbegin(), 24);
}

TEST(Grammar, HasOneVerbAfterItsSubjectAndWordsOfItsLanguage) {
  const Generated g = generated("grammar", 2000);
  const auto wordAt = [&](Index n, Index i) {
    return g.task.word(std::vector<Index>{g.symbol(n, i)});
  };
  const std::set<std::string> verbs{"sees", "likes", "follows", "helps", "finds", "greets"};
  const std::set<std::string> nouns{"dog",  "cat", "horse",  "rabbit",
                                    "girl", "boy", "farmer", "teacher"};
  const std::set<std::string> prepositions{"near", "with", "behind"};
  const std::set<std::string> adverbs{"today", "often", "again"};
  Index words = 0;
  Index longest = 0;
  Index leads = 0;
  Index prepositional = 0;
  for (Index n = 0; n < g.all.count; ++n) {
    Index length = 0;
    while (length < g.all.length && wordAt(n, length) != ".") ++length;
    for (Index i = length; i < g.all.length; ++i) {
      EXPECT_EQ(wordAt(n, i), ".");
      EXPECT_TRUE(g.partners(g.relation("verb"), n, i).empty()) << "nothing is asked there";
    }
    words += length;
    longest = std::max(longest, length);
    const Index subject = g.partners(g.relation("subject"), n, 0).front();
    const Index verb = g.partners(g.relation("verb"), n, 0).front();
    EXPECT_LT(subject, verb);
    for (Index i = 0; i < length; ++i) {
      const std::string word = wordAt(n, i);
      EXPECT_EQ(verbs.contains(word), i == verb);
      EXPECT_FALSE(nouns.contains(word) && i < subject) << "the subject is the first noun";
      const std::vector<Index> on = g.partners(g.relation("noun"), n, i);
      ASSERT_EQ(on.size(), 1U);
      if (i == verb) {
        EXPECT_EQ(on.front(), subject);
      } else if (adverbs.contains(word)) {
        EXPECT_EQ(on.front(), verb);
      } else {
        EXPECT_TRUE(nouns.contains(wordAt(n, on.front())));
        EXPECT_GE(on.front(), i);
      }
      if (prepositions.contains(word)) {
        ++prepositional;
        EXPECT_GT(on.front(), i + 1) << "its object";
      }
    }
    leads += adverbs.contains(wordAt(n, 0)) ? 1 : 0;
  }
  const auto mean = [&](Index sum) { return static_cast<double>(sum) / 2000.0; };
  EXPECT_NEAR(mean(words), 9.68, 0.2);
  EXPECT_NEAR(mean(leads), 0.5, 0.05);
  EXPECT_NEAR(mean(prepositional), 0.6, 0.05);
  EXPECT_EQ(longest, 16);
}

TEST(Sensor, AnswersFollowFromItsReadings) {
  const Generated g = generated("sensor", 500);
  const Index change = g.question("change");
  const Index spike = g.question("spike");
  const Index recent = g.question("recent");
  std::map<Index, int> changesCount;
  for (Index n = 0; n < g.all.count; ++n) {
    Index latest = -1;
    Index highest = 0;
    int changes = 0;
    for (Index i = 0; i < g.all.length; ++i) {
      // a change of level is at least 1.5 less the noise of two readings; noise alone is below
      if (g.reading(n, i, 3) > 1.6F) {
        latest = i;
        ++changes;
      }
      const float edge = i == 0 ? 0.0F : std::abs(g.reading(n, i, 0) - g.reading(n, i - 1, 0));
      EXPECT_NEAR(g.reading(n, i, 3), 4.0F * std::min(edge, 1.0F), 1e-5);
      const auto changed = g.answer(change, n, i);
      EXPECT_EQ(changed ? static_cast<Index>(*changed) : -1, latest);
      EXPECT_EQ(g.partners(change, n, i),
                latest < 0 ? std::vector<Index>{} : std::vector<Index>{latest});

      if (g.reading(n, i, 1) > g.reading(n, highest, 1)) highest = i;
      const auto at = g.answer(spike, n, i);
      EXPECT_EQ(at.has_value(), g.reading(n, highest, 1) > 1.0F);
      if (at) {
        EXPECT_EQ(static_cast<float>(*at), g.reading(n, highest, 2));
        EXPECT_EQ(g.partners(spike, n, i), std::vector<Index>{highest});
      }

      const std::vector<Index> five = g.partners(recent, n, i);
      EXPECT_EQ(std::ssize(five), std::min<Index>(5, i + 1));
      EXPECT_EQ(five.back(), i);
      double sum = 0.0;
      for (const Index j : five) sum += static_cast<double>(g.reading(n, j, 2));
      EXPECT_NEAR(*g.answer(recent, n, i), sum / static_cast<double>(five.size()), 1e-6);
    }
    ++changesCount[changes];
  }
  EXPECT_EQ(changesCount.size(), 3U) << "one, two or three";
  EXPECT_EQ(changesCount.begin()->first, 1);
}

TEST(Pointer, LooksWhereItSays) {
  const Generated g = generated("pointer", 20);
  for (Index n = 0; n < g.all.count; ++n) {
    for (Index i = 0; i < g.all.length; ++i) {
      EXPECT_EQ(g.partners(g.relation("pointer"), n, i), std::vector<Index>{g.symbol(n, i, 1)});
    }
  }
  EXPECT_EQ(g.task.word(std::vector<Index>{3, 6}), "d→7");
}

TEST(Brackets, AreBalancedAndMatchAtTheirDepth) {
  const Generated g = generated("brackets");
  for (Index n = 0; n < g.all.count; ++n) {
    Index depth = 0;
    for (Index i = 0; i < g.all.length; ++i) {
      const bool opens = g.symbol(n, i, 0) == 0;
      depth += opens ? 1 : 0;
      ASSERT_GT(depth, 0);
      EXPECT_EQ(g.symbol(n, i, 2), depth);
      depth -= opens ? 0 : 1;
      const std::vector<Index> match = g.partners(g.relation("match"), n, i);
      ASSERT_EQ(match.empty(), opens);
      if (opens) continue;
      Index j = i - 1;  // the latest of the same depth
      while (g.symbol(n, j, 2) != g.symbol(n, i, 2)) --j;
      EXPECT_EQ(match, std::vector<Index>{j});
      EXPECT_EQ(g.symbol(n, j, 0), 0);
    }
    EXPECT_EQ(depth, 0);
  }
  EXPECT_EQ(g.task.word(std::vector<Index>{0, 3, 1}), "(d");
  EXPECT_EQ(g.task.word(std::vector<Index>{1, 3, 1}), "d)");
}

}  // namespace
}  // namespace headscope::test
