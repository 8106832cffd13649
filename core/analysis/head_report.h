// Head report: all that is said of the heads of a pass: their metrics, how alike they are, and of
// each head two things that are never mixed: what it was made or trained for, where its weights
// come with a declared relation, with the mean weight on the declared partner; and what it does
// here, measured.
//
// What it does here, its label, is the largest of previous_token, next_token, self,
// duplicate_token, induction, first_token and the declared relations' scores, where that is ≥ 0.5
// (of equal ones the first in this order) · else local ≥ 0.6 · normalized_entropy
// ≥ 0.95: uniform · mean_distance ≥ 1.25 × that of uniform attention under the same mask: far ·
// else mixed. All but the last three have to be told from chance as well, and all but mixed need
// rows enough, as `labelRule` says. What is not defined never wins; a head of which nothing can be
// told has no label. Other heads' relations take
// part where its own does not hold: on the few rows that they have they often cannot be told from
// what it does on many.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/head_metrics.h"
#include "core/analysis/rows.h"
#include "core/analysis/similarity.h"
#include "core/heads/declared_relations.h"

namespace headscope {

struct HeadLabel {
  std::string key;              // "previous_token", "uniform", "far", "mixed"; a relation's name;
                                // empty: no label
  std::string title;            // "previous token"; a relation's name; "not defined"
  std::optional<double> score;  // what the rule was held against; none for mixed
  std::string rule;             // why it is called so, or has no label, in words
  Index rows = 0;               // n: those measured that have at least two unmasked keys
  bool declared = false;        // a declared relation, of this head or of another

  bool defined() const { return !key.empty(); }
};

/// When a score is enough for a label, in one sentence.
std::string labelRule();

/// The mean weight, in the rows of a (T, M) matrix of weights, on each query's partners together,
/// over the rows that count and have some.
MetricValue partnerWeight(HeadRows weights, const CountedRows& counted,
                          const std::vector<std::vector<Index>>& partners);

/// The mean weight on the declared partners, 0 … 1, over the rows that count and have some; none
/// where the head's weights are no shares of 1 (rows.h).
MetricValue declaredScore(const Trace& trace, ItemChoice item, Index head,
                          const DeclaredRelation& relation);

/// The partners' weight under uniform attention, and over how many rows with at least two keys.
struct PartnerChance {
  double weight = 0.0;
  Index rows = 0;
};
PartnerChance partnerChance(const Document& document, ItemChoice item,
                            const DeclaredRelation& relation);

/// A declared relation, and the mean weight a head has on its partners.
struct RelationScore {
  std::string name;
  MetricValue score;
  bool trained = false;  // the head was trained for it, not made for it
  bool own = false;      // declared of this head
  PartnerChance chance{};
};

/// What a head does. `uniform`: the same metrics of uniform attention. `relations`: those that any
/// head of the layer declares, as this head has them.
HeadLabel headLabel(const HeadMetrics& metrics, const UniformMetrics& uniform,
                    std::span<const RelationScore> relations = {});

struct HeadReport {
  std::vector<HeadMetrics> metrics;                   // one per head
  std::vector<HeadLabel> labels;                      // likewise: what it does here
  std::vector<std::optional<RelationScore>> madeFor;  // likewise; none where nothing was declared
  HeadSimilarity similarity;
};

/// `relations` may be empty. Nothing where cancelled.
std::optional<HeadReport> headReport(const Trace& trace, ItemChoice item,
                                     const DeclaredRelations& relations,
                                     const ExecutionContext& execution = {});

/// The labels alone, of metrics that are there.
std::vector<HeadLabel> headLabels(const Trace& trace, ItemChoice item,
                                  const std::vector<HeadMetrics>& metrics,
                                  const DeclaredRelations& relations);
/// What each head was made or trained for, and how much of its weight is there.
std::vector<std::optional<RelationScore>> madeFor(const Trace& trace, ItemChoice item,
                                                  const DeclaredRelations& relations);

}  // namespace headscope
