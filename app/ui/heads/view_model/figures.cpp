#include "app/ui/heads/view_model/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "app/ui/heads/view_model/choice.h"
#include "app/ui/heads/view_model/effects.h"
#include "app/ui/parts/head_label.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/heads/designed_heads.h"
#include "core/training/relations.h"

namespace headscope::ui {
namespace {

constexpr Index kMostClustered = 256;  // clustering is cubic in the number of heads

// Texts.

constexpr double kLeastFigure = 0.0005;
constexpr double kFigureRounding = 1e-12;  // for sums of weights that should be 0

std::string withSmallInitial(std::string_view title) {
  std::string text(title);
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') {
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  }
  return text;
}
/// Returns the caveat that belongs next to a metric's number; may be empty.
std::string_view metricCaution(Metric metric) {
  return metric == Metric::induction
             ? tr(" One layer alone has no true induction heads: those take two.")
             : std::string_view();
}

}  // namespace

std::optional<Figures> measureFigures(const Trace& trace, Index item, ItemChoice averaged,
                                      std::uint64_t revision, const std::atomic<bool>& cancelled) {
  const ExecutionContext execution{.cancelled = &cancelled};
  auto report = headReport(trace, averaged, declaredRelations(trace.document()), execution);
  if (!report) return std::nullopt;
  auto effects = headEffects(trace, item, execution);
  if (!effects) return std::nullopt;
  Figures figures;
  figures.revision = revision;
  figures.report = std::move(*report);
  figures.effects = std::move(*effects);
  HeadSimilarity& similarity = figures.report.similarity;
  if (similarity.heads > kMostClustered) {
    similarity.values.clear();
    similarity.why = trFormat("similarity is computed for at most {} heads", kMostClustered);
  }
  if (similarity.defined()) figures.tree = clusterHeads(similarity);
  figures.largestEffect = largestPercent(figures.effects);
  return figures;
}

std::string figureText(double value) {
  const double magnitude = std::abs(value);
  if (magnitude < kLeastFigure) return magnitude < kFigureRounding ? "0.000" : "<.001";
  const int decimals = magnitude < 10.0 ? 3 : magnitude < 100.0 ? 2 : magnitude < 1000.0 ? 1 : 0;
  return fmt::format("{:.{}f}", value, decimals);
}

std::string figureWithUnit(const MetricValue& measured, Metric metric) {
  if (!measured) return "–";
  const std::string value = number(std::abs(*measured) < kFigureRounding ? 0.0 : *measured, 3);
  const std::string_view unit = info(metric).unit;
  return unit.empty() ? value : fmt::format("{} {}", value, tr(unit));
}

std::string titleWithUnit(Metric metric) {
  const MetricInfo& m = info(metric);
  return m.unit.empty() ? std::string(tr(m.title))
                        : fmt::format("{} ({})", tr(m.title), tr(m.unit));
}

std::string numbersInWords(const std::vector<Index>& heads) {
  std::string text;
  for (std::size_t i = 0; i < heads.size();) {
    std::size_t end = i + 1;
    while (end < heads.size() && heads[end] == heads[end - 1] + 1) ++end;
    if (i > 0) text += ", ";
    text += std::to_string(heads[i] + 1);
    if (end - i > 1) text += (end - i == 2 ? ", " : "–") + std::to_string(heads[end - 1] + 1);
    i = end;
  }
  return text;
}

std::string headsInWords(const std::vector<Index>& heads, Index of) {
  if (heads.size() == 1) return trFormat("head {}", heads.front() + 1);
  if (static_cast<Index>(heads.size()) == of) return trFormat("all {} heads", of);
  return "heads " + numbersInWords(heads);
}

std::string headInWords(const HeadReport& report, Index head, std::span<const Metric> metrics) {
  std::string text = trFormat("head {}: ", head + 1);
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (i > 0 && metrics[i] == metrics[i - 1]) continue;
    const MetricValue& measured = report.metrics[static_cast<std::size_t>(head)][metrics[i]];
    if (i > 0) text += ", ";
    text += withSmallInitial(tr(info(metrics[i]).title)) + " ";
    text += measured ? figureWithUnit(measured, metrics[i]) : tr("not defined");
  }
  return text;
}

std::vector<std::string> undefinedInWords(const HeadReport& report, Metric metric) {
  std::vector<std::pair<std::string, std::vector<Index>>> reasons;
  for (std::size_t h = 0; h < report.metrics.size(); ++h) {
    const MetricValue& measured = report.metrics[h][metric];
    if (measured) continue;
    auto known = std::find_if(reasons.begin(), reasons.end(),
                              [&](const auto& reason) { return reason.first == measured.why; });
    if (known == reasons.end()) known = reasons.insert(reasons.end(), {measured.why, {}});
    known->second.push_back(static_cast<Index>(h));
  }
  std::vector<std::string> sentences;
  for (const auto& [why, heads] : reasons) {
    sentences.push_back(trFormat("{} is not defined for {} because {}.", tr(info(metric).title),
                                 headsInWords(heads, static_cast<Index>(report.metrics.size())),
                                 why));
  }
  return sentences;
}

