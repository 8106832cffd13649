#include "core/model/latent_input.h"

#include "core/attention/steps/linear.h"
#include "core/model/norms.h"
#include "core/model/rows.h"
#include "core/tensor/sums.h"

namespace headscope::model {
namespace {

NormKind latentNorm(const Latent& latent) { return {false, latent.epsilon}; }

}  // namespace

Tensor latentInput(const Tensor& x, const LatentWeights& weights, const ModelConfig& config,
                   const ExecutionContext& execution) {
  const Latent& latent = config.latent;
  const NormKind kind = latentNorm(latent);
  Tensor queries = x;
  if (!weights.queries.empty()) {
    queries = normalized(linear(x, weights.queries, weights.queriesBias, execution),
                         weights.queriesNorm, kind, execution);
  }
  const Tensor keys = linear(x, weights.keys, weights.keysBias, execution);
  const Tensor values =
      normalized(copyOfColumns(keys, 0, latent.keys), weights.keysNorm, kind, execution);
  Tensor all = Tensor::zeros({1, x.dim(1), config.attentionWidth()});
  copyColumns(queries, 0, queries.dim(2), all, 0);
  copyColumns(values, 0, latent.keys, all, queries.dim(2));
  copyColumns(keys, latent.keys, latent.rotated, all, queries.dim(2) + latent.keys);
  return all;
}

Tensor latentInputBackward(const Tensor& x, const Tensor& d, const LatentWeights& weights,
                           const ModelConfig& config, const ExecutionContext& execution) {
  const Latent& latent = config.latent;
  const NormKind kind = latentNorm(latent);
  const Index queries = weights.queries.empty() ? x.dim(2) : weights.queries.dim(0);
  Tensor dx = copyOfColumns(d, 0, queries);
  if (!weights.queries.empty()) {
    dx = normalizedBackward(linear(x, weights.queries, weights.queriesBias, execution), dx,
                            weights.queriesNorm, kind, execution);
    dx = linearInputGradient(dx, weights.queries, execution);
  }
  const Tensor keys = linear(x, weights.keys, weights.keysBias, execution);
  const Tensor values =
      normalizedBackward(copyOfColumns(keys, 0, latent.keys),
                         copyOfColumns(d, queries, latent.keys), weights.keysNorm, kind, execution);
  Tensor dKeys = Tensor::uninitialised(keys.shape(), execution.memory);
  copyColumns(values, 0, latent.keys, dKeys, 0);
  copyColumns(d, queries + latent.keys, latent.rotated, dKeys, latent.keys);
  return sum(dx, linearInputGradient(dKeys, weights.keys, execution), 1.0, execution);
}

}  // namespace headscope::model
