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

HeadCountMeasure::HeadCountMeasure(const Document& document, Index heads, Index memoryBudgetBytes,
                                   const Execution& execution)
    : execution_(execution) {
  point_.heads = heads;
  try {
    document_ = withHeads(document, heads, memoryBudgetBytes);
    point_.cost = headCountCost(document_->config, document_->scoresHeld);
  } catch (const UserError& error) {
    refuse(error);
  }
}

bool HeadCountMeasure::goOn(double seconds) {
  if (complete_) return true;
  try {
    return measure(clockSeconds() + seconds);
  } catch (const UserError& error) {
    refuse(error);
    return true;
  }
}

/// True where it has ended or was cancelled.
bool HeadCountMeasure::measure(double until) {
  while (!loops_) {
    if (!pass_) {
      trace_ = nullptr;  // two passes at once might not fit
      pass_.emplace(document_, nullptr, execution_);
    }
    if (!pass_->goOn(until - clockSeconds())) return false;
    trace_ = pass_->trace();
    pass_.reset();
    if (!trace_) return true;
    point_.ms = point_.runs == 0 ? trace_->ms : std::min(point_.ms, trace_->ms);
    totalMs_ += trace_->ms;
    ++point_.runs;
    if (totalMs_ >= kHeadCountMs || point_.runs == kMostHeadCountRuns) {
      point_.heldBytes = bytesHeldBy(*trace_);
      addHeadSimilarity(loops_.emplace(), *trace_, {}, execution_, similarity_);
    }
    if (clockSeconds() >= until) return false;
  }
  if (!loops_->goOn(execution_, until)) return execution_.stop();
  if (similarity_.defined()) {
    point_.tree = clusterHeads(similarity_);
  } else {
    point_.why = similarity_.why;
  }
  complete_ = true;
  return true;
}

void HeadCountMeasure::refuse(const UserError& error) {
  point_.why = error.what();
  complete_ = true;
}

std::optional<HeadCountPoint> measureHeadCount(const Document& document, Index heads,
                                               Index memoryBudgetBytes,
                                               const Execution& execution) {
  HeadCountMeasure measure(document, heads, memoryBudgetBytes, execution);
  measure.goOn();
  return measure.point();
}

}  // namespace headscope
