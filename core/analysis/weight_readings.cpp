#include "core/analysis/weight_readings.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/analysis/head_effect.h"
#include "core/attention/config.h"
#include "core/base/execution.h"
#include "core/document/trace.h"
#include "core/platform/threads.h"
#include "core/tensor/gemm.h"

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

std::optional<Tensor> meanWeights(const Trace& trace, Index item,
                                  const ExecutionContext& execution) {
  const AttentionConfig& c = trace.config();
  const ScopedThreadLimit threads(threadsFor(c.seqLen * c.keys() * c.numHeads, execution.threads));
  Tensor mean = Tensor::uninitialised({c.seqLen, c.keys()});
  const MatrixView out = mean.mutableMatrix();
  parallelFor(c.seqLen, execution, [&](Index i) {
    Row sum(out.row(i).data(), out.cols);
    sum.setZero();
    for (Index h = 0; h < c.numHeads; ++h) {
      HeadRows weights(trace, TensorId::weights, item, h);
      sum += ConstRow(weights.row(i).data(), out.cols);
    }
    sum /= static_cast<float>(c.numHeads);
  });
  if (execution.stop()) return std::nullopt;
  return mean;
}

namespace {

/// Returns whether weight `a` at place `i` comes before `b` at `j`, largest first.
bool before(float a, Index i, float b, Index j) {
  const float x = std::abs(a);
  const float y = std::abs(b);
  return x > y || (x == y && i < j);
}

double magnitudeOf(std::span<const float> row) {
  double sum = 0.0;
  for (const float w : row) sum += std::abs(static_cast<double>(w));
  return sum;
}

}  // namespace

std::vector<Index> largestOfMass(std::span<const float> row, double mass, Index most) {
  std::vector<Index> heap;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (row[j] != 0.0F) heap.push_back(static_cast<Index>(j));
  }
  const auto at = [row](Index j) { return row[static_cast<std::size_t>(j)]; };
  const auto lower = [at](Index i, Index j) { return before(at(j), j, at(i), i); };
  std::make_heap(heap.begin(), heap.end(), lower);
  const double wanted = mass >= 1.0 ? std::numeric_limits<double>::max() : mass * magnitudeOf(row);
  std::vector<Index> found;
  double sum = 0.0;
  while (!heap.empty() && static_cast<Index>(found.size()) < most &&
         (found.empty() || sum < wanted)) {
    std::pop_heap(heap.begin(), heap.end(), lower);
    found.push_back(heap.back());
    heap.pop_back();
    sum += std::abs(static_cast<double>(at(found.back())));
  }
  return found;
}

bool isOfMass(std::span<const float> row, Index place, double mass) {
  const float own = row[static_cast<std::size_t>(place)];
  if (own == 0.0F) return false;
  if (mass >= 1.0) return true;
  double larger = 0.0;
  bool first = true;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (!before(row[j], static_cast<Index>(j), own, place)) continue;
    larger += std::abs(static_cast<double>(row[j]));
    first = false;
  }
  return first || larger < mass * magnitudeOf(row);
}

}  // namespace headscope
