// Step 2, split: reshape to (B,T,H,d_k), then transpose axes 1 and 2: (B,H,T,d_k). A strided view,
// no copy: columns i·d_k … (i+1)·d_k − 1 belong to head i.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/attention/config.h"
#include "core/attention/steps/terms.h"
#include "core/base/translation.h"

namespace headscope {
namespace {

struct Cut {
  TensorId from, to;
};
constexpr Cut kCuts[] = {
    {TensorId::qProj, TensorId::q}, {TensorId::kProj, TensorId::k}, {TensorId::vProj, TensorId::v}};

const Cut& cutTo(TensorId heads) {
  return *std::find_if(std::begin(kCuts), std::end(kCuts),
                       [=](const Cut& cut) { return cut.to == heads; });
}

Index headsOf(const Cut& cut, const AttentionConfig& c) {
  return cut.to == TensorId::q ? c.numHeads : c.numKvHeads;
}

/// The heads as a view of the projection that they are cut from.
Tensor headsIn(const Tensor& from, const Cut& cut, const AttentionConfig& c) {
  Tensor heads = c.mistakes.reshapeWithoutTranspose
                     ? from.reshaped(shapeOf(cut.to, c))
                     : from.split(2, headsOf(cut, c)).transposed(1, 2);
  return c.mistakes.sharedHead ? heads.repeated(1) : heads;
}

/// The cell of the projection that a cell of a head is a view of.
CellRef sourceOf(const CellRef& cell, const Cut& cut, const AttentionConfig& c) {
  const Index head = c.mistakes.sharedHead ? 0 : cell.head;
  CellRef source{cut.from, cell.item, -1, cell.row, head * c.dK() + cell.col};
  if (c.mistakes.reshapeWithoutTranspose) {
    const Shape flat = shapeOf(cut.from, c);
    const Index place = (head * flat[1] + cell.row) * c.dK() + cell.col;
    source.row = place / flat[2];
    source.col = place % flat[2];
  }
  return source;
}

class Split final : public Step {
 public:
  StepId id() const override { return StepId::split; }

  StepText text(const AttentionConfig& c) const override {
    std::vector<std::string> lines;
    for (const Cut& cut : kCuts) {
      const bool ofMemory = c.crossAttention() && cut.to != TensorId::q;
      const char* length = ofMemory ? "M" : "T";
      std::string line =
          c.mistakes.reshapeWithoutTranspose
              ? fmt::format("{} = {}.view(B, {}, {}, {})", info(cut.to).name, info(cut.from).name,
                            headsOf(cut, c), length, c.dK())
              : fmt::format("{} = {}.view(B, {}, {}, {}).transpose(1, 2)", info(cut.to).name,
                            info(cut.from).name, length, headsOf(cut, c), c.dK());
      if (c.mistakes.sharedHead)
        line += fmt::format("[:, :1].expand(-1, {}, -1, -1)", headsOf(cut, c));
      lines.push_back(std::move(line));
    }
    return {"split",
            tr("Split heads"),
            c.mistakes.reshapeWithoutTranspose
                ? tr("each head gets pieces of a few rows, end to end")
            : c.mistakes.sharedHead ? tr("every head gets the first one's columns")
                                    : tr("each head gets its own columns"),
            c.headsPerGroup() == 1
                ? fmt::format("{} = {} × {}", c.queryWidth(), c.numHeads, c.dK())
                : fmt::format("{0} × {2}; k, v: {1} × {2}", c.numHeads, c.numKvHeads, c.dK()),
            tr("q, k, v of each head"),
            std::move(lines)};
  }

  std::vector<TensorId> operands(TensorId output, const AttentionConfig&) const override {
    return {cutTo(output).from};
  }
  std::vector<TensorId> outputs() const override { return {TensorId::q, TensorId::k, TensorId::v}; }
  StepCost cost(const AttentionConfig&) const override { return {}; }

