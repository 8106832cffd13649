#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/training/task.h"
#include "tests/core/support/generated.h"

namespace headscope::training {

inline std::ostream& operator<<(std::ostream& out, const Task& task) { return out << task.id; }

}  // namespace headscope::training

namespace headscope::test {
namespace {

using namespace training;

class EveryTask : public testing::TestWithParam<Task> {};

INSTANTIATE_TEST_SUITE_P(All, EveryTask, testing::ValuesIn(allTasks().begin(), allTasks().end()),
                         [](const auto& info) { return std::string(info.param.id); });

bool sameExamples(const Examples& a, const Examples& b) {
  const auto same = [](const std::vector<float>& x, const std::vector<float>& y) {
    const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
    return std::ranges::equal(x, y, {}, bits, bits);  // NaN where nothing is asked
  };
  return a.symbols == b.symbols && same(a.series, b.series) &&
         std::equal(a.answers.begin(), a.answers.end(), b.answers.begin(), b.answers.end(), same) &&
         a.partners == b.partners;
}

TEST_P(EveryTask, DrawsTheSameFromTheSameSeedAlone) {
  const std::string_view id = GetParam().id;
  EXPECT_TRUE(sameExamples(generated(id, 5).all, generated(id, 5).all));
  EXPECT_FALSE(sameExamples(generated(id, 5).all, generated(id, 5, 2).all));
  Draws draws(1, "examples");
  const Examples first = GetParam().examples(5, draws);
  EXPECT_FALSE(sameExamples(first, GetParam().examples(5, draws))) << "the next ones are others";
}

TEST_P(EveryTask, HasExamplesOfItsSizes) {
  const Task& task = GetParam();
  const Generated g = generated(task.id, 3);
  const auto places = static_cast<std::size_t>(3 * task.length);
  EXPECT_EQ(g.all.count, 3);
  EXPECT_EQ(g.all.length, task.length);
  EXPECT_EQ(g.all.symbols.size(), places * task.features.size());
  EXPECT_EQ(g.all.series.size(), places * task.channels.size());
  EXPECT_NE(task.features.empty(), task.channels.empty());
  ASSERT_EQ(g.all.answers.size(), task.questions.size());
  for (const auto& answers : g.all.answers) EXPECT_EQ(answers.size(), places);
  ASSERT_EQ(g.all.partners.size(), task.relations.size());
  for (const auto& partners : g.all.partners) {
    EXPECT_EQ(partners.size(), places * static_cast<std::size_t>(task.length));
  }
}

TEST_P(EveryTask, HasSymbolsAndAnswersInRangeAndAllOfThemOccur) {
  const Task& task = GetParam();
  const Generated g = generated(task.id, 1000);
  const std::vector<Index>& features = task.features;
  std::vector<std::set<Index>> symbols(features.size());
  for (std::size_t i = 0; i < g.all.symbols.size(); ++i) {
    symbols[i % features.size()].insert(g.all.symbols[i]);
  }
  for (std::size_t f = 0; f < features.size(); ++f) {
    EXPECT_GE(*symbols[f].begin(), 0);
    EXPECT_LT(*symbols[f].rbegin(), features[f]);
    EXPECT_GE(std::ssize(symbols[f]), features[f] - 1) << "the depth of a bracket is never 0";
  }
  for (std::size_t q = 0; q < task.questions.size(); ++q) {
    const Index classes = task.questions[q].classes;
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
  const Task& task = GetParam();
  const Generated g = generated(task.id);
  for (Index r = 0; r < std::ssize(task.relations); ++r) {
    Index rows = 0;
    for (Index n = 0; n < g.all.count; ++n) {
      for (Index i = 0; i < task.length; ++i) {
        const std::vector<Index> partners = g.partners(r, n, i);
        if (partners.empty()) continue;
        ++rows;
        if (task.settings.model.causal) {
          EXPECT_LE(partners.back(), i) << task.relations[static_cast<std::size_t>(r)].name;
        }
      }
    }
    EXPECT_GT(rows, g.all.count) << task.relations[static_cast<std::size_t>(r)].name;
  }
}

/// The number of parameters of each task's model, as measured: what a wrong size would change.
TEST_P(EveryTask, IsOfTheSizeThatWasMeasured) {
  static const std::map<std::string_view, Index> kParameters{
      {"cards", 23104}, {"recall", 9704},   {"induction", 10906}, {"grammar", 27128},
      {"sensor", 6240}, {"pointer", 21536}, {"brackets", 5744},
  };
  const Task& task = GetParam();
  const ModelSettings s = task.settings.model;
  ASSERT_EQ(s.dModel % s.heads, 0);
  const std::vector<Index>& features = task.features;
  const Index rows = std::accumulate(features.begin(), features.end(), Index{0}) +
                     std::ssize(task.channels) + task.length + 4 * s.layers * s.dModel;
  Index parameters = rows * s.dModel;
  for (const Question& question : task.questions) {
    parameters += question.classes * (s.dModel + 1);
  }
  EXPECT_EQ(parameters, kParameters.at(task.id));
}

TEST_P(EveryTask, IsSaidInWords) {
  const Task& task = GetParam();
  for (const std::string_view text : {task.words, task.lookFor}) {
    EXPECT_TRUE(text.ends_with(".")) << text;
  }
  std::set<std::string_view> names;
  for (const Question& question : task.questions) {
    EXPECT_FALSE(question.words.empty());
    names.insert(question.name);
  }
  EXPECT_EQ(names.size(), task.questions.size());
  names.clear();
  for (const Relation& relation : task.relations) {
    EXPECT_FALSE(relation.words.empty());
    names.insert(relation.name);
  }
  EXPECT_EQ(names.size(), task.relations.size());
}

TEST_P(EveryTask, CallsEverySymbolByAnotherName) {
  const Task& task = GetParam();
  ASSERT_EQ(task.word == nullptr, task.features.empty());
  if (task.features.empty()) return;  // a series has no symbols
  std::vector<Index> symbols(task.features.size(), 0);
  const Index seconds = symbols.size() > 1 ? task.features[1] : 1;
  std::set<std::string> words;
  for (Index first = 0; first < task.features[0]; ++first) {
    for (Index second = 0; second < seconds; ++second) {
      symbols[0] = first;
      if (symbols.size() > 1) symbols[1] = second;
      words.insert(task.word(symbols));
    }
  }
  EXPECT_EQ(std::ssize(words), task.features[0] * seconds);
  EXPECT_FALSE(words.contains(""));
}

/// A resumed run must see the examples that the saved run would have seen, so they must never
/// change.
TEST_P(EveryTask, GivesTheSameBitsForEver) {
  static const std::map<std::string_view, std::uint64_t> kSums{
      {"cards", 0xFE237A0EEE27E461ULL},     {"recall", 0x37B5E51FC5C9C40CULL},
      {"induction", 0x8B42D3459623E873ULL}, {"grammar", 0x79770B991ACEF90FULL},
      {"sensor", 0xF5D94353652F5025ULL},    {"pointer", 0xDBA2EABBBA8A53B8ULL},
      {"brackets", 0xD273D6C2C2417D75ULL},
  };
  const Generated g = generated(GetParam().id, 4);
  std::string bytes;
  for (const Index symbol : g.all.symbols) bytes += fmt::format("{},", symbol);
  const auto bits = [](float value) {
    return fmt::format("{:08x},", std::bit_cast<std::uint32_t>(value));
  };
  for (const float reading : g.all.series) bytes += bits(reading);
  for (const auto& answers : g.all.answers) {
    for (const float a : answers) bytes += std::isnan(a) ? "-" : bits(a);
  }
  EXPECT_EQ(hashBytes(bytes), kSums.at(GetParam().id)) << fmt::format("{:#x}", hashBytes(bytes));
}

/// A question whose answer is the symbol at the partner's place, less an offset.
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

/// Relations that depend on places alone.
TEST(Tasks, NeighboursAreNeighbours) {
  for (const Task& task : allTasks()) {
    const Generated g = generated(task.id, 20);
    for (Index r = 0; r < std::ssize(task.relations); ++r) {
      const std::string_view name = task.relations[static_cast<std::size_t>(r)].name;
      if (name != "previous" && name != "next") continue;
      for (Index n = 0; n < g.all.count; ++n) {
        for (Index i = 0; i < g.all.length; ++i) {
          for (const Index j : g.partners(r, n, i)) {
            ASSERT_EQ(j, name == "next" ? i + 1 : i - 1) << task.id;
          }
        }
      }
    }
  }
}

TEST(Tasks, AreFoundByTheirIds) {
  std::set<std::string_view> ids;
  for (const Task& task : allTasks()) {
    EXPECT_EQ(&taskFromString(task.id), &task);
    ids.insert(task.id);
  }
  EXPECT_EQ(ids.size(), 7U);
  try {
    taskFromString("card");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "unknown task 'card'; the tasks are: cards, recall, induction, grammar, sensor, "
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
