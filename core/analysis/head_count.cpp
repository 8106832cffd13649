#include "core/analysis/head_count.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <variant>

#include "core/attention.h"
#include "core/edit.h"
#include "core/error.h"
#include "core/ledger.h"

namespace headscope {
namespace {

constexpr double kHeadCountMs = 100.0;
constexpr int kMostHeadCountRuns = 1000;

Index bytesHeldBy(const Trace& trace) {
  Index bytes = 0;
  for (const TensorId id : {TensorId::qProj, TensorId::kProj, TensorId::vProj, TensorId::rawScores,
                            TensorId::weights, TensorId::heads, TensorId::output}) {
    bytes += trace.tensor(id).size() * static_cast<Index>(sizeof(float));
  }
  if (trace.holds(TensorId::rawScores)) return bytes;
  for (const TensorId id : {scoredKeys(trace.config()), TensorId::v}) {
    bytes += trace.dense(id).size() * static_cast<Index>(sizeof(float));
  }
  return bytes;
}

}  // namespace

std::vector<Index> headCounts(const AttentionConfig& config) {
  std::vector<Index> counts;
  for (Index heads = 1; heads <= std::min(config.dModel, kMostHeadsCounted); ++heads) {
    if (config.dModel % heads == 0) counts.push_back(heads);
  }
  const bool divides = config.dModel % config.numHeads == 0;
  if (divides && config.numHeads > kMostHeadsCounted) counts.push_back(config.numHeads);
  return counts;
}

std::optional<Index> HeadCountPoint::distinct(double similarity) const {
  if (!tree) return std::nullopt;
  return clustersAt(*tree, similarity).count;
}

HeadCountCost headCountCost(const AttentionConfig& config, ScoresHeld held) {
  const Ledger costs = ledger(config, held);
  HeadCountCost cost;
  cost.parameters = costs.parameters.total;
  cost.flops = costs.flops;
  cost.residentBytes = costs.residentBytes;
  cost.scoreValues = config.batch * config.numHeads * config.seqLen * config.keys();
  for (const Ledger::Row& row : costs.steps) {
    const StepId id = row.step->id();
    if (id == StepId::project || id == StepId::output) cost.projectionFlops += row.cost.flops;
  }
  return cost;
}

DocumentPtr withHeads(const Document& document, Index heads, Index memoryBudgetBytes) {
  Document plain = document;  // shares its tensors
  plain.pins = {};
  plain.config.headGains.clear();
  return apply(plain, SetDimensions{document.config.dModel, heads, heads}, memoryBudgetBytes)
      .document;
}

std::optional<HeadCountPoint> measureHeadCount(const Document& document, Index heads,
                                               Index memoryBudgetBytes,
                                               const Execution& execution) {
  HeadCountPoint point;
  point.heads = heads;
  try {
    const DocumentPtr other = withHeads(document, heads, memoryBudgetBytes);
    point.cost = headCountCost(other->config, other->scoresHeld);
    TracePtr trace;
    double total = 0.0;
    do {
      trace = nullptr;  // two passes at once might not fit
      trace = runAttention(other, nullptr, execution);
      if (!trace) return std::nullopt;
      point.ms = point.runs == 0 ? trace->ms : std::min(point.ms, trace->ms);
      total += trace->ms;
      ++point.runs;
    } while (total < kHeadCountMs && point.runs < kMostHeadCountRuns);
    point.heldBytes = bytesHeldBy(*trace);
    auto similarity = headSimilarity(*trace, {}, execution);
    if (!similarity) return std::nullopt;
    if (similarity->defined()) {
      point.tree = clusterHeads(*similarity);
    } else {
      point.why = similarity->why;
    }
  } catch (const UserError& error) {
    point.why = error.what();
  }
  return point;
}

}  // namespace headscope
