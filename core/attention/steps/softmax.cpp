// Step 6, softmax: over the keys, row by row: exp(s_j − max) / Σ exp(s − max). (B,H,T,M). A row
// without an allowed key has no softmax: its weights are 0. A head's sink is one score more in its
// sum, without a key.
//
// Scale, mask and softmax run as one sweep over each row while it is in cache.
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/dropped_cells.h"
#include "core/attention/steps/softmax_row.h"
#include "core/attention/steps/terms.h"
#include "core/base/translation.h"
#include "core/tensor/finite.h"

namespace headscope {
namespace {

/// The mistake: the softmax of each column, in place, over a box of all rows.
void softmaxColumns(const MatrixView& cells, const AttentionConfig& c, const Box& box) {
  std::vector<AllowedKeys> allowed;
  for (Index i = 0; i < cells.rows; ++i) allowed.push_back(softmaxKeys(c, box.item, i));
  std::vector<float> column(static_cast<std::size_t>(cells.rows));
  std::vector<std::uint8_t> takesPart(column.size());
  for (Index j = 0; j < cells.cols; ++j) {
    for (std::size_t i = 0; i < column.size(); ++i) {
      column[i] = cells(static_cast<Index>(i), j);
      takesPart[i] = allowed[i](box.col + j) ? 1 : 0;
    }
    softmaxRow(column, {0, cells.rows, takesPart.data()});
    for (std::size_t i = 0; i < column.size(); ++i) cells(static_cast<Index>(i), j) = column[i];
  }
}

void dropCells(const MatrixView& cells, const AttentionConfig& c, const Box& box) {
  const DroppedCells dropped(c);
  for (Index i = 0; i < cells.rows; ++i) {
    for (Index j = 0; j < cells.cols; ++j) {
      const bool drops = dropped(box.item, box.head, box.row + i, box.col + j);
      cells(i, j) = drops ? 0.0F : cells(i, j) * dropped.factor();
    }
  }
}

/// Computes the softmax before dropout and pins, over whole rows of a box (whole columns with that
/// mistake). False where a raw or scaled score overflowed.
bool softmaxOf(const AttentionTensors& tensors, const Box& box, const MatrixView& out) {
  const AttentionConfig& c = tensors.config();
  const ConstMatrixView raw = tensors.cellsOf(TensorId::rawScores, box);
  const std::optional<float> factor = onlyMultiplies(c, tensors.pins());
  if (factor && onlyForbids(c, tensors.pins()) && !c.mistakes.softmaxOverQueries &&
      c.sinks.empty()) {
    std::vector<AllowedKeys> allowed;
    for (Index i = 0; i < out.rows; ++i) allowed.push_back(softmaxKeys(c, box.item, box.row + i));
    return softmaxOfScaled(raw, *factor, out, allowed);
  }
  bool finite = allFinite(raw);
  const bool mayOverflow = scalingMayOverflow(c);
  for (Index i = 0; i < out.rows; ++i) {
    const std::span<float> row = out.row(i);
    const RowPart place{box.item, box.head, box.row + i, box.col};
    scoresForSoftmax(raw.row(i), row, c, tensors.pins(), place);
    if (mayOverflow) finite = finite && allFinite({row.data(), 1, out.cols, out.cols, 1});
    if (!c.mistakes.softmaxOverQueries) {
      softmaxOfHead(row, softmaxKeys(c, box.item, place.query), c, box.head);
    }
  }
  if (c.mistakes.softmaxOverQueries) softmaxColumns(out, c, box);
  return finite;
}

using Cells = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
Eigen::Map<const Cells, 0, Eigen::OuterStride<>> asArray(const ConstMatrixView& m) {
  return {m.data, m.rows, m.cols, Eigen::OuterStride<>(m.rowStride)};
}

/// Returns whether some row may have no allowed key: PyTorch's softmax of such a row is NaN. A
/// painted mask is not searched.
bool mayMaskFully(const AttentionConfig& c) {
  if (c.mistakes.zeroForMasked) return false;
  if (c.mistakes.softmaxOverQueries) return !c.mask.none();
  if (c.mask.painted != nullptr) return true;
  const auto items = static_cast<Index>(std::max<std::size_t>(1, c.mask.lengths.size()));
  for (Index item = 0; item < items; ++item) {  // a window leaves the last query the fewest keys
    if (allowedKeys(c.mask, item, c.seqLen - 1, c.keys()).count() == 0) return true;
  }
  return false;
}

std::string_view sentenceOf(const AttentionConfig& c) {
  const bool down = c.mistakes.softmaxOverQueries;
  if (c.dropout.on()) return tr("scores become weights; some are dropped");
  if (!c.sinks.empty()) return tr("scores become weights: each row and the head's sink sum to 1");
  if (mayMaskFully(c)) {
    return down ? tr("scores become weights: each column with an allowed query sums to 1")
                : tr("scores become weights: each row with an allowed key sums to 1");
  }
  return down ? tr("scores become weights: each column sums to 1")
              : tr("scores become weights: each row sums to 1");
}

class Softmax final : public Step {
 public:
  StepId id() const override { return StepId::softmax; }

