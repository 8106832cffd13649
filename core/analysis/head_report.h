// Head report: all that is said of the heads of a pass, in one piece of work: their metrics, labels
// and how alike they are.
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/head_labels.h"
#include "core/analysis/similarity.h"
#include "core/weights/declared_relation.h"

namespace headscope {

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
