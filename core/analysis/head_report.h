// Head report: the metrics of a pass's heads, their similarity and, for each head, two separate
// findings. The first is the relation that the head was made or trained for, if its weights declare
// one, with the mean weight on the declared partner. The second is its label: the behaviour
// measured in this pass.
//
// The label is the largest of previous_token, next_token, self, duplicate_token, induction,
// first_token, of an image same_row, same_column and patch_local, and the declared relations'
// scores, where that is ≥ 0.5 (the first in this order on a tie) · else local ≥ 0.6 ·
// normalized_entropy ≥ 0.95: uniform · mean_distance ≥ 1.25 × that of uniform attention under the
// same mask: far · else mixed. All but the last three must also exceed chance, and all need enough
// rows (`labelRule`). An undefined metric never wins. A head has no label where no metric decides.
// The relations of other heads are considered only if the head's own does not hold: with few rows
// they are often hard to separate from a role with many rows.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/head_metrics.h"
#include "core/analysis/rows.h"
#include "core/analysis/similarity.h"
#include "core/attention/attention_tensors.h"
#include "core/base/translation.h"
#include "core/heads/declared_relations.h"

namespace headscope {

struct HeadLabel {
  std::string key;              // "previous_token", "uniform", "far", "mixed"; a relation's name;
                                // empty: no label
  std::string title;            // "previous token"; a relation's name; "not defined"
  std::optional<double> score;  // the score that the rule compares; none for mixed
  std::string rule;             // the reason for the label or for its absence, in words
  Index rows = 0;               // n: measured rows with at least two unmasked keys
  bool declared = false;        // a declared relation, of this head or of another

  bool defined() const { return !key.empty(); }
};

/// The conditions for a label, in one sentence.
std::string labelRule();

/// The total weight on a query's partners in a (T, M) matrix of weights, as a mean over the counted
/// rows that have partners; undefined, for the reason `whyNone`, where none has.
inline constexpr const char* kNoPartner = trLater("no token has a target to look at");
inline constexpr const char* kHiddenByMask = trLater("the mask forbids every target");
MetricValue partnerWeight(HeadRows weights, const CountedRows& counted,
                          const std::vector<std::vector<Index>>& partners,
                          const std::string& whyNone = tr(kNoPartner));

/// The mean weight on the declared partners, 0 … 1, over the counted rows that have partners; none
/// where the head's weights are no shares of 1 (rows.h).
MetricValue declaredScore(const Trace& trace, ItemChoice item, Index head,
                          const DeclaredRelation& relation);

/// The mean weight on the partners under uniform attention, and the number of its rows with at
/// least two keys.
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
  DeclaredRelation::Origin origin = DeclaredRelation::Origin::designed;
  bool own = false;  // declared of this head
  PartnerChance chance{};
};

/// Returns whether a head follows a relation so closely that the relation's name is true of it.
bool holds(const RelationScore& relation);
/// Returns whether it does not, but has at least half of the score that this takes.
bool isWeak(const RelationScore& relation);

/// Returns the label of a head. `uniform`: the metrics of uniform attention. `relations`: all
/// relations that the layer's heads declare, with the scores of this head.
HeadLabel headLabel(const HeadMetrics& metrics, const UniformMetrics& uniform,
                    std::span<const RelationScore> relations = {});

struct HeadReport {
  std::vector<HeadMetrics> metrics;  // one per head
  std::vector<HeadLabel> labels;     // likewise: its measured behaviour
  /// One per head: the relation that it was designed or trained for, or learned; none where nothing
  /// was declared.
  std::vector<std::optional<RelationScore>> designedPurposes;
  HeadSimilarity similarity;
  bool patches = false;  // the tokens are patches of an image
};

/// `relations` may be empty. Nothing where cancelled.
std::optional<HeadReport> headReport(const Trace& trace, ItemChoice item,
                                     const DeclaredRelations& relations,
                                     const ExecutionContext& execution = {});

/// Computes only the labels, from given metrics.
std::vector<HeadLabel> headLabels(const Trace& trace, ItemChoice item,
                                  const std::vector<HeadMetrics>& metrics,
                                  const DeclaredRelations& relations);
/// The relation that each head was designed or trained for, or learned, with the mean weight on its
/// partners.
std::vector<std::optional<RelationScore>> designedPurposes(const Trace& trace, ItemChoice item,
                                                           const DeclaredRelations& relations);

}  // namespace headscope
