#include "core/studies/head_count.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <variant>

#include "core/attention/ledger.h"
#include "core/base/error.h"
#include "core/document/attention.h"
#include "core/editing/edit.h"
#include "core/editing/make_document.h"

namespace headscope {
namespace {

constexpr double kHeadCountMs = 100.0;
constexpr int kMostHeadCountRuns = 1000;
// The first runs wait for memory and for generated kernels; the best of some is no outlier.
constexpr int kFewestHeadCountRuns = 5;
constexpr double kLongMs = 1000.0;  // after this much time one run is enough

Index bytesHeldBy(const Trace& trace) {
  Index bytes = 0;
  for (const TensorId id : {TensorId::qProj, TensorId::kProj, TensorId::vProj, TensorId::rawScores,
                            TensorId::weights, TensorId::heads, TensorId::output}) {
    bytes += trace.tensor(id).size() * static_cast<Index>(sizeof(float));
  }
  if (trace.holds(TensorId::rawScores)) return bytes;
  return bytes + trace.dense(scoredKeys(trace.config())).size() * static_cast<Index>(sizeof(float));
}

/// A copy of the document with X and the memory at new addresses. A pass after one of the document
/// then finds a changed input and unchanged weights.
DocumentPtr withCopiedInput(const Document& document) {
  Input input = *document.input;
  input.x = input.x.clone();
  input.memory = input.memory.clone();
  Document repeated = document;
  repeated.input = std::make_shared<const Input>(std::move(input));
  return std::make_shared<const Document>(std::move(repeated));
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

HeadCountCost headCountCost(const AttentionConfig& config, ScoreStorage held) {
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

DocumentPtr withHeads(const Document& document, Index heads, Index memoryBudgetBytes,
                      const WeightMaker& make) {
  Document plain = document;  // shares its tensors
  plain.pins = {};
  plain.config.headGains.clear();
  const SetDimensions dimensions{document.config.dModel, heads, heads};
  return apply(plain, dimensions, memoryBudgetBytes, make).document;
}

HeadCountMeasure::HeadCountMeasure(const Document& document, Index heads, Index memoryBudgetBytes,
                                   const ExecutionContext& execution,
                                   std::shared_ptr<LearnedLayers> layers)
    : execution_(execution),
      from_(document),
      memoryBudgetBytes_(memoryBudgetBytes),
      layers_(layers != nullptr ? std::move(layers) : std::make_shared<LearnedLayers>()) {
  point_.heads = heads;
  const auto make = [this](const Document& d, WeightInit init, std::uint64_t seed) {
    if (init != WeightInit::learned) return drawWeightsFor(d, init, seed);
    if (auto ready = layers_->find(d.config, trainingDomainOf(d), seed)) return *ready;
    const training::LearningSettings settings = training::usualSettings(trainingDomainOf(d));
    learner_ = std::make_unique<training::LayerLearner>(d.config, seed, settings);
    return learner_->weights();  // until it has learned
  };
  try {
    document_ = withHeads(document, heads, memoryBudgetBytes, make);
    point_.cost = headCountCost(document_->config, document_->scoreStorage);
  } catch (const UserError& error) {
    refuse(error);
  }
}

bool HeadCountMeasure::runUnit() {
  if (complete_) return true;
  try {
    if (learner_ != nullptr) {
      learn();
    } else if (runsAgain()) {
      runPass();
    } else {
      compareHeads();
    }
  } catch (const UserError& error) {
    refuse(error);
  }
  return complete_ || execution_.stop();
}

bool HeadCountMeasure::runsAgain() const {
  const double most = point_.runs < kFewestHeadCountRuns ? kLongMs : kHeadCountMs;
  return totalMs_ < most && point_.runs < kMostHeadCountRuns;
}

/// Takes a learning step; after the last one the document gets the weights.
void HeadCountMeasure::learn() {
  if (!learner_->step(execution_) || !learner_->done()) return;
  const auto make = [this](const Document& d, WeightInit init, std::uint64_t seed) {
    if (init != WeightInit::learned) return drawWeightsFor(d, init, seed);
    Weights weights = learner_->weights();
    layers_->keep(LearnedSizes(d.config, trainingDomainOf(d), seed), weights);
    return weights;
  };
  document_ = withHeads(from_, point_.heads, memoryBudgetBytes_, make);
  learner_.reset();
}

void HeadCountMeasure::runPass() {
  if (!trace_) execution_.memory = std::make_shared<BlockStore>();
  keepForPasses(*execution_.memory, *document_);
  TracePtr trace =
      runLayerAttention(trace_ ? withCopiedInput(*document_) : document_, trace_, execution_);
  if (!trace) return;  // cancelled
  trace_ = std::move(trace);
  point_.ms = point_.runs == 0 ? trace_->ms : std::min(point_.ms, trace_->ms);
  totalMs_ += trace_->ms;
  ++point_.runs;
}

void HeadCountMeasure::compareHeads() {
  point_.heldBytes = bytesHeldBy(*trace_);
  const auto similarity = headSimilarity(*trace_, {}, execution_);
  if (!similarity) return;  // cancelled
  if (similarity->defined()) {
    point_.tree = clusterHeads(*similarity);
  } else {
    point_.why = similarity->why;
  }
  complete_ = true;
}

void HeadCountMeasure::refuse(const UserError& error) {
  point_.why = error.what();
  complete_ = true;
}

std::optional<HeadCountPoint> measureHeadCount(const Document& document, Index heads,
                                               Index memoryBudgetBytes,
                                               const ExecutionContext& execution) {
  HeadCountMeasure measure(document, heads, memoryBudgetBytes, execution);
  while (!measure.runUnit()) continue;
  return measure.point();
}

}  // namespace headscope
