#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/head_report.h"
#include "tests/core/support/patterns.h"

namespace headscope::test {
namespace {

HeadMetrics metricsOf(const std::map<Metric, double>& values) {
  HeadMetrics metrics;
  for (const MetricInfo& m : allMetrics()) metrics[m.metric] = Measured::undefined("not given");
  for (const auto& [metric, value] : values) metrics[metric] = {value, {}};
  return metrics;
}

std::string labelOf(const std::map<Metric, double>& values, double uniformDistance = 2.0) {
  return headLabel(metricsOf(values), {uniformDistance, {}}).key;
}

/// As a sentence has it: "previous token".
std::string asWords(Metric metric) {
  std::string words(info(metric).key);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

TEST(HeadLabel, EachRuleHoldsFromItsThresholdOn) {
  const struct {
    Metric metric;
    double threshold;
    const char* label;
  } rules[] = {{Metric::previousToken, 0.5, "previous_token"},
               {Metric::nextToken, 0.5, "next_token"},
               {Metric::self, 0.5, "self"},
               {Metric::duplicateToken, 0.5, "duplicate_token"},
               {Metric::induction, 0.5, "induction"},
               {Metric::firstToken, 0.5, "first_token"},
               {Metric::local, 0.6, "local"},
               {Metric::normalizedEntropy, 0.95, "uniform"},
               {Metric::meanDistance, 2.5, "far"}};
  for (const auto& rule : rules) {
    EXPECT_EQ(labelOf({{rule.metric, rule.threshold}}), rule.label);
    EXPECT_EQ(labelOf({{rule.metric, rule.threshold - 1e-9}}), "mixed") << rule.label;
    const HeadLabel label = headLabel(metricsOf({{rule.metric, rule.threshold}}), {2.0, {}});
    EXPECT_EQ(label.score, rule.threshold);
    EXPECT_NE(label.rule.find(asWords(rule.metric)), std::string::npos) << label.rule;
  }
}

TEST(HeadLabel, TheLargestRoleWinsAndOfEqualOnesTheFirst) {
  const std::pair<Metric, const char*> roles[] = {{Metric::previousToken, "previous_token"},
                                                  {Metric::nextToken, "next_token"},
                                                  {Metric::self, "self"},
                                                  {Metric::duplicateToken, "duplicate_token"},
                                                  {Metric::induction, "induction"},
                                                  {Metric::firstToken, "first_token"}};
  std::map<Metric, double> all;
  for (const auto& [metric, label] : roles) all[metric] = 0.6;
  EXPECT_EQ(labelOf(all), "previous_token");
  for (const auto& [metric, label] : roles) {
    std::map<Metric, double> one = all;
    one[metric] = 0.61;
    EXPECT_EQ(labelOf(one), label);
  }
  // as a sink is told from what it happens to do besides
  EXPECT_EQ(labelOf({{Metric::duplicateToken, 0.5}, {Metric::firstToken, 1.0}}), "first_token");
}

TEST(HeadLabel, WhereNoRoleHoldsTheOthersAreAskedInOrder) {
  std::map<Metric, double> all{{Metric::previousToken, 0.49},
                               {Metric::local, 0.9},
                               {Metric::normalizedEntropy, 0.99},
                               {Metric::meanDistance, 9.0}};
  const std::pair<Metric, const char*> order[] = {{Metric::local, "local"},
                                                  {Metric::normalizedEntropy, "uniform"},
                                                  {Metric::meanDistance, "far"}};
  for (const auto& [metric, label] : order) {
    EXPECT_EQ(labelOf(all), label);
    all.erase(metric);
  }
  EXPECT_EQ(labelOf(all), "mixed");
}

TEST(HeadLabel, WhatIsNotDefinedNeverWins) {
  const HeadLabel label = headLabel(metricsOf({}), Measured::undefined("no rows"));
  EXPECT_EQ(label.key, "mixed");
  EXPECT_EQ(label.score, std::nullopt);
  EXPECT_EQ(labelOf({{Metric::meanDistance, 0.0}}, 0.0), "mixed");  // nothing to be far from
}

TEST(HeadLabel, ADeclaredRelationIsOneRoleMore) {
  const HeadMetrics metrics = metricsOf({{Metric::previousToken, 0.7}});
  const auto labelled = [&](const Measured& score) {
    const RelationScore relation{"verb → its subject", score};
    return headLabel(metrics, {2.0, {}}, {&relation, 1});
  };
  const HeadLabel held = labelled({0.71, {}});
  EXPECT_EQ(held.key, "verb → its subject");
  EXPECT_EQ(held.score, 0.71);
  EXPECT_TRUE(held.declared);
  EXPECT_EQ(labelled({0.7, {}}).key, "previous_token");
  EXPECT_FALSE(labelled({0.7, {}}).declared);
  EXPECT_EQ(labelled(Measured::undefined("none")).key, "previous_token");
}

/// Over the rows that count and have a partner: 1, 2 and not 3, which is padding.
TEST(DeclaredScore, IsTheMeanWeightOnThePartners) {
  AttentionConfig c = sized(8, 1, 4);
  c.mask.lengths = {3};
  const auto trace = patterned(c, [](Index, Index i, Index j) {
    return i != 1 ? 0.25F : j == 0 ? 0.625F : 0.125F;
  });
  const DeclaredRelation relation{"before", {{{}, {0}, {1}, {2}}}};
  EXPECT_NEAR(*declaredScore(*trace, 0, 0, relation), (0.625 + 0.25) / 2, 1e-6);
  EXPECT_EQ(*declaredScore(*trace, std::nullopt, 0, relation),
            *declaredScore(*trace, 0, 0, relation));
  const DeclaredRelation nobody{"nobody", {{{}, {}, {}, {0}}}};
  EXPECT_EQ(declaredScore(*trace, 0, 0, nobody).why, "no token has one to look at");
}

TEST(HeadReport, NamesHeadsByWhatTheyDo) {
  const auto trace = patterned(
      sized(32, 8, 6),
      [](Index h, Index i, Index j) -> float {
        switch (h) {
          case 0:
            return previous(h, i, j);
          case 1:
            return j == std::min<Index>(i + 1, 5) ? 1.0F : 0.0F;
          case 2:
            return identity(h, i, j);
          case 3:
            return j == (i + 3) % 6 ? 1.0F : 0.0F;  // "a b c a b c"
          case 4:
            return firstColumn(h, i, j);
          case 5:
            return 1.0F / 6;
          case 6:
            return std::abs(i - j) == 1 ? (i % 5 == 0 ? 0.8F : 0.4F) : i == j ? 0.2F : 0.0F;
          default:
            return j == (i < 3 ? 5 : 0) ? 1.0F : 0.0F;
        }
      },
      {"a", "b", "c", "a", "b", "c"});
  DeclaredRelations relations(8);
  relations[7] = DeclaredRelation{"the far end", {{{5}, {5}, {5}, {0}, {0}, {0}}}};
  const auto report = headReport(*trace, 0, relations);
  std::vector<std::string> labels;
  for (const HeadLabel& label : report->labels) labels.push_back(label.key);
  EXPECT_EQ(labels,
            (std::vector<std::string>{"previous_token", "next_token", "self", "duplicate_token",
                                      "first_token", "uniform", "local", "the far end"}));
  EXPECT_EQ(report->labels[7].score, 1.0);
  const auto undeclared = headReport(*trace, 0, {});
  EXPECT_EQ(undeclared->labels[7].key, "first_token");  // rows 3 to 5, of five
}

/// A head that looks before each token looks at the one partner that another's relation has there,
/// too: it is called by its own all the same, where that holds.
TEST(HeadReport, OfRelationsAHeadsOwnComesFirst) {
  const auto trace = patterned(sized(32, 2, 6), [](Index, Index i, Index j) -> float {
    return i == 0 ? 1.0F / 6 : j == i - 1 ? (i == 4 ? 1.0F : 0.6F) : i == 4 ? 0.0F : 0.08F;
  });
  DeclaredRelations relations(2);
  relations[0] = DeclaredRelation{"before", {{{}, {0, 1}, {1, 2}, {2, 3}, {3}, {4, 5}}}};
  relations[1] = DeclaredRelation{"of the fifth", {{{}, {}, {}, {}, {3}, {}}}};
  const auto report = headReport(*trace, 0, relations);
  EXPECT_EQ(report->labels[0].key, "before");
  EXPECT_LT(*report->labels[0].score, 1.0);
  EXPECT_EQ(report->labels[1].key, "of the fifth");
  relations[0]->partners = {{{}, {5}, {5}, {5}, {5}, {0}}};  // which does not hold
  EXPECT_EQ(headReport(*trace, 0, relations)->labels[0].key, "of the fifth");
}

}  // namespace
}  // namespace headscope::test
