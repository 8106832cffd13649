#include "core/document/attention.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "core/attention/config.h"
#include "core/attention/ledger.h"
#include "core/attention/steps/score_rows.h"
#include "core/base/error.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/tensor/finite.h"

namespace headscope {
namespace {

[[noreturn]] void refuseOverflow(TensorId id, const Shape& index) {
  throw UserError(trFormat("{}[{}] does not fit a 32-bit float (it overflows 3.4e38): {}",
                           info(id).name, fmt::join(index, ", "),
                           id == TensorId::scores
                               ? tr("the temperature is too low for these scores, raise it")
                               : tr("the input or the weights are too large, scale them down")));
}

/// Refuses the first value that is not finite in scores that are not stored.
void checkRows(const AttentionTensors& tensors, TensorId id) {
  const AttentionConfig& c = tensors.config();
  Tensor row = Tensor::uninitialised({c.keys()});
  for (Index item = 0; item < c.batch; ++item) {
    for (Index head = 0; head < c.numHeads; ++head) {
      for (Index i = 0; i < c.seqLen; ++i) {
        tensors.tile(id, item, head, i, 1, 0, c.keys(), row.mutableData());
        if (const auto j = firstNotFinite(row)) refuseOverflow(id, {item, head, i, j->front()});
      }
    }
  }
}

/// Refuses the first result that overflowed, for a pass in which some did.
void refuseNotFinite(const AttentionTensors& tensors) {
  std::vector<TensorId> computed;
  for (const Step* step : stepsOf(tensors.config())) {
    // −∞ is no overflow in masked scores, and weights do not overflow
    const bool checked = step->id() != StepId::mask && step->id() != StepId::softmax;
    if (step->work() == StepWork::view || !checked) continue;
    for (const TensorId id : step->outputs()) computed.push_back(id);
  }
  for (const TensorId id : computed) {
    if (id == TensorId::scores || !tensors.holds(id)) {
      if (id != TensorId::scores || scalingMayOverflow(tensors.config())) checkRows(tensors, id);
      continue;
    }
    // heads lie in memory as (B,T,H,d_k): read in that order, named in their own
    const Tensor& tensor = tensors.tensor(id);
    const bool turned = !tensor.contiguous();
    auto index = firstNotFinite(turned ? tensor.transposed(1, 2) : tensor);
    if (!index) continue;
    if (turned) std::swap((*index)[1], (*index)[2]);
    refuseOverflow(id, *index);
  }
}

std::vector<FullyMaskedRow> fullyMaskedRows(const AttentionConfig& c) {
  std::vector<FullyMaskedRow> rows;
  if (c.mistakes.zeroForMasked) return rows;
  for (Index item = 0; item < c.batch; ++item) {
    for (const Index row : fullyMaskedQueries(c.mask, item, c.seqLen, c.keys())) {
      for (Index head = 0; head < c.numHeads; ++head) rows.push_back({item, head, row});
    }
  }
  return rows;
}

/// Records the outcome of the steps in the trace. Throws UserError where a result overflowed.
void finish(Trace& trace, const Trace* previous, StepsDone done) {
  if (done.overflowed) refuseNotFinite(trace);
  trace.steps = std::move(done.steps);
  trace.setPass(previous != nullptr ? previous->pass() + 1 : 1);
  for (std::size_t i = 0; i < kEveryTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    // the first pass has no tensor that this configuration lacks, either
    const bool fresh = previous == nullptr || done.changed[i];
    trace.setRevision(id, fresh ? trace.pass() : previous->revision(id));
  }
  const bool scoresChanged = done.changed[static_cast<std::size_t>(TensorId::maskedScores)];
  trace.fullyMaskedRows =
      scoresChanged ? fullyMaskedRows(trace.config()) : previous->fullyMaskedRows;
}

}  // namespace

void keepForPasses(BlockStore& memory, const Document& document) {
  const Ledger cost = ledger(document.config, document.scoreStorage);
  memory.keepFree(cost.resultBytes + denseBytes(document.config));
}

TracePtr runAttention(const DocumentPtr& document, const TracePtr& previous,
                      const ExecutionContext& execution) {
  if (execution.memory != nullptr) keepForPasses(*execution.memory, *document);
  return runLayerAttention(document, previous, execution);
}

TracePtr runLayerAttention(const DocumentPtr& document, const TracePtr& previous,
                           const ExecutionContext& given, PackedAfter packed) {
  const double start = clockSeconds();
  ExecutionContext execution = given;
  const int threads = threadsFor(ledger(document->config, document->scoreStorage).flops,
                                 execution.threads, execution.flopsPerThread);
  if (execution.memory == nullptr && document->scoreStorage != ScoreStorage::all) {
    // every piece of work takes and returns memory for its rows
    execution.memory = std::make_shared<BlockStore>();
    execution.memory->keepFree(threads * recentBlockBytes(document->config, ScoreStorage::none));
  }
  const ScopedThreadLimit limit(threads);
  const auto trace = std::make_shared<Trace>(document);
  std::optional<StepsDone> done = runSteps(*trace, previous.get(), execution);
  if (!done) return nullptr;
  finish(*trace, previous.get(), std::move(*done));
  if (packed == PackedAfter::dropped) trace->dropPacked();
  trace->ms = millisecondsSince(start);
  return trace;
}

}  // namespace headscope
