#include "core/analysis/head_report.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/rows.h"

namespace headscope {

namespace {

constexpr double kDeclared = 0.5;
constexpr double kFar = 1.25;
constexpr const char* kNoPartner = "no row has a partner";

struct Threshold {
  Metric metric;
  double atLeast;
  const char* key;
  const char* title;
};

/// In the order in which they are asked.
constexpr Threshold kThresholds[] = {
    {Metric::previousToken, 0.5, "previous_token", "previous token"},
    {Metric::nextToken, 0.5, "next_token", "next token"},
    {Metric::self, 0.5, "self", "self"},
    {Metric::duplicateToken, 0.5, "duplicate_token", "duplicate token"},
    {Metric::induction, 0.5, "induction", "induction"},
    {Metric::firstToken, 0.5, "first_token", "first token"},
    {Metric::local, 0.6, "local", "local"},
    {Metric::normalizedEntropy, 0.95, "uniform", "uniform"},
};

Measured declaredScoreOf(const Trace& trace, Index item, Index head,
                         const DeclaredRelation& relation) {
  const CountedRows counted = countedRows(trace.document(), item);
  const std::string noShares = whyNoShares(trace, item, head, counted);
  if (!noShares.empty()) return Measured::undefined(noShares);
  return partnerWeight(trace.tensor(TensorId::weights).matrix({item, head}), counted,
                       relation.partners.at(static_cast<std::size_t>(item)));
}

/// Why a designed head is not called by its relation, to stand before another rule; empty where
/// that says it.
std::string whyNotDeclared(const DeclaredRelation& relation, const Measured& declared) {
  if (declared) {
    return fmt::format("the mean weight on the partner of {} is {:.2f}, below {}; ", relation.name,
                       *declared, kDeclared);
  }
  if (declared.why == kNoPartner) {
    return fmt::format("{} has no partner in this input; ", relation.name);
  }
  return {};  // nothing else of the head is measured either
}

/// The label by the metrics alone.
HeadLabel measuredLabel(const HeadMetrics& metrics, const Measured& uniformDistance) {
  for (const Threshold& t : kThresholds) {
    const Measured& measured = metrics[t.metric];
    if (!measured || *measured < t.atLeast) continue;
    return {t.key, t.title, *measured,
            fmt::format("{} is {:.2f}, at least {}", info(t.metric).key, *measured, t.atLeast)};
  }
  const Measured& distance = metrics[Metric::meanDistance];
  if (distance && uniformDistance && *uniformDistance > 0.0 &&
      *distance >= kFar * *uniformDistance) {
    return {"far", "far", *distance,
            fmt::format("mean_distance is {:.2f}, at least {} × the {:.2f} of uniform attention "
                        "under the same mask",
                        *distance, kFar, *uniformDistance)};
  }
  const Measured& entropy = metrics[Metric::entropy];  // defined wherever a row is measured
  return {"mixed", "mixed", std::nullopt,
          entropy ? "no rule for a label holds" : "there is nothing to name it by: " + entropy.why};
}

}  // namespace

Measured partnerWeight(const ConstMatrixView& weights, const CountedRows& counted,
                       const std::vector<std::optional<Index>>& partners) {
  double sum = 0.0;
  Index rows = 0;
  for (const CountedRow& row : counted.rows) {
    const auto partner = partners.at(static_cast<std::size_t>(row.row));
    if (!partner) continue;
    sum += weights(row.row, *partner);
    ++rows;
  }
  if (rows == 0) return Measured::undefined(kNoPartner);
  return {sum / static_cast<double>(rows), {}};
}

Measured declaredScore(const Trace& trace, ItemChoice item, Index head,
                       const DeclaredRelation& relation) {
  if (item) return declaredScoreOf(trace, *item, head, relation);
  std::vector<Measured> items;
  for (Index i = 0; i < trace.config().batch; ++i) {
    items.push_back(declaredScoreOf(trace, i, head, relation));
  }
  return meanOf(items);
}

HeadLabel headLabel(const HeadMetrics& metrics, const Measured& uniformDistance,
                    const DeclaredRelation* relation, const Measured& declared) {
  if (relation != nullptr && declared && *declared >= kDeclared) {
    return {relation->name, relation->name, *declared,
            fmt::format("the mean weight on the declared partner is {:.2f}, at least {}", *declared,
                        kDeclared),
            true};
  }
  HeadLabel label = measuredLabel(metrics, uniformDistance);
  if (relation != nullptr) label.rule.insert(0, whyNotDeclared(*relation, declared));
  return label;
}

std::vector<HeadLabel> headLabels(const Trace& trace, ItemChoice item,
                                  const std::vector<HeadMetrics>& metrics,
                                  const DeclaredRelations& relations) {
  const Measured uniform = uniformMeanDistance(trace.document(), item);
  std::vector<HeadLabel> labels;
  for (std::size_t h = 0; h < metrics.size(); ++h) {
    const bool designed = h < relations.size() && relations[h];
    if (!designed) {
      labels.push_back(headLabel(metrics[h], uniform));
      continue;
    }
    const DeclaredRelation& relation = *relations[h];
    labels.push_back(headLabel(metrics[h], uniform, &relation,
                               declaredScore(trace, item, static_cast<Index>(h), relation)));
  }
  return labels;
}

std::optional<HeadReport> headReport(const Trace& trace, ItemChoice item,
                                     const DeclaredRelations& relations,
                                     const Execution& execution) {
  auto metrics = headMetrics(trace, item, execution);
  if (!metrics) return std::nullopt;
  auto similarity = headSimilarity(trace, item, execution);
  if (!similarity) return std::nullopt;
  auto labels = headLabels(trace, item, *metrics, relations);
  return HeadReport{std::move(*metrics), std::move(labels), std::move(*similarity)};
}

}  // namespace headscope
