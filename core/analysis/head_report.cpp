#include "core/analysis/head_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/rows.h"

namespace headscope {

namespace {

constexpr double kFar = 1.25;
constexpr const char* kNoPartner = "no token has one to look at";

struct Threshold {
  Metric metric;
  double atLeast;
  const char* key;
  const char* title;
};

constexpr double kRole = 0.5;
/// Of which the largest names a head.
constexpr Threshold kRoles[] = {
    {Metric::previousToken, kRole, "previous_token", "previous token"},
    {Metric::nextToken, kRole, "next_token", "next token"},
    {Metric::self, kRole, "self", "self"},
    {Metric::duplicateToken, kRole, "duplicate_token", "duplicate token"},
    {Metric::induction, kRole, "induction", "induction"},
    {Metric::firstToken, kRole, "first_token", "first token"},
};
/// Asked in this order where none of them does.
constexpr Threshold kElse[] = {
    {Metric::local, 0.6, "local", "local"},
    {Metric::normalizedEntropy, 0.95, "uniform", "uniform"},
};

/// "Normalized entropy" as it stands within a sentence.
std::string inSentence(std::string title) {
  title.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(title.front())));
  return title;
}

HeadLabel labelBy(const Threshold& t, double measured) {
  return {t.key, t.title, measured,
          fmt::format("{} is {:.2f}, at least {}", inSentence(std::string(info(t.metric).title)),
                      measured, t.atLeast)};
}

Measured declaredScoreOf(const Trace& trace, Index item, Index head,
                         const DeclaredRelation& relation) {
  const CountedRows counted = countedRows(trace.document(), item);
  const std::string noShares = whyNoShares(trace, item, head, counted);
  if (!noShares.empty()) return Measured::undefined(noShares);
  Measured score = partnerWeight(HeadRows(trace, TensorId::weights, item, head), counted,
                                 relation.partners.at(static_cast<std::size_t>(item)));
  if (score.why == kNoPartner && !relation.whyNone.empty()) score.why = relation.whyNone;
  return score;
}

bool isOf(const std::optional<DeclaredRelation>& relation, const std::string& name) {
  if (!relation) return false;
  return relation->name == name ||
         std::any_of(relation->parts.begin(), relation->parts.end(),
                     [&](const DeclaredRelation& part) { return part.name == name; });
}

/// The label where no role holds.
HeadLabel labelElse(const HeadMetrics& metrics, const Measured& uniformDistance) {
  for (const Threshold& t : kElse) {
    const Measured& measured = metrics[t.metric];
    if (measured && *measured >= t.atLeast) return labelBy(t, *measured);
  }
  const Measured& distance = metrics[Metric::meanDistance];
  if (distance && uniformDistance && *uniformDistance > 0.0 &&
      *distance >= kFar * *uniformDistance) {
    return {
        "far", "far", *distance,
        fmt::format("mean distance is {:.2f} tokens, at least {} × the {:.2f} of uniform attention "
                    "under the same mask",
                    *distance, kFar, *uniformDistance)};
  }
  const Measured& entropy = metrics[Metric::entropy];  // defined wherever a row is measured
  return {"mixed", "mixed", std::nullopt,
          entropy ? "no rule for a label holds" : "there is nothing to name it by: " + entropy.why};
}

}  // namespace

Measured partnerWeight(HeadRows weights, const CountedRows& counted,
                       const std::vector<std::vector<Index>>& partners) {
  double sum = 0.0;
  Index rows = 0;
  for (const CountedRow& row : counted.rows) {
    const std::vector<Index>& keys = partners.at(static_cast<std::size_t>(row.row));
    if (keys.empty()) continue;
    const std::span<const float> shares = weights.row(row.row);
    for (const Index key : keys) sum += shares[static_cast<std::size_t>(key)];
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
                    std::span<const RelationScore> relations) {
  std::optional<HeadLabel> best;
  for (const Threshold& t : kRoles) {
    const Measured& measured = metrics[t.metric];
    if (!measured || *measured < t.atLeast || (best && *measured <= *best->score)) continue;
    best = labelBy(t, *measured);
  }
  for (const RelationScore& relation : relations) {
    const Measured& score = relation.score;
    if (!score || *score < kRole || (best && *score <= *best->score)) continue;
    best = {
        relation.name, relation.name, *score,
        fmt::format("the mean weight on where it is to look is {:.2f}, at least {}", *score, kRole),
        true};
  }
  return best ? *best : labelElse(metrics, uniformDistance);
}

std::vector<HeadLabel> headLabels(const Trace& trace, ItemChoice item,
                                  const std::vector<HeadMetrics>& metrics,
                                  const DeclaredRelations& relations) {
  const Measured uniform = uniformMeanDistance(trace.document(), item);
  std::vector<const DeclaredRelation*> declared;  // several heads may have one and the same
  const auto declare = [&](const DeclaredRelation& relation) {
    const bool known =
        std::any_of(declared.begin(), declared.end(),
                    [&](const DeclaredRelation* each) { return each->name == relation.name; });
    if (!known) declared.push_back(&relation);
  };
  for (const auto& relation : relations) {
    if (relation && relation->parts.empty()) declare(*relation);
    if (relation) std::for_each(relation->parts.begin(), relation->parts.end(), declare);
  }
  std::vector<HeadLabel> labels;
  for (std::size_t h = 0; h < metrics.size(); ++h) {
    std::vector<RelationScore> scores;
    bool ownHolds = false;
    for (const DeclaredRelation* each : declared) {
      RelationScore score{each->name, declaredScore(trace, item, static_cast<Index>(h), *each)};
      const bool own = h < relations.size() && isOf(relations[h], each->name);
      const bool holds = score.score && *score.score >= kRole;
      if (own && holds && !std::exchange(ownHolds, true)) scores.clear();
      if (own || !ownHolds) scores.push_back(std::move(score));
    }
    labels.push_back(headLabel(metrics[h], uniform, scores));
  }
  return labels;
}

std::vector<std::optional<RelationScore>> madeFor(const Trace& trace, ItemChoice item,
                                                  const DeclaredRelations& relations) {
  std::vector<std::optional<RelationScore>> made(static_cast<std::size_t>(trace.config().numHeads));
  for (std::size_t h = 0; h < std::min(made.size(), relations.size()); ++h) {
    if (!relations[h]) continue;
    made[h] = {relations[h]->name, declaredScore(trace, item, static_cast<Index>(h), *relations[h]),
               relations[h]->trained};
  }
  return made;
}

std::optional<HeadReport> headReport(const Trace& trace, ItemChoice item,
                                     const DeclaredRelations& relations,
                                     const Execution& execution) {
  auto metrics = headMetrics(trace, item, execution);
  if (!metrics) return std::nullopt;
  auto similarity = headSimilarity(trace, item, execution);
  if (!similarity) return std::nullopt;
  HeadReport report;
  report.metrics = std::move(*metrics);
  report.similarity = std::move(*similarity);
  report.labels = headLabels(trace, item, report.metrics, relations);
  report.madeFor = madeFor(trace, item, relations);
  return report;
}

}  // namespace headscope
