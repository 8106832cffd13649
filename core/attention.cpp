#include "core/attention.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "core/error.h"
#include "core/finite.h"
#include "core/ledger.h"
#include "core/pass.h"
#include "core/threads.h"

namespace headscope {
namespace {

[[noreturn]] void refuseOverflow(TensorId id, const Shape& index) {
  throw UserError(fmt::format("{}[{}] does not fit a 32-bit float (it overflows 3.4e38): {}",
                              info(id).name, fmt::join(index, ", "),
                              id == TensorId::scores
                                  ? "the temperature is too low for these scores, raise it"
                                  : "the input or the weights are too large, scale them down"));
}

/// Scores are not stored.
void checkScores(const Trace& trace) {
  const AttentionConfig& c = trace.config();
  if (c.scoreMultiplier() <= 1.0F) return;
  Tensor row = Tensor::uninitialised({c.keys()});
  for (Index item = 0; item < c.batch; ++item) {
    for (Index head = 0; head < c.numHeads; ++head) {
      for (Index i = 0; i < c.seqLen; ++i) {
        trace.tile(TensorId::scores, item, head, i, 1, 0, c.keys(), row.mutableData());
        if (const auto j = firstNotFinite(row)) {
          refuseOverflow(TensorId::scores, {item, head, i, j->front()});
        }
      }
    }
  }
}

/// The first result that overflowed, for one where some did.
void refuseNotFinite(const Trace& trace) {
  for (const TensorId id : {TensorId::qProj, TensorId::kProj, TensorId::vProj, TensorId::rawScores,
                            TensorId::scores, TensorId::heads, TensorId::output}) {
    if (id == TensorId::scores) {
      checkScores(trace);
      continue;
    }
    // heads lie in memory as (B,T,H,d_k): read in that order, named in their own
    const Tensor& tensor = trace.tensor(id);
    const bool turned = !tensor.contiguous();
    auto index = firstNotFinite(turned ? tensor.transposed(1, 2) : tensor);
    if (!index) continue;
    if (turned) std::swap((*index)[1], (*index)[2]);
    refuseOverflow(id, *index);
  }
}

std::vector<FullyMaskedRow> fullyMaskedRows(const AttentionConfig& c) {
  std::vector<FullyMaskedRow> rows;
  if (c.mask.none() || c.mistakes.zeroForMasked) return rows;
  for (Index item = 0; item < c.batch; ++item) {
    for (Index row = 0; row < c.seqLen; ++row) {
      if (allowedKeys(c.mask, item, row, c.keys()).any()) continue;
      for (Index head = 0; head < c.numHeads; ++head) rows.push_back({item, head, row});
    }
  }
  return rows;
}

}  // namespace

TracePtr runAttention(const DocumentPtr& document, const TracePtr& previous,
                      const Execution& execution) {
  const double start = clockSeconds();
  const ThreadCount threads(
      threadsFor(ledger(document->config).flops, execution.threads, execution.flopsPerThread));
  Pass pass(document, previous.get(), execution);
  const std::shared_ptr<Trace> trace = pass.run();
  if (trace == nullptr) return nullptr;
  if (pass.overflowed()) refuseNotFinite(*trace);
  trace->fullyMaskedRows = previous && trace->change(TensorId::maskedScores).isNone()
                               ? previous->fullyMaskedRows
                               : fullyMaskedRows(trace->config());
  trace->ms = millisecondsSince(start);
  return trace;
}

}  // namespace headscope
