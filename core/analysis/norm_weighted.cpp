#include "core/analysis/norm_weighted.h"

#include <Eigen/Core>
#include <cmath>
#include <cstddef>

#include "core/analysis/head_effect.h"
#include "core/execution.h"
#include "core/gemm.h"
#include "core/platform/threads.h"

namespace headscope {
namespace {

using Row = Eigen::Map<Eigen::ArrayXf>;
using ConstRow = Eigen::Map<const Eigen::ArrayXf>;

}  // namespace

std::vector<double> valueNorms(const Trace& trace, Index item, Index head) {
  const AttentionConfig& c = trace.config();
  const ConstMatrixView values = trace.tensor(TensorId::v).matrix({item, c.kvHead(head)});
  Tensor mapped = Tensor::uninitialised({c.keys(), c.dModel});
  const MatrixView rows = mapped.mutableMatrix();
  gemm(values, outputBlock(trace, head), rows);
  std::vector<double> norms;
  for (Index j = 0; j < rows.rows; ++j) {
    const ConstRow row(rows.row(j).data(), rows.cols);
    norms.push_back(std::sqrt(row.cast<double>().square().sum()));
  }
  return norms;
}

void weighByNorms(std::span<const float> weights, std::span<const float> norms,
                  std::span<float> out) {
  const auto size = static_cast<Index>(out.size());
  Row(out.data(), size) = ConstRow(weights.data(), size).abs() * ConstRow(norms.data(), size);
}

std::optional<Tensor> meanWeights(const Trace& trace, Index item, const Execution& execution) {
  const AttentionConfig& c = trace.config();
  const ThreadCount threads(threadsFor(c.seqLen * c.keys() * c.numHeads, execution.threads));
  Tensor mean = Tensor::uninitialised({c.seqLen, c.keys()});
  const MatrixView out = mean.mutableMatrix();
  overPieces(c.seqLen, execution, [&](Index i) {
    Row sum(out.row(i).data(), out.cols);
    sum.setZero();
    for (Index h = 0; h < c.numHeads; ++h) {
      const ConstMatrixView weights = trace.tensor(TensorId::weights).matrix({item, h});
      sum += ConstRow(weights.row(i).data(), weights.cols);
    }
    sum /= static_cast<float>(c.numHeads);
  });
  if (execution.stop()) return std::nullopt;
  return mean;
}

}  // namespace headscope
