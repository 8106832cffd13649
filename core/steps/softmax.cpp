// Step 6, softmax: over the keys, row by row: exp(s_j − max) / Σ exp(s − max). (B,H,T,M). A row
// without an allowed key has no softmax: its weights are 0.
//
// Scale, mask and softmax run as one sweep over each row while it is in cache.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/dropout.h"
#include "core/finite.h"
#include "core/steps/softmax_row.h"
#include "core/steps/terms.h"

namespace headscope {
namespace {

/// The mistake: scores to weights down each column of a box of all rows, in place.
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

/// True where some row may have no key left, as a softmax of −∞ alone is NaN in PyTorch. A painted
/// mask is not searched.
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

class Softmax final : public Step {
 public:
  StepId id() const override { return StepId::softmax; }

  StepText text(const AttentionConfig& c) const override {
    return {"softmax",
            "Softmax",
            c.mistakes.softmaxOverQueries ? "scores become weights: each column sums to 1"
            : c.dropout.on()              ? "scores become weights; some are dropped"
                                          : "scores become weights: each row sums to 1",
            c.dropout.on() ? "A = dropout(softmax(S))" : "A = softmax(S)",
            "softmax",
            fmt::format("weights = masked_scores.softmax(dim={}){}{}",
                        c.mistakes.softmaxOverQueries ? -2 : -1,
                        mayMaskFully(c) ? ".nan_to_num(0)" : "",
                        c.dropout.on() ? fmt::format(" * keep / (1 - {})", c.dropout.rate) : "")};
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
    return a.dropout == b.dropout && a.mistakes.softmaxOverQueries == b.mistakes.softmaxOverQueries;
  }

  StepWork work() const override { return StepWork::rows; }

  bool compute(AttentionTensors& tensors, TensorId output, const Box& box) const override {
    const AttentionConfig& c = tensors.config();
    const ConstMatrixView raw = tensors.tensor(TensorId::rawScores).matrixOf(box);
    const MatrixView out = tensors.cells(output, box);
    const bool mayOverflow = c.scoreMultiplier() > 1.0F;  // finite raw scores, multiplied up
    bool finite = true;
    for (Index i = 0; i < out.rows; ++i) {
      const std::span<float> row = out.row(i);
      const RowPart place{box.item, box.head, box.row + i, box.col};
      scoresForSoftmax(raw.row(i), row, c, tensors.pins(), place);
      if (mayOverflow) finite = finite && allFinite({row.data(), 1, out.cols, out.cols, 1});
      if (!c.mistakes.softmaxOverQueries) softmaxRow(row, softmaxKeys(c, box.item, place.query));
    }
    if (c.mistakes.softmaxOverQueries) softmaxColumns(out, c, box);
    if (c.dropout.on()) dropCells(out, c, box);
    applyPins(tensors.pins(), output, box, out);
    return finite;
  }

  Explanation explain(const AttentionTensors& tensors, const CellRef& cell) const override {
    const AttentionConfig& c = tensors.config();
    const bool down = c.mistakes.softmaxOverQueries;
    Explanation e = startExplanation(tensors, cell, {});
    // the cells it competes with: its row's, or by mistake its column's
    std::vector<CellRef> sources;
    for (Index n = 0; n < (down ? c.seqLen : c.keys()); ++n) {
      CellRef source{TensorId::maskedScores, cell.item, cell.head, cell.row, cell.col};
      (down ? source.row : source.col) = n;
      if (softmaxKeys(c, cell.item, source.row)(source.col)) sources.push_back(source);
    }
    if (sources.empty()) {
      e.rule = fmt::format("every {} is masked: no softmax, all weights 0",
                           down ? "query of this column" : "key of this row");
      return e;
    }
    double maximum = -std::numeric_limits<double>::infinity();
    for (const CellRef& s : sources) maximum = std::max<double>(maximum, tensors.value(s));
    e.rule = !softmaxKeys(c, cell.item, cell.row)(cell.col)
                 ? "weight 0: " + whyForbidden(c.mask, cell.item, cell.row, cell.col)
             : down ? "weights[b, h, i, j] = exp(s_i − max) / Σ exp(s − max) down the column, over "
                      "the allowed queries"
                    : "weights[b, h, i, j] = exp(s_j − max) / Σ exp(s − max) over the allowed keys";
    if (c.dropout.on()) {
      const DroppedCells dropped(c);
      const bool drops = dropped(cell.item, cell.head, cell.row, cell.col);
      e.factor = drops ? 0.0 : static_cast<double>(dropped.factor());
      e.rule += drops ? "; dropped: 0 in its place"
                      : fmt::format("; kept by dropout: × 1/(1 − {:g})", c.dropout.rate);
    }
    for (const CellRef& s : sources) {
      const double score = tensors.value(s);
      e.terms.push_back({toString(s), "max", score, maximum, std::exp(score - maximum), {s}});
    }
    sumTerms(e);
    return e;
  }
};

}  // namespace

const Step& softmaxStep() {
  static const Softmax step;
  return step;
}

}  // namespace headscope
