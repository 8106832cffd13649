#include "core/model/rollout.h"

#include <Eigen/Core>

#include "core/document/trace.h"

namespace headscope::model {
namespace {

using WeightMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const WeightMatrix> matrixOf(const Tensor& square) {
  return {square.data(), square.dim(0), square.dim(1)};
}

}  // namespace

Tensor meanAttention(const ModelTrace& trace, Index layer) {
  const Index tokens = trace.tokens(), heads = trace.config().heads;
  const TracePtr attention = trace.layer(layer);
  Tensor sum = Tensor::zeros({tokens, tokens});
  std::vector<float> rows(static_cast<std::size_t>(sum.size()));
  for (Index head = 0; head < heads; ++head) {
    attention->tile(TensorId::weights, 0, head, 0, tokens, 0, tokens, rows.data());
    for (Index i = 0; i < sum.size(); ++i) {
      sum.mutableData()[i] += rows[static_cast<std::size_t>(i)] / static_cast<float>(heads);
    }
  }
  return sum;
}

std::optional<Tensor> attentionRollout(const ModelTrace& trace, Index last,
                                       const ExecutionContext& execution) {
  const Index tokens = trace.tokens();
  WeightMatrix reached = WeightMatrix::Identity(tokens, tokens);
  for (Index layer = 0; layer <= last; ++layer) {
    if (execution.stop()) return std::nullopt;
    const Tensor mean = meanAttention(trace, layer);
    WeightMatrix mixed = 0.5F * matrixOf(mean);
    mixed.diagonal().array() += 0.5F;
    // a fully masked row leaves the residual stream alone
    mixed.array().colwise() /= mixed.rowwise().sum().array().eval();
    reached = (mixed * reached).eval();
  }
  return Tensor::fromValues({tokens, tokens},
                            {reached.data(), static_cast<std::size_t>(reached.size())});
}

}  // namespace headscope::model
