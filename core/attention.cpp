#include "core/attention.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "core/clock.h"
#include "core/finite.h"
#include "core/ledger.h"
#include "core/threads.h"

namespace headscope {
namespace {

/// Which operands of the document differ from those of the previous trace; all without one.
Changes changedOperands(const Trace& trace, const Trace* previous) {
  Changes changes;
  for (std::size_t i = 0; i < kFirstResult; ++i) {
    const auto id = static_cast<TensorId>(i);
    changes.tensors[i] = previous == nullptr || !trace.tensor(id).sameAs(previous->tensor(id));
  }
  return changes;
}

void noteFullyMaskedRows(Trace& trace) {
  const AttentionConfig& c = trace.config();
  trace.fullyMaskedRows.clear();
  if (c.mask.none() || c.mistakes.zeroForMasked) return;
  for (Index item = 0; item < c.batch; ++item) {
    for (Index row = 0; row < c.seqLen; ++row) {
      if (allowedKeys(c.mask, item, row, c.keys()).count() > 0) continue;
      for (Index head = 0; head < c.numHeads; ++head) {
        trace.fullyMaskedRows.push_back({item, head, row});
      }
    }
  }
}

[[noreturn]] void refuseOverflow(TensorId id, const Shape& index) {
  throw UserError(fmt::format("{}[{}] does not fit a 32-bit float (it overflows 3.4e38): {}",
                              info(id).name, fmt::join(index, ", "),
                              id == TensorId::scores
                                  ? "the temperature is too low for these scores, raise it"
                                  : "the input or the weights are too large, scale them down"));
}

/// Scores are not stored; finite raw scores leave float32 only where they are multiplied up.
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

/// Finite inputs give finite results unless a product overflows float32; then say where.
void checkFinite(const Trace& trace, const Changes& changed) {
  for (const TensorId id : {TensorId::qProj, TensorId::kProj, TensorId::vProj, TensorId::rawScores,
                            TensorId::scores, TensorId::heads, TensorId::output}) {
    if (!changed[id]) continue;
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

}  // namespace

TracePtr runAttention(const DocumentPtr& document, const TracePtr& previous,
                      const Execution& execution) {
  const double start = clockSeconds();
  // by the configuration alone, so that a part recomputed has the bits of the whole
  const ThreadCount threads(threadsFor(ledger(document->config).flops, execution.threads));
  auto trace = std::make_shared<Trace>(document);
  const AttentionConfig& config = document->config;

  Changes changes = changedOperands(*trace, previous.get());
  const std::uint64_t pass = previous ? previous->pass() + 1 : 1;
  trace->setPass(pass);
  const auto note = [&](TensorId id) {
    trace->setRevision(id, changes[id] ? pass : previous->revision(id));
  };
  for (std::size_t i = 0; i < kFirstResult; ++i) note(static_cast<TensorId>(i));

  for (const Step* step : allSteps()) {
    const double stepStart = clockSeconds();
    StepRun& run = trace->steps[static_cast<std::size_t>(step->id())];
    const auto outputs = step->outputs();
    if (previous) {
      for (const TensorId id : outputs) trace->put(id, previous->tensor(id));
    }
    changes.settings = !previous || step->settingsChanged(previous->document(), *document);
    run.ran = changes.settings || changes.any(step->inputs(config));
    if (run.ran) {
      std::array<Tensor, 3> kept;
      for (std::size_t i = 0; i < outputs.size(); ++i) kept[i] = trace->tensor(outputs[i]);
      step->forward(*trace, changes, execution);
      if (execution.stop()) return nullptr;
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        const Tensor& now = trace->tensor(outputs[i]);
        changes.tensors[static_cast<std::size_t>(outputs[i])] = now.empty() || !now.sameAs(kept[i]);
      }
      run.ms = millisecondsSince(stepStart);
    }
    for (const TensorId id : outputs) note(id);
    if (execution.stepsDone != nullptr) ++*execution.stepsDone;
  }

  if (previous && !changes[TensorId::maskedScores]) {
    trace->fullyMaskedRows = previous->fullyMaskedRows;
  } else {
    noteFullyMaskedRows(*trace);
  }
  checkFinite(*trace, changes);
  trace->ms = millisecondsSince(start);
  return trace;
}

}  // namespace headscope
