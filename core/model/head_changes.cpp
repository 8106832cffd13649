#include "core/model/head_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/model/blocks.h"
#include "core/model/overflow.h"
#include "core/tensor/gemm.h"

namespace headscope::model {
namespace {

/// Returns whether a head reads the query, key or value that a patch replaces.
bool reads(const AttentionConfig& config, Index head, const Patch& patch) {
  return patch.head == (patch.site == Site::q ? head : config.kvHead(head));
}

/// The outputs of the heads that read a replaced query, key or value, by the steps behind the
/// projections; those of other heads hold no numbers. Empty where cancelled.
Tensor headsWith(const Trace& own, const Patch& patch, const ExecutionContext& execution) {
  const AttentionConfig& c = own.config();
  AttentionTensors tensors(c, own.document().pins);
  for (std::size_t i = 0; i < kEveryTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    tensors.put(id, own.tensor(id));
  }
  Tensor side = own.tensor(tensorOf(patch.site)).clone();
  const Index from = patch.place == Patch::kEveryPlace ? 0 : patch.place;
  for (Index i = 0; i < patch.rows.dim(0); ++i) {
    std::ranges::copy(patch.rows.matrix().row(i),
                      side.mutableMatrix({0, patch.head}).row(from + i).begin());
  }
  tensors.put(tensorOf(patch.site), side);
  bool inRange = true;
  for (const Step* step : stepsOf(c)) {
    const bool together = step->work() == StepWork::heads;
    if (!together && step->work() != StepWork::rows) continue;
    for (const TensorId output : step->outputs()) {
      if (isComputedOnDemand(output)) continue;
      tensors.put(output, step->memory(output, c, nullptr));
      const Shape shape = tensors.tensor(output).shape();
      const Index boxes = together ? 1 : c.numHeads;
      for (Index head = 0; head < boxes; ++head) {
        if (!together && !reads(c, head, patch)) continue;
        if (execution.stop()) return {};
        const Box box{0, head, 0, shape[2], 0, shape[3]};
        inRange = step->compute(tensors, output, box) && inRange;
      }
    }
  }
  if (!inRange) {
    refuseOverflow(trFormat("layer {}'s attention with a {} of head {} replaced", patch.layer + 1,
                            nameOf(patch.site), patch.head + 1));
  }
  return tensors.tensor(TensorId::heads);
}

Tensor changeBetween(const Tensor& own, const Tensor& now, Index head) {
  const ConstMatrixView was = own.matrix({0, head}), is = now.matrix({0, head});
  Tensor change = Tensor::uninitialised({was.rows, was.cols});
  for (Index i = 0; i < was.rows; ++i) {
    const std::span<float> to = change.mutableMatrix().row(i);
    for (Index j = 0; j < was.cols; ++j) to[static_cast<std::size_t>(j)] = is(i, j) - was(i, j);
  }
  return change;
}

/// The change that a patch of a head's output makes.
Tensor changeOfOutput(const Tensor& heads, const Patch& patch) {
  const ConstMatrixView own = heads.matrix({0, patch.head});
  Tensor change = Tensor::zeros({own.rows, own.cols});
  const Index from = patch.place == Patch::kEveryPlace ? 0 : patch.place;
  for (Index i = 0; i < patch.rows.dim(0); ++i) {
    const std::span<const float> is = patch.rows.matrix().row(i);
    const std::span<float> to = change.mutableMatrix().row(from + i);
    for (std::size_t j = 0; j < to.size(); ++j) {
      to[j] = is[j] - own(from + i, static_cast<Index>(j));
    }
  }
  return change;
}

}  // namespace

std::vector<HeadChange> headChanges(const ModelTrace& base, const Patch& patch,
                                    const ExecutionContext& execution) {
  const TracePtr own = base.layer(patch.layer);
  const Tensor& heads = own->tensor(TensorId::heads);
  if (patch.site == Site::heads) return {{patch.head, changeOfOutput(heads, patch)}};
  const Tensor now = headsWith(*own, patch, execution);
  std::vector<HeadChange> changes;
  if (now.empty()) return changes;
  for (Index head = 0; head < own->config().numHeads; ++head) {
    if (reads(own->config(), head, patch)) {
      changes.push_back({head, changeBetween(heads, now, head)});
    }
  }
  return changes;
}

Tensor halfWithChanges(const ModelTrace& base, Index layer, const std::vector<HeadChange>& changes,
                       const ExecutionContext& execution) {
  const TracePtr attention = base.layer(layer);
  const Tensor& wO = attention->document().weights.wO;
  Tensor output = attention->tensor(TensorId::output).clone();
  for (const auto& [head, change] : changes) {
    const Index first = firstColumnOf(TensorId::concat, head, attention->config());
    const Tensor columns = wO.slice(1, first, first + change.dim(1));
    gemm(change.matrix(), columns.matrix().transposed(), output.mutableMatrix({0}), {1.0F, true});
  }
  return afterAttention(base.hidden(2 * layer), output, *base.document().model->layer(layer),
                        base.config(), execution);
}

}  // namespace headscope::model
