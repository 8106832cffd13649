#include "core/analysis/head_report.h"

#include <cstddef>
#include <utility>

namespace headscope {

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
