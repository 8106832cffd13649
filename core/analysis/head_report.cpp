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
#include "core/attention/config.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"

namespace headscope {

namespace {

constexpr double kFar = 1.25;

constexpr Index kLeastRows = 3;
// The fewest rows for a relation that the head itself declares: the hypothesis precedes the
// measurement.
constexpr Index kOwnLeastRows = 1;
constexpr double kRole = 0.5;
constexpr double kAboveChance = 0.4;  // of the way from chance to 1: "moderate agreement" as kappa

struct Threshold {
  Metric metric;
  const char* key;
  const char* title;
  double atLeast = kRole;
};

constexpr const char* kFirstToken = "first_token";

/// The roles. The one with the largest score that passes its threshold labels the head.
constexpr Threshold kRoles[] = {
    {Metric::previousToken, "previous_token", trLater("previous token")},
    {Metric::nextToken, "next_token", trLater("next token")},
    {Metric::self, "self", trLater("self")},
    {Metric::duplicateToken, "duplicate_token", trLater("duplicate token")},
    {Metric::induction, "induction", trLater("induction")},
    {Metric::firstToken, kFirstToken, trLater("first token")},
    {Metric::sameRow, "same_row", trLater("same row")},
    {Metric::sameColumn, "same_column", trLater("same column")},
    {Metric::patchLocal, "patch_local", trLater("neighbouring patches")},
};
constexpr Threshold kLocal{Metric::local, "local", trLater("local"), 0.6};
constexpr Threshold kUniform{Metric::normalizedEntropy, "uniform", trLater("uniform"), 0.95};

/// Returns a title with a small first letter, for use within a sentence.
std::string inSentence(std::string title) {
  title.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(title.front())));
  return title;
}

std::string rowsInWords(Index rows) { return counted(rows, tr("{} row"), tr("{} rows")); }
/// The rows with two or more keys. Most metrics are means over the others, too.
std::string choicesInWords(Index rows) {
  return counted(rows, tr("{} row has a choice"), tr("{} rows have a choice"));
}

/// A score and the threshold and chance that it is compared with.
struct Claim {
  std::string key, title;
  std::string measure;  // what the score is of, in words
  MetricValue score;
  double chance = 0.0;
  Index rows = 0;
  Index leastRows = kLeastRows;
  double atLeast = kRole;
  bool declared = false;

  double least() const { return std::max(atLeast, chance + kAboveChance * (1.0 - chance)); }
  bool holds() const { return score && rows >= leastRows && chance < 1.0 && *score >= least(); }
  HeadLabel label() const {
    return {key,
            title,
            *score,
            trFormat("{} is {:.2f}, at least {:.2f} (uniform attention: {:.2f}); {}", measure,
                     *score, least(), chance, choicesInWords(rows)),
            rows,
            declared};
  }
};

Claim claimOf(const Threshold& t, const HeadMetrics& metrics, const UniformMetrics& uniform) {
  return {t.key,
          tr(t.title),
          inSentence(std::string(tr(info(t.metric).title))),
          metrics[t.metric],
          uniform[t.metric].value.value_or(0.0),
          uniform.rowsOf(t.metric),
          kLeastRows,
          t.atLeast};
}

Claim claimOf(const RelationScore& relation) {
  return {relation.name,
          std::string(tr(relation.name)),
          tr("the mean weight on its targets"),
          relation.score,
          relation.chance.weight,
          relation.chance.rows,
          relation.own ? kOwnLeastRows : kLeastRows,
          kRole,
          true};
}

MetricValue declaredScoreOf(const Trace& trace, Index item, Index head,
                            const DeclaredRelation& relation) {
  const CountedRows counted = countedRows(trace.document(), item);
  const std::string noShares = whyNotDistribution(trace, item, head, counted);
  if (!noShares.empty()) return MetricValue::undefined(noShares);
  return partnerWeight(HeadRows(trace, TensorId::weights, item, head), counted,
                       relation.partners.at(static_cast<std::size_t>(item)),
                       !relation.whyNone.empty() ? relation.whyNone
                       : relation.hiddenByMask   ? kHiddenByMask
                                                 : kNoPartner);
}

bool isOf(const std::optional<DeclaredRelation>& relation, const std::string& name) {
  if (!relation) return false;
  return relation->name == name ||
         std::any_of(relation->parts.begin(), relation->parts.end(),
                     [&](const DeclaredRelation& part) { return part.name == name; });
}