std::string purposeInWords(const HeadReport& report, Index head) {
  const auto& made = report.designedPurposes[static_cast<std::size_t>(head)];
  if (!made) return {};
  using Origin = DeclaredRelation::Origin;
  const char* purpose = made->origin == Origin::designed  ? tr("made for")
                        : made->origin == Origin::trained ? tr("trained for")
                                                          : tr("learned");
  return made->score
             ? trFormat("{} {}, {:.2f} where it is to look; ", purpose, made->name, *made->score)
             : fmt::format("{} {}: {}; ", purpose, made->name, made->score.why);
}

std::vector<Index> headsInOrder(const HeadReport& report, std::string_view by, bool descending) {
  if (const auto metric = metricFromKey(by)) {
    return headsByMetric(report.metrics, *metric, descending);
  }
  std::vector<Index> order(report.metrics.size());
  std::iota(order.begin(), order.end(), Index{0});
  if (by != kByLabel) {
    if (descending) std::reverse(order.begin(), order.end());
    return order;
  }
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    const HeadLabel& x = report.labels[static_cast<std::size_t>(a)];
    const HeadLabel& y = report.labels[static_cast<std::size_t>(b)];
    if (x.title != y.title) return descending ? y.title < x.title : x.title < y.title;
    return x.score.value_or(0.0) > y.score.value_or(0.0);
  });
  return order;
}

MetricsTable metricsTable(const HeadReport& report, const HeadsView& view) {
  MetricsTable table;
  table.columns = {{"", "#", tr("the heads by number")},
                   {std::string(kByLabel), "label",
                    tr("the name that follows from the head's metrics, with the score that the "
                       "rule requires. ") +
                        labelRule()}};
  for (const MetricInfo& m : metricsFor(report.patches)) {
    table.columns.push_back(
        {std::string(m.key), std::string(tr(m.column)), definitionText(m.metric), m.metric});
  }
  const auto by = std::ranges::find(table.columns, view.tableSort, &MetricsTable::Column::key);
  if (by != table.columns.end()) {
    table.by = static_cast<std::size_t>(by - table.columns.begin());
  }
  table.heads = headsInOrder(report, view.tableSort, view.tableDescending);
  return table;
}

std::vector<std::string> rowOf(const HeadReport& report, Index head) {
  const auto at = static_cast<std::size_t>(head);
  std::vector<std::string> texts{std::to_string(head + 1), labelWithScore(report.labels[at])};
  for (const MetricInfo& m : metricsFor(report.patches)) {
    const MetricValue& measured = report.metrics[at][m.metric];
    texts.push_back(measured ? figureText(*measured) : "–");
  }
  return texts;
}

Index SimilarityOrder::placeOf(Index head) const {
  return std::find(heads.begin(), heads.end(), head) - heads.begin();
}

SimilarityOrder similarityOrder(const HeadTree& tree, bool alikeTogether, double cut) {
  SimilarityOrder order{tree.order, {}};
  if (!alikeTogether) {
    std::iota(order.heads.begin(), order.heads.end(), Index{0});
    return order;
  }
  const HeadClusters clusters = clustersAt(tree, cut);
  const auto clusterAt = [&](Index place) {
    return clusters.of[static_cast<std::size_t>(tree.order[static_cast<std::size_t>(place)])];
  };
  for (Index first = 0, end = 0; first < tree.heads; first = end) {
    while (end < tree.heads && clusterAt(end) == clusterAt(first)) ++end;
    if (end - first > 1) order.clusters.push_back({first, end - first});
  }
  return order;
}

double lowestShown(const HeadSimilarity& similarity) {
  const double least = *std::min_element(similarity.values.begin(), similarity.values.end());
  return std::clamp(std::floor(least * 10.0) / 10.0, 0.0, 0.9);
}

std::string pairInWords(const HeadSimilarity& similarity, Index a, Index b) {
  if (a == b) return trFormat("head {} with itself: 1", a + 1);
  return trFormat("heads {} and {}: {:.2f} alike", a + 1, b + 1, similarity(a, b));
}

std::string distinctInWords(const HeadTree& tree, double cut) {
  const Index count = clustersAt(tree, cut).count;
  return trFormat("{} of {} at {:.2f}",
                  counted(count, tr("{} distinct head"), tr("{} distinct heads")), tree.heads, cut);
}

std::string definitionOf(const MetricInfo& m) {
  return fmt::format("{}: {}.{}", tr(m.title), tr(m.words), metricCaution(m.metric));
}

std::string boundsOf(const MetricInfo& m) {
  return fmt::format("{}{}{}. {}.", m.range, m.unit.empty() ? "" : ", in ", m.unit, m.source);
}

std::string definitionText(Metric metric) {
  const MetricInfo& m = info(metric);
  return definitionOf(m) + "\n" + boundsOf(m);
}

}  // namespace headscope::ui