  StepText text(const AttentionConfig& c) const override {
    return {
        "softmax",
        tr("Softmax"),
        sentenceOf(c),
        fmt::format(fmt::runtime(c.dropout.on() ? "A = dropout({})" : "A = {}"),
                    c.sinks.empty() ? "softmax(S)" : "softmax([S, sink])"),
        c.sinks.empty() ? "softmax" : "softmax + sink",
        {fmt::format("weights = {}.softmax(dim={}){}{}{}",
                     c.sinks.empty() ? "masked_scores"
                                     : "torch.cat((masked_scores, sink.expand(B, H, T, 1)), -1)",
                     c.mistakes.softmaxOverQueries ? -2 : -1, c.sinks.empty() ? "" : "[..., :-1]",
                     c.sinks.empty() && mayMaskFully(c) ? ".nan_to_num(0)" : "",
                     c.dropout.on() ? fmt::format(" * keep / (1 - {})", c.dropout.rate) : "")}};
  }

  std::vector<TensorId> operands(TensorId, const AttentionConfig&) const override {
    return {TensorId::maskedScores};
  }
  std::vector<TensorId> outputs() const override { return {TensorId::weights}; }

  StepCost cost(const AttentionConfig& c) const override {
    const Index cells = elementCount(shapeOf(TensorId::weights, c));
    return {cells * 4, cells * 4};
  }

  bool sameSettings(const AttentionConfig& a, const AttentionConfig& b) const override {
    return a.dropout == b.dropout && a.sinks == b.sinks &&
           a.mistakes.softmaxOverQueries == b.mistakes.softmaxOverQueries;
  }

  std::vector<std::string> beyondModule(const AttentionConfig& c) const override {
    std::vector<std::string> reasons;
    if (c.dropout.on()) reasons.emplace_back(tr("it would drop other weights"));
    if (!c.sinks.empty()) reasons.emplace_back(tr("its softmax has no sinks"));
    return reasons;
  }

  StepWork work() const override { return StepWork::rows; }

  bool compute(AttentionTensors& tensors, TensorId output, const Box& box) const override {
    const AttentionConfig& c = tensors.config();
    const MatrixView out = tensors.cells(output, box);
    const bool finite = softmaxOf(tensors, box, out);
    if (c.dropout.on()) dropCells(out, c, box);
    applyPins(tensors.pins(), output, box, out);
    return finite;
  }

  Explanation explain(const AttentionTensors& tensors, const CellRef& cell) const override {
    const AttentionConfig& c = tensors.config();
    const bool down = c.mistakes.softmaxOverQueries;
    Explanation e = startExplanation(tensors, cell, {});
    // the cells of its softmax: its row, or with the mistake its column
    std::vector<CellRef> sources;
    for (Index n = 0; n < (down ? c.seqLen : c.keys()); ++n) {
      CellRef source{TensorId::maskedScores, cell.item, cell.head, cell.row, cell.col};
      (down ? source.row : source.col) = n;
      if (softmaxKeys(c, cell.item, source.row)(source.col)) sources.push_back(source);
    }
    if (sources.empty()) {
      e.rule = trFormat("every {} is masked: no softmax, all weights 0",
                        down ? tr("query of this column") : tr("key of this row"));
      return e;
    }
    double maximum = -std::numeric_limits<double>::infinity();
    for (const CellRef& s : sources) maximum = std::max<double>(maximum, tensors.value(s));
    const bool hasSink = !c.sinks.empty();
    const double sink =
        hasSink ? static_cast<double>(c.sinks[static_cast<std::size_t>(cell.head)]) : 0.0;
    if (hasSink) maximum = std::max(maximum, sink);
    e.ending = ExplanationForm::share;
    e.rule =
        !softmaxKeys(c, cell.item, cell.row)(cell.col)
            ? "weight 0: " + whyForbidden(c.mask, cell.item, cell.row, cell.col)
        : down ? tr("weights[b, h, i, j] = exp(s_i − max) / Σ exp(s − max) down the column, over "
                    "the allowed queries")

        : hasSink
            ? tr("weights[b, h, i, j] = exp(s_j − max) / Σ exp(s − max) over the allowed "
                 "keys and the head's sink")
            : tr("weights[b, h, i, j] = exp(s_j − max) / Σ exp(s − max) over the allowed keys");
    for (const CellRef& s : sources) {
      const double score = tensors.value(s);
      e.terms.push_back({toString(s), "max", score, maximum, std::exp(score - maximum), {s}});
    }
    if (hasSink) {
      e.terms.push_back(
          {fmt::format("sink[{}]", cell.head), "max", sink, maximum, std::exp(sink - maximum), {}});
    }
    sumTerms(e);
    if (const Term* own = e.own(); own != nullptr && softmaxShare(own->product, e.sum) == 0.0) {
      e.rule += fmt::format("; {}", kBelowLeastWeight);
    }
    if (c.dropout.on()) {
      const DroppedCells dropped(c);
      const bool drops = dropped(cell.item, cell.head, cell.row, cell.col);
      e.factor = drops ? 0.0 : static_cast<double>(dropped.factor());
      e.rule += drops ? tr("; dropped: 0 in its place")
                      : trFormat("; kept by dropout: × 1/(1 − {:g})", c.dropout.rate);
    }
    return e;
  }