/// The chance over the rows of one item that have partners; none where no row has one.
std::optional<PartnerChance> partnerChanceOf(const Document& document, Index item,
                                             const DeclaredRelation& relation) {
  PartnerChance chance;
  Index rows = 0;
  const auto& partners = relation.partners.at(static_cast<std::size_t>(item));
  const CountedRows counted = countedRows(document, item);
  for (const CountedRow& row : counted.rows) {
    const std::vector<Index>& keys = partners.at(static_cast<std::size_t>(row.row));
    if (keys.empty()) continue;
    const auto allowed = std::count_if(keys.begin(), keys.end(), row.keys);
    chance.weight += static_cast<double>(allowed) / static_cast<double>(row.keyCount);
    if (row.keyCount > 1) ++chance.rows;
    ++rows;
  }
  if (rows == 0) return std::nullopt;
  chance.weight /= static_cast<double>(rows);
  return chance;
}

HeadLabel noLabel(std::string why, Index rows) {
  return {"", tr("not defined"), std::nullopt, std::move(why), rows};
}

/// Returns the label of a head that has no role.
HeadLabel labelElse(const HeadMetrics& metrics, const UniformMetrics& uniform) {
  const Index rows = uniform.rowsOf(Metric::normalizedEntropy);  // all that have a choice
  const MetricValue& entropy = metrics[Metric::entropy];         // defined wherever a row is
  if (!entropy) return noLabel(entropy.why, rows);
  if (rows < kLeastRows) {
    return noLabel(trFormat("{} two or more keys to choose between, and a label needs {} rows",
                            rows == 0   ? tr("no row has")
                            : rows == 1 ? tr("only 1 row has")
                                        : trFormat("only {} rows have", rows),
                            kLeastRows),
                   rows);
  }
  if (const Claim local = claimOf(kLocal, metrics, uniform); local.holds()) return local.label();
  const MetricValue& evenness = metrics[kUniform.metric];
  if (evenness && *evenness >= kUniform.atLeast) {
    return {kUniform.key, tr(kUniform.title), *evenness,
            trFormat("normalized entropy is {:.2f} over {}, at least {}", *evenness,
                     rowsInWords(rows), kUniform.atLeast),
            rows};
  }
  const MetricValue& distance = metrics[Metric::meanDistance];
  const MetricValue& evenDistance = uniform[Metric::meanDistance];
  if (distance && evenDistance && *evenDistance > 0.0 && *distance >= kFar * *evenDistance) {
    return {
        "far", "far", *distance,
        trFormat("mean distance is {:.2f} tokens, at least {} × the {:.2f} of uniform attention "
                 "under the same mask; {}",
                 *distance, kFar, *evenDistance, choicesInWords(rows)),
        rows};
  }
  return {"mixed", tr("mixed"), std::nullopt, tr("no rule for a label holds"), rows};
}

}  // namespace

MetricValue partnerWeight(HeadRows weights, const CountedRows& counted,
                          const std::vector<std::vector<Index>>& partners,
                          const std::string& whyNone) {
  double sum = 0.0;
  Index rows = 0;
  for (const CountedRow& row : counted.rows) {
    const std::vector<Index>& keys = partners.at(static_cast<std::size_t>(row.row));
    if (keys.empty()) continue;
    const std::span<const float> shares = weights.row(row.row);
    for (const Index key : keys) sum += shares[static_cast<std::size_t>(key)];
    ++rows;
  }
  if (rows == 0) return MetricValue::undefined(whyNone);
  return {sum / static_cast<double>(rows), {}};
}

MetricValue declaredScore(const Trace& trace, ItemChoice item, Index head,
                          const DeclaredRelation& relation) {
  if (item) return declaredScoreOf(trace, *item, head, relation);
  std::vector<MetricValue> items;
  for (Index i = 0; i < trace.config().batch; ++i) {
    items.push_back(declaredScoreOf(trace, i, head, relation));
  }
  return meanOf(items);
}

PartnerChance partnerChance(const Document& document, ItemChoice item,
                            const DeclaredRelation& relation) {
  if (item) return partnerChanceOf(document, *item, relation).value_or(PartnerChance{});
  PartnerChance all;
  Index items = 0;
  for (Index i = 0; i < document.config.batch; ++i) {
    const auto one = partnerChanceOf(document, i, relation);
    if (!one) continue;
    all.weight += one->weight;
    all.rows += one->rows;
    ++items;
  }
  if (items > 0) all.weight /= static_cast<double>(items);
  return all;
}

