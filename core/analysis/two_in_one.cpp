#include "core/analysis/two_in_one.h"

#include <cstddef>
#include <span>

#include "core/analysis/counted_rows.h"
#include "core/analysis/head_labels.h"
#include "core/analysis/row_distribution.h"
#include "core/steps/over_pieces.h"
#include "core/steps/softmax_row.h"
#include "core/threads.h"

namespace headscope {
namespace {

Measured meanEntropy(const Tensor& weights, const CountedRows& counted) {
  if (counted.empty()) return Measured::undefined(counted.whyEmpty());
  const ConstMatrixView view = weights.matrix();
  double sum = 0.0;
  for (const CountedRow& row : counted.rows) sum += spreadOf(view.row(row.row)).entropy;
  return {sum / static_cast<double>(counted.rows.size()), {}};
}

}  // namespace

std::optional<TwoInOne> twoInOne(const Trace& trace, Index item, std::array<Index, 2> heads,
                                 const std::array<DeclaredRelation, 2>& relations,
                                 const Execution& execution) {
  Document document = trace.document();  // shares its tensors
  document.pins = {};
  const AttentionConfig& c = document.config;
  const ThreadCount threads(threadsFor(c.seqLen * c.keys() * 3, execution.threads));
  TwoInOne found;
  for (Tensor& weights : found.weights) weights = Tensor::uninitialised({c.seqLen, c.keys()});
  std::array<MatrixView, 3> out{found.weights[0].mutableMatrix(), found.weights[1].mutableMatrix(),
                                found.weights[2].mutableMatrix()};
  overPieces(c.seqLen, execution, [&](Index i) {
    const std::span<float> both = out[2].row(i);
    for (std::size_t h = 0; h < 2; ++h) {
      const std::span<float> row = out[h].row(i);
      trace.tile(TensorId::rawScores, item, heads[h], i, 1, 0, c.keys(), row.data());
      for (std::size_t j = 0; j < row.size(); ++j) both[j] = h == 0 ? row[j] : both[j] + row[j];
    }
    for (const MatrixView& matrix : out) {
      scoresForSoftmax(matrix.row(i), document, {item, heads[0], i, 0});
      softmaxRow(matrix.row(i), softmaxKeys(c, item, i));
    }
  });
  if (execution.stop()) return std::nullopt;
  const CountedRows counted = countedRows(trace.document(), item);
  for (std::size_t w = 0; w < 3; ++w) {
    for (std::size_t r = 0; r < 2; ++r) {
      found.scores[w][r] = partnerWeight(found.weights[w].matrix(), counted,
                                         relations[r].partners.at(static_cast<std::size_t>(item)));
    }
    found.entropy[w] = meanEntropy(found.weights[w], counted);
  }
  return found;
}

}  // namespace headscope
