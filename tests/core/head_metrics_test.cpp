#include "core/analysis/head_metrics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/similarity.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/goldens.h"
#include "tests/core/support/head_reference.h"
#include "tests/core/support/patterns.h"

namespace headscope::test {
namespace {

std::vector<std::string> lowerCasedAll(std::vector<std::string> tokens) {
  for (auto& token : tokens) token = lowerCased(token);
  return tokens;
}

void expectNear(const MetricValue& measured, const std::optional<double>& expected,
                const std::string& name) {
  ASSERT_EQ(measured.value.has_value(), expected.has_value()) << name << ": " << measured.why;
  EXPECT_EQ(measured.why.empty(), expected.has_value()) << name << ": " << measured.why;
  if (!expected) return;
  EXPECT_NEAR(*measured, *expected, 2e-6 * std::max(1.0, std::abs(*expected))) << name;
}

/// Every metric of every head and item, and their means, are the reference's.
void expectTheReferences(const DocumentPtr& document, const std::string& name) {
  const TracePtr trace = runAttention(document);
  const AttentionConfig& c = trace->config();
  const auto tokens = lowerCasedAll(document->input->tokens.front());
  std::vector<std::vector<HeadMetrics>> items;
  for (Index item = 0; item < c.batch; ++item) {
    const auto metrics = headMetrics(*trace, item);
    ASSERT_TRUE(metrics.has_value());
    ASSERT_EQ(std::ssize(*metrics), c.numHeads);
    const HeadReference reference(*trace, item, c.crossAttention() ? Tokens{} : tokens);
    for (Index h = 0; h < c.numHeads; ++h) {
      const auto expected = reference.metrics(h);
      for (const MetricInfo& m : allMetrics()) {
        expectNear((*metrics)[static_cast<std::size_t>(h)][m.metric],
                   expected.at(std::string(m.key)),
                   fmt::format("{}, item {}, head {}, {}", name, item, h, m.key));
      }
    }
    expectNear(uniformMetrics(*document, item)[Metric::meanDistance],
               c.crossAttention() ? std::nullopt : reference.uniformDistance(), name);
    items.push_back(*metrics);
  }
  const auto mean = headMetrics(*trace, std::nullopt);
  for (std::size_t h = 0; h < mean->size(); ++h) {
    for (const MetricInfo& m : allMetrics()) {
      NaiveMean expected;
      for (const auto& item : items) {
        if (item[h][m.metric]) expected.add(*item[h][m.metric]);
      }
      expectNear((*mean)[h][m.metric], expected.value(), name + ", mean of " + std::string(m.key));
    }
  }
}

DocumentPtr named(const DocumentPtr& document) {
  return withTokens(document, repeatingTokens(document->config.seqLen));
}

TEST(HeadMetrics, AreTheReferencesOnTheGoldens) {
  for (const char* name : kGoldens) {
    expectTheReferences(named(goldenDocument(SafetensorsFile(golden(name)))), name);
  }
}

TEST(HeadMetrics, AreTheReferencesInEveryCase) {
  for (const Case& each : allCases()) {
    expectTheReferences(named(randomDocument(each.config)), each.name);
  }
  for (const Case& each : whatIfCases()) {
    expectTheReferences(named(withPins(randomDocument(each.config))), each.name);
  }
}

/// Rows longer than a block of rows and a piece of a row.
TEST(HeadMetrics, AreTheReferencesOfLongRows) {
  expectTheReferences(named(randomDocument(with(sized(8, 2, 300),
                                                [](auto& c) {
                                                  c.batch = 2;
                                                  c.mask.lengths = {300, 270};
                                                }))),
                      "long");
}

HeadMetrics only(const TracePtr& trace) { return headMetrics(*trace, 0)->front(); }

void expectValues(const HeadMetrics& metrics, const std::map<Metric, double>& expected) {
  for (const auto& [metric, value] : expected) {
    ASSERT_TRUE(metrics[metric]) << info(metric).key << ": " << metrics[metric].why;
    EXPECT_NEAR(*metrics[metric], value, 1e-6) << info(metric).key;
  }
}

TEST(HeadMetrics, OfPatternsAreKnown) {
  const AttentionConfig c = sized(8, 1, 5);
  const Tokens words{"a", "b", "A", "b", "c"};
  expectValues(only(patterned(c, identity, words)), {{Metric::entropy, 0.0},
                                                     {Metric::normalizedEntropy, 0.0},
                                                     {Metric::confidence, 1.0},
                                                     {Metric::meanDistance, 0.0},
                                                     {Metric::local, 0.0},
                                                     {Metric::previousToken, 0.0},
                                                     {Metric::nextToken, 0.0},
                                                     {Metric::self, 1.0},
                                                     {Metric::firstToken, 0.0},
                                                     {Metric::duplicateToken, 0.0},
                                                     {Metric::induction, 0.0}});
  expectValues(only(patterned(c, previous, words)), {{Metric::entropy, 0.0},
                                                     {Metric::meanDistance, 0.8},
                                                     {Metric::local, 0.8},
                                                     {Metric::previousToken, 1.0},
                                                     {Metric::self, 0.2},
                                                     {Metric::firstToken, 0.25},
                                                     {Metric::duplicateToken, 0.0},
                                                     {Metric::induction, 1.0}});
  expectValues(only(patterned(c, firstColumn, words)), {{Metric::entropy, 0.0},
                                                        {Metric::confidence, 1.0},
                                                        {Metric::meanDistance, 2.0},
                                                        {Metric::local, 0.4},
                                                        {Metric::previousToken, 0.25},
                                                        {Metric::nextToken, 0.0},
                                                        {Metric::self, 0.2},
                                                        {Metric::firstToken, 1.0},
                                                        {Metric::duplicateToken, 0.25},
                                                        {Metric::induction, 0.0}});
  const auto uniform = [](Index, Index, Index) { return 0.2F; };
  expectValues(only(patterned(c, uniform, words)), {{Metric::entropy, std::log2(5.0)},
                                                    {Metric::normalizedEntropy, 1.0},
                                                    {Metric::confidence, 0.2},
                                                    {Metric::meanDistance, 1.6},
                                                    {Metric::local, 0.2 * 14 / 5},
                                                    {Metric::previousToken, 0.2},
                                                    {Metric::nextToken, 0.2},
                                                    {Metric::self, 0.2},
                                                    {Metric::firstToken, 0.2},
                                                    {Metric::duplicateToken, 0.2},
                                                    {Metric::induction, 0.2}});
  // two blocks: tokens 0 and 1 among themselves, 2 to 3 likewise
  const auto block = [](Index, Index i, Index j) { return i / 2 == j / 2 ? 0.5F : 0.0F; };
  expectValues(only(patterned(sized(8, 1, 4), block)), {{Metric::entropy, 1.0},
                                                        {Metric::normalizedEntropy, 0.5},
                                                        {Metric::confidence, 0.5},
                                                        {Metric::meanDistance, 0.5},
                                                        {Metric::local, 0.5},
                                                        {Metric::previousToken, 1.0 / 3},
                                                        {Metric::nextToken, 1.0 / 3},
                                                        {Metric::self, 0.5},
                                                        {Metric::firstToken, 0.5 / 3}});
}

/// "a b a b": what came after the "a" before is "b".
TEST(HeadMetrics, InductionIsTheWeightOnWhatCameAfter) {
  const auto after = [](Index, Index i, Index j) { return j == (i < 2 ? i : i - 1) ? 1.0F : 0.0F; };
  const HeadMetrics metrics = only(patterned(sized(8, 1, 4), after, {"a", "b", "a", "b"}));
  expectValues(metrics, {{Metric::induction, 1.0}, {Metric::duplicateToken, 0.0}});
}

/// A forbidden duplicate is none: only the later place sees the earlier one.
TEST(HeadMetrics, OnlyUnmaskedKeysAreDuplicates) {
  AttentionConfig c = sized(8, 1, 3);
  c.mask.causal = true;
  const HeadMetrics metrics = only(patterned(c, firstColumn, {"a", "b", "a"}));
  expectValues(metrics, {{Metric::duplicateToken, 1.0}, {Metric::normalizedEntropy, 0.0}});
}

TEST(HeadMetrics, PaddedQueriesDoNotCount) {
  AttentionConfig c = sized(8, 1, 4);
  c.mask.lengths = {2};
  // rows 0 and 1 attend to the other one, the padding to itself
  const auto swap = [](Index, Index i, Index j) {
    return (i < 2 ? j == 1 - i : j == i) ? 1.0F : 0.0F;
  };
  expectValues(only(patterned(c, swap)), {{Metric::self, 0.0},
                                          {Metric::previousToken, 1.0},
                                          {Metric::nextToken, 1.0},
                                          {Metric::meanDistance, 1.0}});
}

std::string whyOf(const TracePtr& trace, Metric metric) {
  const MetricValue measured = only(trace)[metric];
  EXPECT_FALSE(measured.value.has_value()) << info(metric).key;
  return measured.why;
}

TEST(HeadMetrics, SayWhyTheyAreNotDefined) {
  const auto plain = runAttention(randomDocument(sized(8, 1, 4)));
  EXPECT_EQ(whyOf(plain, Metric::duplicateToken), "the input has no tokens");
  const auto different =
      runAttention(withTokens(randomDocument(sized(8, 1, 4)), {"a", "b", "c", "d"}));
  EXPECT_EQ(whyOf(different, Metric::duplicateToken), "no token repeats");
  EXPECT_EQ(whyOf(different, Metric::induction), "no token repeats");
  const auto apart = runAttention(
      withTokens(randomDocument(with(sized(8, 1, 4), [](auto& c) { c.mask.window = 2; })),
                 {"a", "b", "c", "a"}));
  EXPECT_EQ(whyOf(apart, Metric::duplicateToken), "no row can see its token at another position");
  EXPECT_EQ(whyOf(apart, Metric::induction),
            "no row can see a token after an earlier occurrence of its own");

  const auto one = runAttention(randomDocument(sized(8, 1, 1)));
  for (const Metric metric : {Metric::previousToken, Metric::nextToken, Metric::firstToken}) {
    EXPECT_EQ(whyOf(one, metric), "one token only");
  }
  EXPECT_EQ(whyOf(one, Metric::normalizedEntropy), "every row has one key only");
  expectValues(only(one), {{Metric::self, 1.0}, {Metric::local, 0.0}, {Metric::entropy, 0.0}});

  const auto cross =
      runAttention(randomDocument(with(sized(8, 1, 4), [](auto& c) { c.memoryLen = 3; })));
  for (const MetricInfo& m : metricsFor(false)) {
    if (m.needs == MetricNeeds::weights) {
      EXPECT_TRUE(only(cross)[m.metric]) << m.key;
    } else {
      EXPECT_EQ(whyOf(cross, m.metric),
                "keys come from the memory, so positions cannot be compared");
    }
  }
  const auto nothing = runAttention(
      named(randomDocument(with(sized(8, 1, 4), [](auto& c) { c.mask.lengths = {0}; }))));
  for (const MetricInfo& m : metricsFor(false)) {
    EXPECT_EQ(whyOf(nothing, m.metric), "every row is fully masked") << m.key;
  }
  const auto silent = runAttention(changed(randomDocument(sized(8, 1, 4)), [](Document& d) {
    d.weights.wO = Tensor::zeros({8, 8});
    d.weights.bO = Tensor::zeros({8});
  }));
  EXPECT_EQ(whyOf(silent, Metric::ablation),
            "an output has no length: there is nothing to compare");
}

/// In cross-attention queries without a token are padding.
TEST(HeadMetrics, SayWhichRowsThereAreWhereNoneCounts) {
  const auto across = [](const Tokens& tokens, const std::vector<std::uint8_t>& allowed) {
    const auto document = named(randomDocument(with(sized(8, 1, 2), [&](auto& c) {
      c.memoryLen = 2;
      c.mask.painted = painted(2, 2, allowed);
    })));
    return runAttention(changed(document, [&](Document& d) {
      Input input = *d.input;
      input.tokens = {tokens};
      d.input = std::make_shared<const Input>(std::move(input));
    }));
  };
  const auto padding = across({"", ""}, {1, 1, 1, 1});
  EXPECT_EQ(whyOf(padding, Metric::entropy), "no query counts: all are padding");
  EXPECT_EQ(headSimilarity(*padding, 0)->why, "no query counts: all are padding");
  EXPECT_EQ(whyOf(across({"a", ""}, {0, 0, 1, 1}), Metric::entropy),
            "every row that is not padding is fully masked");
  EXPECT_EQ(whyOf(across({"a", ""}, {0, 0, 0, 0}), Metric::entropy), "every row is fully masked");
}

TEST(HeadMetrics, ASeriesHasPositionsAndNoTokens) {
  const auto trace = runAttention(fromSource(SeriesSource{{series(6)}}));
  EXPECT_EQ(whyOf(trace, Metric::duplicateToken), "the input has no tokens");
  EXPECT_TRUE(only(trace)[Metric::previousToken]);
}

TEST(HeadMetrics, AShorterTextOfTheBatchCountsItsOwnWords) {
  const auto trace = runAttention(fromTexts({"a b c d a", "The the"}));
  const HeadReference reference(*trace, 1, {"the", "the", "", "", ""});
  const auto metrics = headMetrics(*trace, 1);
  const auto expected = reference.metrics(2);
  EXPECT_EQ(expected.at("induction"), std::nullopt);
  for (const MetricInfo& m : allMetrics()) {
    expectNear((*metrics)[2][m.metric], expected.at(std::string(m.key)), std::string(m.key));
  }
}

TEST(HeadMetrics, AreTheSameOnAnyNumberOfThreads) {
  const auto trace = runAttention(randomDocument(sized(64, 4, 400)));
  const auto one = headMetrics(*trace, 0, {1, nullptr, nullptr});
  const auto three = headMetrics(*trace, 0, {3, nullptr, nullptr});
  for (std::size_t h = 0; h < one->size(); ++h) {
    for (const MetricInfo& m : allMetrics()) {
      EXPECT_EQ((*one)[h][m.metric], (*three)[h][m.metric]) << m.key;
    }
  }
}

TEST(HeadMetrics, GiveNothingWhereCancelled) {
  const std::atomic<bool> cancelled{true};
  EXPECT_FALSE(
      headMetrics(*runAttention(randomDocument(sized(8, 1, 4))), 0, {0, &cancelled, nullptr})
          .has_value());
}

TEST(Metrics, AreDescribedInTheirOwnOrder) {
  for (std::size_t i = 0; i < kMetricCount; ++i) {
    const MetricInfo& m = allMetrics()[i];
    EXPECT_EQ(m.metric, static_cast<Metric>(i));
    EXPECT_EQ(metricFromKey(m.key), m.metric);
    for (const auto text : {m.title, m.column, m.words, m.formula, m.range, m.source}) {
      EXPECT_FALSE(text.empty()) << m.key;
    }
  }
  EXPECT_EQ(metricFromKey("guess"), std::nullopt);
}

}  // namespace
}  // namespace headscope::test
