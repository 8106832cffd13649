#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/head_report.h"
#include "core/attention/config.h"
#include "tests/core/support/patterns.h"

namespace headscope::test {
namespace {

HeadMetrics metricsOf(const std::map<Metric, double>& values) {
  HeadMetrics metrics;
  for (const MetricInfo& m : allMetrics()) metrics[m.metric] = MetricValue::undefined("not given");
  for (const auto& [metric, value] : values) metrics[metric] = {value, {}};
  return metrics;
}

/// Metrics of uniform attention: `chance` for every metric, over `rows` rows, with this mean
/// distance.
UniformMetrics uniformWith(double chance, Index rows = 5, double distance = 2.0) {
  UniformMetrics uniform;
  for (const MetricInfo& m : allMetrics()) uniform.metrics[m.metric] = {chance, {}};
  uniform.metrics[Metric::meanDistance] = {distance, {}};
  uniform.rows.fill(rows);
  return uniform;
}

/// Metrics with these values, and an entropy where none is given.
HeadMetrics measured(std::map<Metric, double> values) {
  values.try_emplace(Metric::entropy, 1.0);
  return metricsOf(values);
}

HeadLabel labelled(const std::map<Metric, double>& values,
                   const UniformMetrics& uniform = uniformWith(0.0)) {
  return headLabel(measured(values), uniform);
}

std::string labelOf(const std::map<Metric, double>& values,
                    const UniformMetrics& uniform = uniformWith(0.0)) {
  return labelled(values, uniform).key;
}

/// The metric's name in words: "previous token".
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
    const HeadLabel label = labelled({{rule.metric, rule.threshold}});
    EXPECT_EQ(label.score, rule.threshold);
    EXPECT_EQ(label.rows, 5);
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
  // a sink is distinguished from other patterns it also shows
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

/// A label needs a score at least 40 % of the way from that of uniform attention to 1.
TEST(HeadLabel, AScoreHasToDifferFromChance) {
  const double chance = 0.4;
  for (const Metric role : {Metric::previousToken, Metric::nextToken, Metric::self,
                            Metric::duplicateToken, Metric::induction, Metric::firstToken}) {
    EXPECT_EQ(labelOf({{role, 0.64 + 1e-9}}, uniformWith(chance)), info(role).key);
    EXPECT_EQ(labelOf({{role, 0.64 - 1e-9}}, uniformWith(chance)), "mixed");
    EXPECT_EQ(labelOf({{role, 1.0}}, uniformWith(1.0)), "mixed") << "there is no other key";
  }
  EXPECT_EQ(labelOf({{Metric::local, 0.7 + 1e-9}}, uniformWith(0.5)), "local");
  EXPECT_EQ(labelOf({{Metric::local, 0.7 - 1e-9}}, uniformWith(0.5)), "mixed");
  EXPECT_EQ(labelled({{Metric::self, 0.9}}, uniformWith(chance)).rule,
            "self is 0.90, at least 0.64 (uniform attention: 0.40); 5 rows have a choice");
}

TEST(HeadLabel, NeedsThreeRows) {
  const std::map<Metric, double> values{{Metric::induction, 0.9}, {Metric::normalizedEntropy, 1.0}};
  EXPECT_EQ(labelOf(values, uniformWith(0.0, 3)), "induction");
  UniformMetrics few = uniformWith(0.0, 3);
  few.rows[static_cast<std::size_t>(Metric::induction)] = 2;
  EXPECT_EQ(labelOf(values, few), "uniform");
  const HeadLabel none = labelled(values, uniformWith(0.0, 2));
  EXPECT_FALSE(none.defined());
  EXPECT_EQ(none.title, "not defined");
  EXPECT_EQ(none.score, std::nullopt);
  EXPECT_EQ(none.rows, 2);
  EXPECT_EQ(none.rule,
            "only 2 rows have two or more keys to choose between, and a label needs 3 rows");
}

TEST(HeadLabel, WhatIsNotDefinedNeverWins) {
  HeadMetrics nothing = metricsOf({});
  nothing[Metric::entropy] = MetricValue::undefined("every row is fully masked");
  const HeadLabel label = headLabel(nothing, uniformWith(0.0, 0));
  EXPECT_FALSE(label.defined());
  EXPECT_EQ(label.score, std::nullopt);
  EXPECT_EQ(label.rule, "every row is fully masked");
  EXPECT_EQ(labelOf({{Metric::meanDistance, 0.0}}, uniformWith(0.0, 5, 0.0)), "mixed");
}

TEST(HeadLabel, ADeclaredRelationIsOneRoleMore) {
  const HeadMetrics metrics = measured({{Metric::previousToken, 0.7}});
  const auto withRelation = [&](const MetricValue& score, bool own = false,
                                PartnerChance chance = {0.0, 5}) {
    const RelationScore relation{
        .name = "verb → its subject", .score = score, .own = own, .chance = chance};
    return headLabel(metrics, uniformWith(0.0), {&relation, 1});
  };
  const HeadLabel held = withRelation({0.71, {}});
  EXPECT_EQ(held.key, "verb → its subject");
  EXPECT_EQ(held.score, 0.71);
  EXPECT_EQ(held.rows, 5);
  EXPECT_TRUE(held.declared);
  EXPECT_EQ(withRelation({0.7, {}}).key, "previous_token");
  EXPECT_FALSE(withRelation({0.7, {}}).declared);
  EXPECT_EQ(withRelation(MetricValue::undefined("none")).key, "previous_token");
  // another head's relation needs as many rows as any role, the head's own only one
  EXPECT_EQ(withRelation({0.9, {}}, false, {0.1, 2}).key, "previous_token");
  EXPECT_EQ(withRelation({0.9, {}}, true, {0.1, 1}).key, "verb → its subject");
  EXPECT_EQ(withRelation({0.9, {}}, true, {0.1, 0}).key, "previous_token");
  EXPECT_EQ(withRelation({0.9, {}}, true, {0.85, 1}).key, "previous_token");
}

/// The mean is over the rows that count and have a partner: rows 1 and 2, but not 3, which is
/// padding.
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
  EXPECT_EQ(declaredScore(*trace, 0, 0, nobody).why, "no token has a target to look at");
}

/// Every row shares its weight evenly among its keys.
TEST(HeadReport, UniformAttentionIsCalledNothingElse) {
  for (const bool causal : {false, true}) {
    for (Index tokens = 1; tokens <= 8; ++tokens) {
      AttentionConfig c = sized(8, 1, tokens);
      c.mask.causal = causal;
      const auto trace = patterned(c, [=](Index, Index i, Index j) {
        return !causal ? 1.0F / static_cast<float>(tokens)
               : j > i ? 0.0F
                       : 1.0F / static_cast<float>(i + 1);
      });
      const HeadLabel label = headReport(*trace, 0, {})->labels[0];
      const Index choices = causal ? tokens - 1 : tokens > 1 ? tokens : 0;
      EXPECT_EQ(label.key, choices < 3 ? "" : "uniform") << tokens << " tokens: " << label.rule;
      EXPECT_EQ(label.rows, choices);
    }
  }
}

/// The metrics of a pass whose rows share their weight evenly are those of chance.
TEST(UniformMetrics, AreTheMetricsOfAUniformPass) {
  AttentionConfig c = sized(8, 1, 7);
  c.mask.causal = true;
  c.mask.window = 4;
  const auto trace =
      patterned(c,
                [](Index, Index i, Index j) {
                  const Index first = std::max<Index>(0, i - 3);
                  return j >= first && j <= i ? 1.0F / static_cast<float>(i + 1 - first) : 0.0F;
                },
                {"a", "b", "a", "b", "a", "c", "b"});
  const HeadMetrics metrics = (*headMetrics(*trace, 0))[0];
  const UniformMetrics uniform = uniformMetrics(trace->document(), 0);
  for (const MetricInfo& m : allMetrics()) {
    if (m.metric == Metric::ablation) continue;
    ASSERT_EQ(metrics[m.metric].value.has_value(), uniform[m.metric].value.has_value()) << m.key;
    if (metrics[m.metric]) {
      EXPECT_NEAR(*metrics[m.metric], *uniform[m.metric], 1e-6) << m.key;
    }
  }
  EXPECT_EQ(uniform.rowsOf(Metric::self), 6);  // row 0 has one key
  EXPECT_EQ(uniform.rowsOf(Metric::previousToken), 6);
  EXPECT_EQ(uniform.rowsOf(Metric::nextToken), 5);
  EXPECT_EQ(uniform.rowsOf(Metric::duplicateToken), 4);
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

/// A head that looks at the previous token also looks at the only partner of another head's
/// relation; it keeps its own label where its own relation holds.
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
  relations[0]->partners = {{{}, {5}, {5}, {5}, {5}, {0}}};  // a relation that does not hold
  // another head's relation has one row, which is too few for a label
  EXPECT_EQ(headReport(*trace, 0, relations)->labels[0].key, "previous_token");
}

}  // namespace
}  // namespace headscope::test