  void backward(Gradients&, const ExecutionContext&) const override {}  // handed out by tile

  Explanation explainGradient(const Gradients& gradients, const CellRef& cell) const override {
    const AttentionConfig& c = gradients.config();
    const bool down = c.mistakes.softmaxOverQueries;
    Explanation e = startExplanation(
        gradients, cell,
        fmt::format("grad.masked_scores[b, h, i, j] = A_ij · (grad.A_ij − Σ_k A_{0} · grad.A_{0})",
                    down ? "kj" : "ik"));
    e.ending = ExplanationForm::difference;
    for (Index n = 0; n < (down ? c.seqLen : c.keys()); ++n) {
      CellRef weight{TensorId::weights, cell.item, cell.head, cell.row, cell.col};
      (down ? weight.row : weight.col) = n;
      e.terms.push_back(gradientTerm(gradients, weight, weight));
    }
    sumTerms(e);
    CellRef own = cell;
    own.tensor = TensorId::weights;
    own.gradient = false;
    Box whole{cell.item, cell.head, cell.row, 1, 0, c.keys()};
    if (down) whole = {cell.item, cell.head, 0, c.seqLen, cell.col, 1};
    std::vector<float> shares(static_cast<std::size_t>(whole.rows * whole.cols));
    softmaxOf(gradients.values(), whole, {shares.data(), whole.rows, whole.cols, whole.cols});
    e.share = shares[static_cast<std::size_t>(down ? cell.row : cell.col)];
    e.incoming = gradients.values().pins().at(own) ? 0.0 : gradients.value(gradientOf(own));
    if (c.dropout.on()) {
      const DroppedCells dropped(c);
      const bool drops = dropped(cell.item, cell.head, cell.row, cell.col);
      e.factor = drops ? 0.0 : static_cast<double>(dropped.factor());
      e.rule += drops ? tr("; dropped: grad.A_ij is taken as 0, A_ij is the weight before dropout")
                      : trFormat("; kept by dropout: grad.A_ij × 1/(1 − {:g}), A_ij before it",
                                 c.dropout.rate);
    }
    return e;
  }
};

}  // namespace

void softmaxGradients(const Gradients& gradients, const Box& box, const MatrixView& cells) {
  const AttentionTensors& values = gradients.values();
  const AttentionConfig& c = values.config();
  const bool down = c.mistakes.softmaxOverQueries;
  Box whole = box;  // the whole range of the softmax is needed
  if (down) {
    whole.row = 0;
    whole.rows = c.seqLen;
  } else {
    whole.col = 0;
    whole.cols = c.keys();
  }
  const ConstMatrixView weights = values.tensor(TensorId::weights).matrixOf(whole);
  const ConstMatrixView incoming = gradients.tensor(TensorId::weights).matrixOf(whole);
  const auto pins = values.pins().of(TensorId::weights, box.item, box.head);
  const Index row = box.row - whole.row;
  const Index col = box.col - whole.col;
  Eigen::Map<Cells, 0, Eigen::OuterStride<>> out(cells.data, cells.rows, cells.cols,
                                                 Eigen::OuterStride<>(cells.rowStride));
  const auto fill = [&](const auto& shares, const auto& products, const auto& gradient) {
    for (Index n = 0; n < (down ? box.cols : box.rows); ++n) {
      if (down) {
        const float sum = products.col(n).sum();
        out.col(n) =
            shares.col(n).segment(row, box.rows) * (gradient.col(n).segment(row, box.rows) - sum);
      } else {
        const float sum = products.row(n).sum();
        out.row(n) =
            shares.row(n).segment(col, box.cols) * (gradient.row(n).segment(col, box.cols) - sum);
      }
    }
  };
  if (!c.dropout.on() && pins.empty()) {
    const auto a = asArray(weights);
    const auto d = asArray(incoming);
    return fill(a, a * d, d);
  }
  Cells shares(whole.rows, whole.cols);
  softmaxOf(values, whole, {shares.data(), whole.rows, whole.cols, whole.cols});
  Cells gradient = asArray(incoming);
  for (const Pin& pin : pins) {
    const Index i = pin.cell.row - whole.row;
    const Index j = pin.cell.col - whole.col;
    if (i >= 0 && i < whole.rows && j >= 0 && j < whole.cols) gradient(i, j) = 0.0F;
  }
  if (c.dropout.on()) dropCells({gradient.data(), whole.rows, whole.cols, whole.cols}, c, whole);
  fill(shares, shares * gradient, gradient);
}

const Step& softmaxStep() {
  static const Softmax step;
  return step;
}

}  // namespace headscope
