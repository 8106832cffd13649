#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/training/task.h"
#include "tests/core/support/generated.h"

namespace headscope::training {

std::ostream& operator<<(std::ostream& out, const Task* task) { return out << task->id(); }

}  // namespace headscope::training

namespace headscope::test {
namespace {

using namespace training;

Generated generated(std::string_view id, Index count = 200, std::uint64_t seed = 1) {
  const Task& task = taskFromString(id);
  Draws draws(seed, "examples");
  return Generated(task, task.examples(count, draws));
}

class EveryTask : public testing::TestWithParam<const Task*> {};

INSTANTIATE_TEST_SUITE_P(All, EveryTask, testing::ValuesIn(allTasks().begin(), allTasks().end()),
                         [](const auto& info) { return std::string(info.param->id()); });

bool sameBits(const Examples& a, const Examples& b) {
  const auto same = [](const std::vector<float>& x, const std::vector<float>& y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
  };
  return a.symbols == b.symbols && same(a.series, b.series) &&
         std::equal(a.answers.begin(), a.answers.end(), b.answers.begin(), b.answers.end(), same) &&
         a.partners == b.partners;
}

TEST_P(EveryTask, DrawsTheSameFromTheSameSeedAlone) {
  const std::string_view id = GetParam()->id();
  EXPECT_TRUE(sameBits(generated(id, 5).all, generated(id, 5).all));
  EXPECT_FALSE(sameBits(generated(id, 5).all, generated(id, 5, 2).all));
  Draws draws(1, "examples");
  const Examples first = GetParam()->examples(5, draws);
  EXPECT_FALSE(sameBits(first, GetParam()->examples(5, draws))) << "the next ones are others";
}

TEST_P(EveryTask, HasExamplesOfItsSizes) {
  const Task& task = *GetParam();
  const Generated g = generated(task.id(), 3);
  const auto places = static_cast<std::size_t>(3 * task.length());
  EXPECT_EQ(g.all.count, 3);
  EXPECT_EQ(g.all.length, task.length());
  EXPECT_EQ(g.all.symbols.size(), places * task.features().size());
  EXPECT_EQ(g.all.series.size(), places * task.channels().size());
  EXPECT_NE(task.features().empty(), task.channels().empty());
  ASSERT_EQ(g.all.answers.size(), task.questions().size());
  for (const auto& answers : g.all.answers) EXPECT_EQ(answers.size(), places);
  ASSERT_EQ(g.all.partners.size(), task.relations().size());
  for (const auto& partners : g.all.partners) {
    EXPECT_EQ(partners.size(), places * static_cast<std::size_t>(task.length()));
  }
}

TEST_P(EveryTask, HasSymbolsAndAnswersInRangeAndAllOfThemOccur) {
  const Task& task = *GetParam();
  const Generated g = generated(task.id(), 1000);
  const std::vector<Index> features = task.features();
  std::vector<std::set<Index>> symbols(features.size());
  for (std::size_t i = 0; i < g.all.symbols.size(); ++i) {
    symbols[i % features.size()].insert(g.all.symbols[i]);
  }
  for (std::size_t f = 0; f < features.size(); ++f) {
    EXPECT_GE(*symbols[f].begin(), 0);
    EXPECT_LT(*symbols[f].rbegin(), features[f]);
    EXPECT_GE(std::ssize(symbols[f]), features[f] - 1) << "the depth of a bracket is never 0";
  }
  for (std::size_t q = 0; q < task.questions().size(); ++q) {
    const Index classes = task.questions()[q].classes;
    std::set<float> given;
    for (const float answer : g.all.answers[q]) {
      if (!std::isnan(answer)) given.insert(answer);
    }
    ASSERT_FALSE(given.empty());
    for (const float answer : given) {
      ASSERT_TRUE(std::isfinite(answer));
      if (classes == 1) continue;
      EXPECT_EQ(answer, std::floor(answer));
      EXPECT_GE(answer, 0.0F);
      EXPECT_LT(answer, static_cast<float>(classes));
    }
  }
}

TEST_P(EveryTask, LooksAtNothingThatACausalMaskHides) {
  const Task& task = *GetParam();
  const Generated g = generated(task.id());
  for (Index r = 0; r < std::ssize(task.relations()); ++r) {
    Index rows = 0;
    for (Index n = 0; n < g.all.count; ++n) {
      for (Index i = 0; i < task.length(); ++i) {
        const std::vector<Index> partners = g.partners(r, n, i);
        if (partners.empty()) continue;
        ++rows;
        if (task.settings().causal) {
          EXPECT_LE(partners.back(), i) << task.relations()[static_cast<std::size_t>(r)].name;
        }
      }
    }
    EXPECT_GT(rows, g.all.count) << task.relations()[static_cast<std::size_t>(r)].name;
  }
}

/// The number of parameters of each task's model, as measured: what a wrong size would change.
TEST_P(EveryTask, IsOfTheSizeThatWasMeasured) {
  static const std::map<std::string_view, Index> kParameters{
      {"cards", 23104}, {"recall", 9704},   {"induction", 10906}, {"grammar", 27128},
      {"sensor", 6240}, {"pointer", 21536}, {"brackets", 5744},
  };
  const Task& task = *GetParam();
  const TaskSettings s = task.settings();
  ASSERT_EQ(s.dModel % s.heads, 0);
  const std::vector<Index> features = task.features();
  const Index rows = std::accumulate(features.begin(), features.end(), Index{0}) +
                     std::ssize(task.channels()) + task.length() + 4 * s.layers * s.dModel;
  Index parameters = rows * s.dModel;
  for (const Question& question : task.questions()) {
    parameters += question.classes * (s.dModel + 1);
  }
  EXPECT_EQ(parameters, kParameters.at(task.id()));
}

TEST_P(EveryTask, IsSaidInWords) {
  const Task& task = *GetParam();
  for (const std::string_view text : {task.words(), task.lookFor()}) {
    EXPECT_TRUE(text.ends_with(".")) << text;
  }
  std::set<std::string_view> names;
  for (const Question& question : task.questions()) {
    EXPECT_FALSE(question.words.empty());
    names.insert(question.name);
  }
  EXPECT_EQ(names.size(), task.questions().size());
  names.clear();
  for (const Relation& relation : task.relations()) {
    EXPECT_FALSE(relation.words.empty());
    names.insert(relation.name);
  }
  EXPECT_EQ(names.size(), task.relations().size());
}

TEST_P(EveryTask, CallsEveryAnswerByAnotherName) {
  const Task& task = *GetParam();
  for (Index q = 0; q < std::ssize(task.questions()); ++q) {
    const Index classes = task.questions()[static_cast<std::size_t>(q)].classes;
    if (classes == 1) {
      EXPECT_EQ(task.answerWord(q, 0), "");
      continue;
    }
    std::set<std::string> words;
    for (Index c = 0; c < classes; ++c) words.insert(task.answerWord(q, c));
    EXPECT_EQ(std::ssize(words), classes);
    EXPECT_FALSE(words.contains(""));
  }
}

/// A saved run goes on with the examples it would have seen.
TEST_P(EveryTask, GivesTheSameBitsForEver) {
  static const std::map<std::string_view, std::uint64_t> kSums{
      {"cards", 0xE28E41AE50AABB2EULL},     {"recall", 0xC9C855A46304CBC7ULL},
      {"induction", 0x79006B77E9973B0AULL}, {"grammar", 0xA8A296A39030CCEAULL},
      {"sensor", 0x64301A32EB58B3A0ULL},    {"pointer", 0x86EBF13C4F1E172FULL},
      {"brackets", 0x70882F0FB8132B8FULL},
  };
  const Generated g = generated(GetParam()->id(), 4);
  std::string bytes;
  for (const Index symbol : g.all.symbols) bytes += fmt::format("{},", symbol);
  for (const float reading : g.all.series) bytes += fmt::format("{:a},", reading);
  for (const auto& answers : g.all.answers) {
    for (const float a : answers) bytes += std::isnan(a) ? "-" : fmt::format("{:a},", a);
  }
  EXPECT_EQ(hashBytes(bytes), kSums.at(GetParam()->id())) << fmt::format("{:#x}", hashBytes(bytes));
}

/// A question whose answer stands at the partner's place: that symbol of it, less an offset.
struct Copied {
  std::string_view task, question, relation;
  Index feature = 0;
  Index offset = 0;
};

class Copying : public testing::TestWithParam<Copied> {};

INSTANTIATE_TEST_SUITE_P(
    All, Copying,
    testing::Values(
        Copied{"cards", "previous", "previous", 1}, Copied{"cards", "next", "next", 1},
        Copied{"cards", "first", "first", 1}, Copied{"cards", "partner", "partner", 1},
        Copied{"recall", "value", "induction", 0, 8}, Copied{"induction", "next", "induction"},
        Copied{"grammar", "verb", "verb"}, Copied{"grammar", "subject", "subject"},
        Copied{"grammar", "noun", "noun"}, Copied{"grammar", "previous", "previous"},
        Copied{"pointer", "pointer", "pointer"}, Copied{"pointer", "previous", "previous"},
        Copied{"brackets", "match", "match", 1}, Copied{"brackets", "previous", "previous", 1}),
    [](const auto& info) { return fmt::format("{}_{}", info.param.task, info.param.question); });

TEST_P(Copying, AnswersWithWhatItsPartnersSay) {
  const Copied& c = GetParam();
  const Generated g = generated(c.task);
  const Index q = g.question(c.question);
  const Index r = g.relation(c.relation);
  for (Index n = 0; n < g.all.count; ++n) {
    for (Index i = 0; i < g.all.length; ++i) {
      const auto answer = g.answer(q, n, i);
      const std::vector<Index> partners = g.partners(r, n, i);
      ASSERT_EQ(answer.has_value(), !partners.empty()) << n << ", " << i;
      for (const Index j : partners) {
        ASSERT_EQ(*answer, static_cast<double>(g.symbol(n, j, c.feature) - c.offset));
      }
    }
  }
}

/// Where a relation is a matter of places alone.
TEST(Tasks, NeighboursAreNeighbours) {
  for (const Task* task : allTasks()) {
    const Generated g = generated(task->id(), 20);
    for (Index r = 0; r < std::ssize(task->relations()); ++r) {
      const std::string_view name = task->relations()[static_cast<std::size_t>(r)].name;
      if (name != "previous" && name != "next") continue;
      for (Index n = 0; n < g.all.count; ++n) {
        for (Index i = 0; i < g.all.length; ++i) {
          for (const Index j : g.partners(r, n, i)) {
            ASSERT_EQ(j, name == "next" ? i + 1 : i - 1) << task->id();
          }
        }
      }
    }
  }
}

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

TEST(Tasks, AreFoundByTheirIds) {
  std::set<std::string_view> ids;
  for (const Task* task : allTasks()) {
    EXPECT_EQ(&taskFromString(task->id()), task);
    ids.insert(task->id());
  }
  EXPECT_EQ(ids.size(), 7U);
  try {
    taskFromString("card");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "task 'card' is not known; there are: cards, recall, induction, grammar, sensor, "
                 "pointer, brackets");
  }
}

TEST(Draws, AreEvenAndInRange) {
  Draws draws(7, "test");
  std::vector<int> counts(6, 0);
  double sum = 0.0;
  double squares = 0.0;
  constexpr int kCount = 60000;
  for (int i = 0; i < kCount; ++i) {
    const Index drawn = draws.below(6);
    ASSERT_GE(drawn, 0);
    ASSERT_LT(drawn, 6);
    ++counts[static_cast<std::size_t>(drawn)];
    const double value = draws.uniform(2.0, 5.0);
    ASSERT_GE(value, 2.0);
    ASSERT_LT(value, 5.0);
    sum += value;
    const double normal = draws.normal();
    squares += normal * normal;
  }
  for (const int count : counts) EXPECT_NEAR(count, kCount / 6, 500);
  EXPECT_NEAR(sum / kCount, 3.5, 0.02);
  EXPECT_NEAR(squares / kCount, 1.0, 0.03);
  EXPECT_EQ(draws.below(1), 0);
  EXPECT_FALSE(draws.chance(0.0));
  EXPECT_TRUE(draws.chance(1.0));
}

TEST(Draws, ShuffleEveryOrderAsOften) {
  Draws draws(7, "test");
  std::map<std::vector<Index>, int> orders;
  for (int i = 0; i < 6000; ++i) ++orders[draws.shuffled(3)];
  EXPECT_EQ(orders.size(), 6U);
  for (const auto& [order, count] : orders) {
    EXPECT_EQ(std::set<Index>(order.begin(), order.end()), (std::set<Index>{0, 1, 2}));
    EXPECT_NEAR(count, 1000, 150);
  }
}

}  // namespace
}  // namespace headscope::test
