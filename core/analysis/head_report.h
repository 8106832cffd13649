// Head report: all that is said of the heads of a pass: their metrics, how alike they are, and what
// each is called by its metrics: the first rule that holds, with the score that made it hold.
//
// In this order: a declared relation ≥ 0.5 · previous_token ≥ 0.5 · next_token ≥ 0.5 · self ≥ 0.5 ·
// duplicate_token ≥ 0.5 · induction ≥ 0.5 · first_token ≥ 0.5 · local ≥ 0.6 · normalized_entropy ≥
// 0.95: uniform · mean_distance ≥ 1.25 × that of uniform attention under the same mask: far · else
// mixed. What is not defined never wins. Where a designed head is not called by its relation, the
// rule says first why not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/head_metrics.h"
#include "core/analysis/rows.h"
#include "core/analysis/similarity.h"
#include "core/weights/declared_relations.h"

namespace headscope {

struct HeadLabel {
  std::string key;              // "previous_token", "uniform", "far", "mixed"; a relation's name
  std::string title;            // "previous token"; a relation's name
  std::optional<double> score;  // what the rule was held against; none for mixed
  std::string rule;             // why it is called so, in words
  bool declared = false;        // a designed head's own relation
};

/// The mean weight, in a (T, M) matrix of weights, on each query's partner, over the rows that
/// count and have one.
Measured partnerWeight(const ConstMatrixView& weights, const CountedRows& counted,
                       const std::vector<std::optional<Index>>& partners);

/// The mean weight on the declared partner, 0 … 1, over the rows that count and have one; none
/// where the head's weights are no shares of 1 (rows.h).
Measured declaredScore(const Trace& trace, ItemChoice item, Index head,
                       const DeclaredRelation& relation);

/// `uniformDistance` is that of uniformMeanDistance; `relation` may be null, `declared` is its
/// score.
HeadLabel headLabel(const HeadMetrics& metrics, const Measured& uniformDistance,
                    const DeclaredRelation* relation = nullptr, const Measured& declared = {});

struct HeadReport {
  std::vector<HeadMetrics> metrics;  // one per head
  std::vector<HeadLabel> labels;     // likewise
  HeadSimilarity similarity;
};

/// What each head is said to do, where it is a designed one; may be empty: none is.
using DeclaredRelations = std::vector<std::optional<DeclaredRelation>>;

/// Nothing where cancelled.
std::optional<HeadReport> headReport(const Trace& trace, ItemChoice item,
                                     const DeclaredRelations& relations,
                                     const Execution& execution = {});

/// The labels alone, of metrics that are there.
std::vector<HeadLabel> headLabels(const Trace& trace, ItemChoice item,
                                  const std::vector<HeadMetrics>& metrics,
                                  const DeclaredRelations& relations);

}  // namespace headscope
