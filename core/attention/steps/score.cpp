// Step 3, score: S_i = Q_i K_iᵀ, how well each query matches each key.
// (B,H,T,d_k) · (B,H_kv,M,d_k)ᵀ → (B,H,T,M). Heads of one group share a key head (GQA). Scores of
// content and position (relative_scores.h) are added where the configuration has them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <string>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/steps/terms.h"
#include "core/base/translation.h"
#include "core/tensor/gemm.h"

namespace headscope {
namespace {

float dot(const float* a, const float* b, Index count) {
  float sum = 0.0F;
  for (Index d = 0; d < count; ++d) sum += a[d] * b[d];
  return sum;
}

/// The rows of relative positions for query i and the keys 0 … M − 1.
std::vector<Index> relativeRows(const AttentionConfig& c, Index query) {
  std::vector<Index> rows;
  for (Index key = 0; key < c.keys(); ++key) rows.push_back(c.relative.rowOf(query - key));
  return rows;
}

/// Adds the scores of content and position to a box of raw scores.
void addRelative(const AttentionTensors& tensors, const Box& box, const MatrixView& scores) {
  const AttentionConfig& c = tensors.config();
  const ConstMatrixView q = tensors.tensor(scoredQueries(c)).matrix({box.item, box.head});
  const ConstMatrixView k = tensors.tensor(scoredKeys(c)).matrix({box.item, c.kvHead(box.head)});
  for (Index i = 0; i < box.rows; ++i) {
    const std::vector<Index> rows = relativeRows(c, box.row + i);
    const float* query = q.row(box.row + i).data();
    for (Index j = 0; j < box.cols; ++j) {
      const Index key = box.col + j, row = rows[static_cast<std::size_t>(key)];
      if (const float* position = c.relative.positionKey(box.head, row, c.dK())) {
        scores(i, j) += dot(query, position, c.dK());
      }
      if (const float* position = c.relative.positionQuery(box.head, row, c.dK())) {
        scores(i, j) += dot(k.row(key).data(), position, c.dK());
      }
    }
  }
}

/// The lines of PyTorch for these scores. The tables are written out.
std::vector<std::string> relativeLines(const AttentionConfig& c) {
  std::vector<std::string> lines;
  if (!c.relative.on()) return lines;
  const auto& s = c.relative.settings();
  std::vector<Index> rows;
  for (Index distance = 1 - c.keys(); distance < c.seqLen; ++distance) {
    rows.push_back(c.relative.rowOf(distance));
  }
  lines.push_back(fmt::format("row_of_distance = torch.tensor([{}])", fmt::join(rows, ", ")));
  lines.emplace_back(
      "relative = row_of_distance[torch.arange(T).view(T, 1) - torch.arange(M) + M - 1]");
  const auto add = [&](const char* name, const std::vector<float>& table, std::string_view with,
                       const char* axes) {
    if (table.empty()) return;
    lines.push_back(fmt::format("{} = torch.tensor([{}], dtype=REAL).view(H, {}, {})", name,
                                fmt::join(table, ", "), 2 * s.span, c.dK()));
    lines.push_back(fmt::format("raw_scores = raw_scores + torch.einsum('{}', {}, {}[:, relative])",
                                axes, with, name));
  };
  add("position_keys", s.positionKeys, info(scoredQueries(c)).name, "bhid,hijd->bhij");
  add("position_queries", s.positionQueries, pytorchPerQueryHead(info(scoredKeys(c)).name, c),
      "bhjd,hijd->bhij");
  return lines;
}

class Score final : public Step {
 public:
  StepId id() const override { return StepId::score; }

  StepText text(const AttentionConfig& c) const override {
    std::vector<std::string> lines{fmt::format("raw_scores = {} @ {}.transpose(-2, -1)",
                                               info(scoredQueries(c)).name,
                                               pytorchPerQueryHead(info(scoredKeys(c)).name, c))};
    for (std::string& line : relativeLines(c)) lines.push_back(std::move(line));
    return {"score",
            tr("Score"),
            c.relative.on() ? tr("how well each query matches each key and its relative position")
                            : tr("how well each query matches each key"),
            c.relative.on() ? "S = Q K^T + Q R_K^T + R_Q K^T" : "S = Q K^T",
            c.relative.on() ? "Q K^T + positions" : "Q K^T",
            std::move(lines)};
  }