  bool sameSettings(const AttentionConfig& a, const AttentionConfig& b) const override {
    return a.mistakes.reshapeWithoutTranspose == b.mistakes.reshapeWithoutTranspose &&
           a.mistakes.sharedHead == b.mistakes.sharedHead;
  }

  StepWork work() const override { return StepWork::view; }
  Tensor view(TensorId output, const AttentionTensors& tensors) const override {
    const AttentionConfig& c = tensors.config();
    const Cut& cut = cutTo(output);
    return headsIn(tensors.tensor(cut.from), cut, c);
  }

  Explanation explain(const AttentionTensors& tensors, const CellRef& cell) const override {
    const AttentionConfig& c = tensors.config();
    const Index dK = c.dK();
    const Cut& cut = cutTo(cell.tensor);
    const auto from = info(cut.from).name;
    const CellRef source = sourceOf(cell, cut, c);
    std::string rule =
        c.mistakes.reshapeWithoutTranspose
            ? trFormat(
                  "reshaped without the transpose: number {} of {} in memory, row {}, "
                  "column {}",
                  source.row * shapeOf(cut.from, c)[2] + source.col, from, source.row, source.col)
            : trFormat(
                  "{}[b, h, t, j] = {}[b, t, h·{} + j]: column {} of {} is column {} of {}head {}",
                  info(cut.to).name, from, dK, source.col, from, cell.col,
                  headCount(cut.to, c) < c.numHeads ? "key/value " : "",
                  c.mistakes.sharedHead ? 0 : cell.head);
    if (c.mistakes.sharedHead) rule += tr("; every head is given the first one's");
    Explanation e = startExplanation(tensors, cell, std::move(rule));
    e.terms.push_back(sourceTerm(tensors, source));
    sumTerms(e);
    return e;
  }

  void backward(Gradients& gradients, const ExecutionContext&) const override {
    const AttentionConfig& c = gradients.config();
    for (const Cut& cut : kCuts) {
      const Tensor& heads = gradients.tensor(cut.to);
      const Shape shape = shapeOf(cut.from, c);
      if (!c.mistakes.reshapeWithoutTranspose && !c.mistakes.sharedHead) {
        gradients.put(cut.from, heads.transposed(1, 2).reshaped(shape));
        continue;
      }
      Tensor sum = Tensor::zeros(shape);  // several heads may share a column
      Tensor places = headsIn(sum, cut, c);
      for (Index item = 0; item < heads.dim(0); ++item) {
        for (Index head = 0; head < heads.dim(1); ++head) {
          const ConstMatrixView from = heads.matrix({item, head});
          const MatrixView to = places.mutableMatrix({item, head});
          for (Index i = 0; i < from.rows; ++i) {
            for (Index j = 0; j < from.cols; ++j) to(i, j) += from(i, j);
          }
        }
      }
      gradients.put(cut.from, std::move(sum));
    }
  }

  Explanation explainGradient(const Gradients& gradients, const CellRef& cell) const override {
    const AttentionConfig& c = gradients.config();
    const Cut& cut = *std::find_if(std::begin(kCuts), std::end(kCuts),
                                   [&](const Cut& each) { return each.from == cell.tensor; });
    Explanation e =
        startExplanation(gradients, cell,
                         trFormat("grad.{}[b, t, c]: the gradient of the heads' cells made from it",
                                  info(cut.from).name));
    const Shape heads = shapeOf(cut.to, c);
    for (Index head = 0; head < heads[1]; ++head) {
      for (Index row = 0; row < heads[2]; ++row) {
        for (Index col = 0; col < heads[3]; ++col) {
          const CellRef to{cut.to, cell.item, head, row, col};
          const CellRef source = sourceOf(to, cut, c);
          if (source.row != cell.row || source.col != cell.col) continue;
          e.terms.push_back(sourceTerm(gradients, gradientOf(to)));
        }
      }
    }
    sumTerms(e);
    return e;
  }
};

}  // namespace

const Step& splitStep() {
  static const Split step;
  return step;
}

}  // namespace headscope
