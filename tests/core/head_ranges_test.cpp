// Measures of any weights lie within their range, or are undefined and give the reason.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/head_report.h"
#include "core/attention/config.h"
#include "core/document/document.h"
#include "tests/core/support/patterns.h"

namespace headscope::test {
namespace {

std::pair<double, double> rangeOf(Metric metric, const AttentionConfig& c) {
  const auto keys = static_cast<double>(c.keys());
  switch (metric) {
    case Metric::entropy:
      return {0.0, std::log2(keys)};
    case Metric::confidence:
      return {1.0 / keys, 1.0};
    case Metric::meanDistance:
      return {0.0, keys - 1.0};
    case Metric::ablation:
      return {0.0, std::numeric_limits<double>::max()};
    default:
      return {0.0, 1.0};
  }
}

void expectWithin(double value, const std::pair<double, double>& range, const std::string& name) {
  constexpr double kRounding = 1e-6;
  EXPECT_GE(value, range.first - kRounding) << name;
  EXPECT_LE(value, range.second + kRounding) << name;
}

DocumentPtr withWeights(const DocumentPtr& document, const std::vector<Pin>& pins) {
  return changed(document, [&](Document& d) {
    for (const Pin& pin : pins) d.pins = d.pins.with(pin);
  });
}

Pin weight(Index item, Index head, Index row, Index col, float value) {
  return {{TensorId::weights, item, head, row, col}, value};
}

AttentionConfig dropping(double rate) {
  return with(sized(16, 4, 6), [rate](auto& c) { c.dropout = {rate, 1}; });
}

/// A document in which one weight of a row is below 0 although the row sums to 1.
DocumentPtr belowZero() {
  return withWeights(randomDocument(sized(8, 2, 3)),
                     {weight(0, 1, 2, 0, -0.5F), weight(0, 1, 2, 1, 1.5F), weight(0, 1, 2, 2, 0)});
}

std::vector<std::pair<std::string, DocumentPtr>> whatIfs() {
  std::vector<std::pair<std::string, DocumentPtr>> found;
  for (const Case& each : whatIfCases()) {
    found.emplace_back(each.name, randomDocument(each.config));
    found.emplace_back(each.name + ", pinned", withPins(randomDocument(each.config)));
  }
  found.emplace_back("Most dropped", randomDocument(dropping(0.9)));
  found.emplace_back("A large pin",
                     withWeights(randomDocument(sized(16, 4, 6)), {weight(0, 1, 2, 3, 5.0F)}));
  found.emplace_back("Below 0", belowZero());
  return found;
}

TEST(HeadRanges, HoldWhateverIsDoneToTheWeights) {
  for (const auto& [name, document] : whatIfs()) {
    const DocumentPtr named = withTokens(document, repeatingTokens(document->config.seqLen));
    const AttentionConfig& c = named->config;
    const TracePtr trace = runAttention(named);
    std::vector<ItemChoice> choices{std::nullopt};
    for (Index item = 0; item < c.batch; ++item) choices.emplace_back(item);
    for (const ItemChoice& choice : choices) {
      const auto report = headReport(*trace, choice, {});
      for (std::size_t h = 0; h < report->metrics.size(); ++h) {
        for (const MetricInfo& m : allMetrics()) {
          const MetricValue& measured = report->metrics[h][m.metric];
          if (!measured) continue;
          expectWithin(*measured, rangeOf(m.metric, c),
                       fmt::format("{}, head {}, {}", name, h, m.key));
        }
      }
      for (const double value : report->similarity.values) expectWithin(value, {0.0, 1.0}, name);
    }
  }
}

/// Checks that only the ablation is defined, which is not read from the weights.
void expectOnlyAblation(const HeadMetrics& metrics, const std::string& why) {
  for (const MetricInfo& m : metricsFor(false)) {
    if (m.metric == Metric::ablation) {
      EXPECT_TRUE(metrics[m.metric]) << metrics[m.metric].why;
    } else {
      EXPECT_FALSE(metrics[m.metric]) << m.key;
      EXPECT_EQ(metrics[m.metric].why, why) << m.key;
    }
  }
}

HeadReport reportOf(const DocumentPtr& document, ItemChoice item = 0) {
  return *headReport(*runAttention(withTokens(document, repeatingTokens(document->config.seqLen))),
                     item, {});
}

TEST(HeadRanges, AreSaidToBeLeft) {
  const HeadReport dropped = reportOf(randomDocument(dropping(0.5)));
  for (const HeadMetrics& head : dropped.metrics) {
    expectOnlyAblation(head, "a row's weights do not sum to 1 (dropout)");
  }
  EXPECT_FALSE(dropped.similarity.defined());
  EXPECT_EQ(dropped.similarity.why, "in head 1 a row's weights do not sum to 1 (dropout)");
  EXPECT_FALSE(dropped.labels[0].defined());
  EXPECT_EQ(dropped.labels[0].rule, "a row's weights do not sum to 1 (dropout)");

  const HeadReport both =
      reportOf(withWeights(randomDocument(dropping(0.5)), {weight(0, 1, 2, 3, 5.0F)}));
  expectOnlyAblation(both.metrics[1], "a row's weights do not sum to 1 (dropout, a pin)");

  const HeadReport columns = reportOf(
      randomDocument(with(sized(8, 2, 5), [](auto& c) { c.mistakes.softmaxOverQueries = true; })));
  expectOnlyAblation(columns.metrics[0], "a row's weights do not sum to 1 (softmax over queries)");

  expectOnlyAblation(reportOf(belowZero()).metrics[1], "a row has a weight below 0 (a pin)");
}

TEST(HeadRanges, OfHeadsAndItemsThatAreNotPinnedStay) {
  const DocumentPtr document = randomDocument(with(sized(8, 2, 8), [](auto& c) { c.batch = 2; }));
  const DocumentPtr pinned = withWeights(document, {weight(1, 1, 2, 3, 5.0F)});
  const HeadReport before = reportOf(document, std::nullopt);
  const HeadReport after = reportOf(pinned, std::nullopt);
  const HeadReport first = reportOf(document, 0);
  for (const MetricInfo& m : allMetrics()) {
    if (m.metric == Metric::ablation) continue;  // the output is another
    EXPECT_EQ(after.metrics[0][m.metric], before.metrics[0][m.metric]) << m.key;
    EXPECT_EQ(after.metrics[1][m.metric], first.metrics[1][m.metric]) << m.key;
  }
  EXPECT_EQ(after.similarity.values, first.similarity.values);
  expectOnlyAblation(reportOf(pinned, 1).metrics[1], "a row's weights do not sum to 1 (a pin)");
  EXPECT_EQ(reportOf(pinned, 1).similarity.why,
            "in head 2 a row's weights do not sum to 1 (a pin)");
}

/// Rows that sum to 1 are measured, pinned or not; a padded query may have any.
TEST(HeadRanges, APinThatLeavesTheSumIsMeasured) {
  const AttentionConfig c = with(sized(8, 2, 4), [](auto& config) { config.mask.lengths = {3}; });
  const HeadReport report = reportOf(
      withWeights(randomDocument(c), {weight(0, 0, 1, 0, 0.75F), weight(0, 0, 1, 1, 0.25F),
                                      weight(0, 0, 1, 2, 0.0F), weight(0, 0, 3, 0, 5.0F)}));
  EXPECT_TRUE(report.metrics[0][Metric::entropy]) << report.metrics[0][Metric::entropy].why;
  EXPECT_TRUE(report.similarity.defined()) << report.similarity.why;
}

TEST(HeadRanges, TheDeclaredScoreIsOfSuchRowsToo) {
  const DocumentPtr pinned =
      withWeights(randomDocument(sized(8, 2, 4)), {weight(0, 1, 2, 3, 5.0F)});
  const TracePtr trace = runAttention(pinned);
  const DeclaredRelation relation{"before", {{{}, {0}, {1}, {2}}}};
  EXPECT_TRUE(declaredScore(*trace, 0, 0, relation));
  EXPECT_EQ(declaredScore(*trace, 0, 1, relation).why, "a row's weights do not sum to 1 (a pin)");
}

}  // namespace
}  // namespace headscope::test