  bool sameSettings(const AttentionConfig& a, const AttentionConfig& b) const override {
    return a.relative == b.relative;
  }

  std::vector<std::string> beyondModule(const AttentionConfig& c) const override {
    if (!c.relative.on()) return {};
    return {tr("scores of content and relative position are added")};
  }

  std::vector<TensorId> operands(TensorId, const AttentionConfig& c) const override {
    return {scoredQueries(c), scoredKeys(c)};
  }
  std::vector<TensorId> outputs() const override { return {TensorId::rawScores}; }

  StepCost cost(const AttentionConfig& c) const override {
    const Index cells = elementCount(shapeOf(TensorId::rawScores, c));
    return {cells * 2 * c.dK(), cells * 4};
  }

  StepWork work() const override { return StepWork::rows; }

  bool compute(AttentionTensors& tensors, TensorId output, const Box& box) const override {
    const AttentionConfig& c = tensors.config();
    const MatrixView scores = tensors.cells(output, box);
    const Box queries{box.item, box.head, box.row, box.rows, 0, c.dK()};
    const Box keys{box.item, c.kvHead(box.head), box.col, box.cols, 0, c.dK()};
    gemm(tensors.tensor(scoredQueries(c)).matrixOf(queries),
         tensors.dense(scoredKeys(c)).matrixOf(keys).transposed(), scores, {.precise = true});
    if (c.relative.on()) addRelative(tensors, box, scores);
    applyPins(tensors.pins(), output, box, scores);
    return true;  // softmax checks that they are finite
  }

  Explanation explain(const AttentionTensors& tensors, const CellRef& cell) const override {
    const AttentionConfig& c = tensors.config();
    Explanation e = startExplanation(
        tensors, cell,
        fmt::format("raw_scores[b, h, i, j] = Σ_d {}[b, h, i, d] · {}[b, {}, j, d]{}",
                    info(scoredQueries(c)).name, info(scoredKeys(c)).name, kvHeadIndex(c),
                    c.relative.on() ? tr(", and each times the relative position's numbers") : ""));
    for (Index d = 0; d < c.dK(); ++d) {
      e.terms.push_back(productTerm(tensors, {scoredQueries(c), cell.item, cell.head, cell.row, d},
                                    {scoredKeys(c), cell.item, c.kvHead(cell.head), cell.col, d}));
    }
    if (c.relative.on()) {
      const Index row = c.relative.rowOf(cell.row - cell.col);
      const auto add = [&](const float* position, const char* name, CellRef source) {
        for (Index d = 0; position != nullptr && d < c.dK(); ++d) {
          source.col = d;
          e.terms.push_back(scaledTerm(tensors, source,
                                       fmt::format("{}[{}, {}, {}]", name, cell.head, row, d),
                                       static_cast<double>(position[d])));
        }
      };
      add(c.relative.positionKey(cell.head, row, c.dK()), "position_keys",
          {scoredQueries(c), cell.item, cell.head, cell.row, 0});
      add(c.relative.positionQuery(cell.head, row, c.dK()), "position_queries",
          {scoredKeys(c), cell.item, c.kvHead(cell.head), cell.col, 0});
    }
    sumTerms(e);
    return e;
  }

  /// dQ_h = dS_h K, and dK = Σ dS_hᵀ Q_h over the heads that share K.
  void backward(Gradients& gradients, const ExecutionContext& execution) const override {
    const AttentionConfig& c = gradients.config();
    const Tensor& q = gradients.values().tensor(scoredQueries(c));
    const Tensor& k = gradients.values().tensor(scoredKeys(c));
    const Tensor dScores = gradients.gradientThroughPins(TensorId::rawScores);
    Tensor dQ = headsMemory(scoredQueries(c), c, execution.memory);
    overRows(dQ, execution, [&](const Box& box) {
      gemm(dScores.matrixOf(Box{box.item, box.head, box.row, box.rows, 0, c.keys()}),
           k.matrixOf(box.item, c.kvHead(box.head)), dQ.mutableMatrixOf(box));
      if (!c.relative.on()) return;
      const MatrixView into = dQ.mutableMatrixOf(box);
      for (Index i = 0; i < box.rows; ++i) {
        const std::vector<Index> rows = relativeRows(c, box.row + i);
        for (Index j = 0; j < c.keys(); ++j) {
          addScaled(into.row(i),
                    c.relative.positionKey(box.head, rows[static_cast<std::size_t>(j)], c.dK()),
                    dScores.matrix({box.item, box.head})(box.row + i, j));
        }
      }
    });
    Tensor dK = headsMemory(scoredKeys(c), c, execution.memory);
    overRows(dK, execution, [&](const Box& box) {
      const Index first = box.head * c.headsPerGroup();
      for (Index head = first; head < first + c.headsPerGroup(); ++head) {
        gemm(dScores.matrixOf(Box{box.item, head, 0, c.seqLen, box.row, box.rows}).transposed(),
             q.matrixOf(box.item, head), dK.mutableMatrixOf(box), {1.0F, head > first});
        if (!c.relative.on()) continue;
        const MatrixView into = dK.mutableMatrixOf(box);
        for (Index j = 0; j < box.rows; ++j) {
          for (Index i = 0; i < c.seqLen; ++i) {
            const Index row = c.relative.rowOf(i - (box.row + j));
            addScaled(into.row(j), c.relative.positionQuery(head, row, c.dK()),
                      dScores.matrix({box.item, head})(i, box.row + j));
          }
        }
      }
    });
    gradients.put(scoredQueries(c), std::move(dQ));
    gradients.put(scoredKeys(c), std::move(dK));
  }

