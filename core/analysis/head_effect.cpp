#include "core/analysis/head_effect.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "core/analysis/head_metrics.h"
#include "core/attention/config.h"
#include "core/attention/steps/linear.h"
#include "core/attention/switches.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/tensor/gemm.h"

namespace headscope {
namespace {

using VectorRow = Eigen::Map<const Eigen::VectorXf>;

VectorRow vectorRow(const ConstMatrixView& m, Index row) { return {m.row(row).data(), m.cols}; }

double dot(const VectorRow& a, const VectorRow& b) {
  return a.cast<double>().dot(b.cast<double>());
}

}  // namespace

ConstMatrixView outputBlock(const Trace& trace, Index head) {
  const Index dK = trace.config().dK();
  const Tensor& wO = trace.tensor(TensorId::wO);
  return wO.matrixOf(Box{0, 0, 0, wO.dim(0), head * dK, dK}).transposed();
}

Tensor headTerm(const Trace& trace, Index item, Index head) {
  const AttentionConfig& c = trace.config();
  Tensor term = Tensor::uninitialised({c.seqLen, c.dModel});
  gemm(trace.tensor(joinedHeads(c)).matrix({item, head}), outputBlock(trace, head),
       term.mutableMatrix());
  return term;
}

Tensor outputWithGain(const Trace& trace, Index item, Index head, float gain) {
  const AttentionConfig& c = trace.config();
  Tensor mixed = Tensor::uninitialised({c.seqLen, c.dK()});
  const MatrixView change = mixed.mutableMatrix();
  const ConstMatrixView values = trace.tensor(TensorId::v).matrix({item, c.kvHead(head)});
  if (trace.holds(TensorId::weights)) {
    gemm(trace.tensor(TensorId::weights).matrix({item, head}), values, change);
  } else {
    HeadRows weights(trace, TensorId::weights, item, head);
    for (Index i = 0; i < c.seqLen; ++i) {
      gemm({weights.row(i).data(), 1, c.keys(), c.keys(), 1}, values,
           {change.row(i).data(), 1, change.cols, change.cols});
    }
  }
  const float more = gain - c.gain(head);
  for (Index i = 0; i < change.rows; ++i) {
    for (float& value : change.row(i)) value *= more;
  }
  for (const Pin& pin : trace.document().pins.of(TensorId::heads, item, head)) {
    change(pin.cell.row, pin.cell.col) = 0.0F;
  }
  if (c.switches->gate) {
    const ConstMatrixView gate = trace.tensor(TensorId::gate).matrix({item, head});
    for (Index i = 0; i < change.rows; ++i) {
      for (Index d = 0; d < change.cols; ++d) change(i, d) *= gate(i, d);
    }
  }
  Tensor output = Tensor::uninitialised({c.seqLen, c.dModel});
  const MatrixView sum = output.mutableMatrix();
  gemm(change, outputBlock(trace, head), sum);
  const ConstMatrixView before = trace.tensor(TensorId::output).matrix({item});
  for (Index i = 0; i < sum.rows; ++i) {
    for (Index d = 0; d < sum.cols; ++d) sum(i, d) += before(i, d);
  }
  return output;
}

std::vector<double> outputBlockNorms(const Trace& trace) {
  std::vector<double> norms;
  for (Index h = 0; h < trace.config().numHeads; ++h) {
    const ConstMatrixView columns = outputBlock(trace, h).transposed();
    double squares = 0.0;
    for (Index r = 0; r < columns.rows; ++r)
      squares += dot(vectorRow(columns, r), vectorRow(columns, r));
    norms.push_back(std::sqrt(squares));
  }
  return norms;
}

std::optional<HeadEffects> headEffects(const Trace& trace, Index item,
                                       const ExecutionContext& execution) {
  constexpr Index kRowsAtOnce = 128;
  const AttentionConfig& c = trace.config();
  const ConstMatrixView output = trace.tensor(TensorId::output).matrix({item});
  HeadEffects e;
  e.heads_ = c.numHeads;
  e.tokens_ = c.seqLen;
  for (Index i = 0; i < c.seqLen; ++i) {
    const VectorRow out = vectorRow(output, i);
    e.outputNorms_.push_back(std::sqrt(dot(out, out)));
    e.biasProducts_.push_back(
        c.switches->bias ? dot(VectorRow(trace.tensor(TensorId::bO).data(), c.dModel), out) : 0.0);
  }
  e.termNorms_.resize(static_cast<std::size_t>(c.numHeads * c.seqLen));
  e.products_.resize(e.termNorms_.size());
  const Index blocks = (c.seqLen + kRowsAtOnce - 1) / kRowsAtOnce;
  const Index flops = linearFlops({c.seqLen, c.dModel}, c.dModel, false);
  const ScopedThreadLimit threads(threadsFor(flops, execution.threads));
  parallelFor(blocks * c.numHeads, execution, [&](Index piece) {
    const Index head = piece / blocks;
    const Index begin = piece % blocks * kRowsAtOnce;
    const Index end = std::min(begin + kRowsAtOnce, e.tokens_);
    Tensor terms = Tensor::uninitialised({end - begin, output.cols});
    const MatrixView view = terms.mutableMatrix();
    const Box rows{item, head, begin, end - begin, 0, c.dK()};
    gemm(trace.tensor(joinedHeads(c)).matrixOf(rows), outputBlock(trace, head), view);
    for (Index i = begin; i < end; ++i) {
      const VectorRow term = vectorRow(view, i - begin);
      e.termNorms_[e.at(head, i)] = std::sqrt(dot(term, term));
      e.products_[e.at(head, i)] = dot(term, vectorRow(output, i));
    }
  });
  if (execution.stop()) return std::nullopt;
  return e;
}

std::optional<double> HeadEffects::overSquare(double product, Index token) const {
  const double norm = outputNorm(token);
  if (norm == 0.0) return std::nullopt;
  return product / norm / norm;
}

std::optional<double> HeadEffects::share(Index head, Index token) const {
  return overSquare(products_[at(head, token)], token);
}

std::optional<double> HeadEffects::biasShare(Index token) const {
  return overSquare(biasProducts_[static_cast<std::size_t>(token)], token);
}

MetricValue HeadEffects::ablation(Index head, const CountedRows& rows) const {
  if (rows.empty()) return MetricValue::undefined(rows.whyEmpty());
  double sum = 0.0;
  for (const CountedRow& row : rows.rows) {
    const auto share = effect(head, row.row);
    if (!share)
      return MetricValue::undefined(tr("an output has no length: there is nothing to compare"));
    if (!std::isfinite(*share)) {
      return MetricValue::undefined(tr("the head's part of the output overflows a 32-bit float"));
    }
    sum += *share;
  }
  return {sum / static_cast<double>(rows.rows.size()), {}};
}

}  // namespace headscope