std::string labelRule() {
  return trFormat(
      "A label needs n ≥ {} rows with two or more keys to choose between, or n ≥ {} for a relation "
      "that the head was designed for, trained for, or learned. Its score must be at least {}, and "
      "lie at least {:g} % of the way from chance to 1. Chance is the score of uniform attention "
      "under the same mask over the same rows.",
      kLeastRows, kOwnLeastRows, kRole, 100.0 * kAboveChance);
}

bool holds(const RelationScore& relation) { return claimOf(relation).holds(); }

bool isWeak(const RelationScore& relation) {
  const Claim claim = claimOf(relation);
  return claim.score && !claim.holds() && *claim.score >= 0.5 * claim.least();
}

HeadLabel headLabel(const HeadMetrics& metrics, const UniformMetrics& uniform,
                    std::span<const RelationScore> relations) {
  std::optional<HeadLabel> best;
  const auto take = [&best](const Claim& claim) {
    if (claim.holds() && (!best || *claim.score > *best->score)) best = claim.label();
  };
  for (const Threshold& t : kRoles) take(claimOf(t, metrics, uniform));
  for (const RelationScore& relation : relations) take(claimOf(relation));
  return best ? *best : labelElse(metrics, uniform);
}

std::vector<HeadLabel> headLabels(const Trace& trace, ItemChoice item,
                                  const std::vector<HeadMetrics>& metrics,
                                  const DeclaredRelations& relations) {
  const UniformMetrics uniform = uniformMetrics(trace.document(), item);
  std::vector<const DeclaredRelation*> declared;  // distinct; several heads may share one
  std::vector<PartnerChance> chances;             // likewise
  const auto declare = [&](const DeclaredRelation& relation) {
    const bool known =
        std::any_of(declared.begin(), declared.end(),
                    [&](const DeclaredRelation* each) { return each->name == relation.name; });
    if (known) return;
    declared.push_back(&relation);
    chances.push_back(partnerChance(trace.document(), item, relation));
  };
  for (const auto& relation : relations) {
    if (relation && relation->parts.empty()) declare(*relation);
    if (relation) std::for_each(relation->parts.begin(), relation->parts.end(), declare);
  }
  std::vector<HeadLabel> labels;
  for (std::size_t h = 0; h < metrics.size(); ++h) {
    std::vector<RelationScore> scores;
    bool ownHolds = false;
    for (std::size_t r = 0; r < declared.size(); ++r) {
      const DeclaredRelation& each = *declared[r];
      RelationScore score{each.name, declaredScore(trace, item, static_cast<Index>(h), each)};
      score.own = h < relations.size() && isOf(relations[h], each.name);
      score.chance = chances[r];
      if (score.own && claimOf(score).holds() && !std::exchange(ownHolds, true)) scores.clear();
      if (score.own || !ownHolds) scores.push_back(std::move(score));
    }
    labels.push_back(headLabel(metrics[h], uniform, scores));
    // the first token of an image is the class token, where tokens stand before its patches
    HeadLabel& label = labels.back();
    if (label.key == kFirstToken && trace.document().input->patches.first > 0) {
      label.title = tr("class token");
    }
  }
  return labels;
}

std::vector<std::optional<RelationScore>> designedPurposes(const Trace& trace, ItemChoice item,
                                                           const DeclaredRelations& relations) {
  std::vector<std::optional<RelationScore>> made(static_cast<std::size_t>(trace.config().numHeads));
  for (std::size_t h = 0; h < std::min(made.size(), relations.size()); ++h) {
    if (!relations[h]) continue;
    made[h] = {relations[h]->name, declaredScore(trace, item, static_cast<Index>(h), *relations[h]),
               relations[h]->origin, true, partnerChance(trace.document(), item, *relations[h])};
  }
  return made;
}

std::optional<HeadReport> headReport(const Trace& trace, ItemChoice item,
                                     const DeclaredRelations& relations,
                                     const ExecutionContext& execution) {
  auto metrics = headMetrics(trace, item, execution);
  if (!metrics) return std::nullopt;
  auto similarity = headSimilarity(trace, item, execution);
  if (!similarity) return std::nullopt;
  HeadReport report;
  report.patches = trace.document().input->patches.on();
  report.metrics = std::move(*metrics);
  report.similarity = std::move(*similarity);
  report.labels = headLabels(trace, item, report.metrics, relations);
  report.designedPurposes = designedPurposes(trace, item, relations);
  return report;
}

}  // namespace headscope