  Explanation explainGradient(const Gradients& gradients, const CellRef& cell) const override {
    const AttentionConfig& c = gradients.config();
    if (cell.tensor == scoredQueries(c)) {
      Explanation e = startExplanation(
          gradients, cell,
          fmt::format("grad.{}[b, h, i, d] = Σ_j grad.raw_scores[b, h, i, j] · {}[b, {}, j, d]",
                      info(scoredQueries(c)).name, info(scoredKeys(c)).name, kvHeadIndex(c)));
      for (Index j = 0; j < c.keys(); ++j) {
        e.terms.push_back(
            gradientTerm(gradients, {TensorId::rawScores, cell.item, cell.head, cell.row, j},
                         {scoredKeys(c), cell.item, c.kvHead(cell.head), j, cell.col}));
        if (!c.relative.on()) continue;
        addPositionTerm(e, gradients, {TensorId::rawScores, cell.item, cell.head, cell.row, j},
                        cell, true);
      }
      sumTerms(e);
      return e;
    }
    Explanation e = startExplanation(
        gradients, cell,
        fmt::format("grad.{}[b, {}, j, d] = Σ_i grad.raw_scores[b, h, i, j] · {}[b, h, i, d]{}",
                    info(scoredKeys(c)).name, kvHeadIndex(c), info(scoredQueries(c)).name,
                    overGroup(c)));
    const Index first = cell.head * c.headsPerGroup();
    for (Index head = first; head < first + c.headsPerGroup(); ++head) {
      for (Index i = 0; i < c.seqLen; ++i) {
        e.terms.push_back(gradientTerm(gradients,
                                       {TensorId::rawScores, cell.item, head, i, cell.row},
                                       {scoredQueries(c), cell.item, head, i, cell.col}));
        if (!c.relative.on()) continue;
        addPositionTerm(e, gradients, {TensorId::rawScores, cell.item, head, i, cell.row}, cell,
                        false);
      }
    }
    sumTerms(e);
    return e;
  }

 private:
  static void addScaled(std::span<float> to, const float* row, float factor) {
    if (row == nullptr) return;
    for (std::size_t d = 0; d < to.size(); ++d) to[d] += factor * row[d];
  }

  /// Adds the part of a query's or key's gradient that comes through a relative position.
  static void addPositionTerm(Explanation& e, const Gradients& gradients, const CellRef& score,
                              const CellRef& cell, bool query) {
    const AttentionConfig& c = gradients.config();
    const Index row = c.relative.rowOf(score.row - score.col);
    const float* position = query ? c.relative.positionKey(score.head, row, c.dK())
                                  : c.relative.positionQuery(score.head, row, c.dK());
    if (position == nullptr) return;
    if (gradients.values().pins().at(score)) return;  // a pinned score passes no gradient on
    e.terms.push_back(
        scaledTerm(gradients, gradientOf(score),
                   fmt::format("{}[{}, {}, {}]", query ? "position_keys" : "position_queries",
                               score.head, row, cell.col),
                   static_cast<double>(position[cell.col])));
  }
};

}  // namespace

const Step& scoreStep() {
  static const Score step;
  return step;
}

}  // namespace headscope
