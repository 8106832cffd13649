#include "core/model/blocks.h"

#include <algorithm>
#include <vector>

#include "core/attention/steps/linear.h"
#include "core/model/experts.h"
#include "core/model/latent_input.h"
#include "core/model/network.h"
#include "core/model/norms.h"
#include "core/model/rows.h"
#include "core/tensor/sums.h"

namespace headscope::model {
namespace {

/// The output of a layer's attention as wide as the stream: latent attention pads it.
Tensor ownOutput(const Tensor& output, const ModelConfig& config) {
  return output.dim(2) == config.dModel ? output : copyOfColumns(output, 0, config.dModel);
}

/// The norm of the input of a parallel layer's network.
const NormWeights& parallelNorm(const LayerWeights& weights) {
  const bool oneNorm = weights.feedForwardNorm.gain.empty();
  return oneNorm ? weights.attentionNorm : weights.feedForwardNorm;
}

/// The output of a layer's network, or of its experts, for its input.
Tensor networkOutput(const Tensor& inner, const LayerWeights& weights, const ModelConfig& config,
                     const ExecutionContext& execution) {
  return weights.experts.each.empty() ? feedForward(inner, weights.feedForward, config, execution)
                                      : mixtureOfExperts(inner, weights.experts, config, execution);
}

Tensor networkOutputBackward(const Tensor& inner, const Tensor& dOutput,
                             const LayerWeights& weights, const ModelConfig& config,
                             const ExecutionContext& execution) {
  return weights.experts.each.empty()
             ? feedForwardBackward(inner, dOutput, weights.feedForward, config, execution)
             : mixtureOfExpertsBackward(inner, dOutput, weights.experts, config, execution);
}

}  // namespace

std::vector<Index> positionRows(const ModelConfig& config, std::span<const Index> ids) {
  std::vector<Index> rows;
  Index next = config.firstPosition;
  for (const Index id : ids) {
    rows.push_back(config.padToken >= 0 && id == config.padToken ? config.padToken : next++);
  }
  return rows;
}

Tensor embed(const Embedding& embedding, const ModelConfig& config, std::span<const Index> ids,
             std::span<const Index> types, const ExecutionContext& execution) {
  const Index width = config.embeddingRows();
  Tensor h = Tensor::uninitialised({1, std::ssize(ids), width}, execution.memory);
  const std::vector<Index> places = positionRows(config, ids);
  const auto addRow = [&](Tensor& to, Index row, const Tensor& table, Index from) {
    const Index columns = to.dim(2);
    const float* values = table.data() + from * columns;
    float* into = to.mutableData() + row * columns;
    for (Index j = 0; j < columns; ++j) into[j] += values[j];
  };
  // positions as wide as the stream are added behind the projection
  const bool positionsBefore = !embedding.positions.empty() && embedding.positions.dim(1) == width;
  const auto factor = static_cast<float>(config.embeddingFactor);
  parallelForRows(std::ssize(ids), execution, [&](Index row) {
    const auto at = static_cast<std::size_t>(row);
    float* to = h.mutableData() + row * width;
    embedding.tokens.copyRow(ids[at], to);
    if (factor != 1.0F) std::transform(to, to + width, to, [=](float x) { return x * factor; });
    if (!embedding.types.empty()) addRow(h, row, embedding.types, types.empty() ? 0 : types[at]);
    if (positionsBefore) addRow(h, row, embedding.positions, places[at]);
  });
  h = normalized(h, embedding.norm, config, execution);
  if (!embedding.projection.empty()) {
    h = linear(h, embedding.projection, embedding.projectionBias, execution);
  }
  if (embedding.positions.empty() || positionsBefore) return h;
  parallelForRows(std::ssize(ids), execution, [&](Index row) {
    addRow(h, row, embedding.positions, places[static_cast<std::size_t>(row)]);
  });
  return h;
}

Tensor attentionInput(const Tensor& stream, const LayerWeights& weights, const ModelConfig& config,
                      const ExecutionContext& execution) {
  if (!config.preNorm) return stream;
  const Tensor x = normalized(stream, weights.attentionNorm, config, execution);
  return config.latent.on() ? latentInput(x, weights.latent, config, execution) : x;
}

Tensor attentionInputBackward(const Tensor& stream, const Tensor& dX, const LayerWeights& weights,
                              const ModelConfig& config, const ExecutionContext& execution) {
  if (!config.preNorm) return dX;
  Tensor d = dX;
  if (config.latent.on()) {
    d = latentInputBackward(normalized(stream, weights.attentionNorm, config, execution), dX,
                            weights.latent, config, execution);
  }
  return normalizedBackward(stream, d, weights.attentionNorm, config, execution);
}

Tensor attentionAddition(const Tensor& output, const LayerWeights& weights,
                         const ModelConfig& config, const ExecutionContext& execution) {
  const Tensor own = ownOutput(output, config);
  if (!config.preNorm) return own;
  return scaled(normalized(own, weights.attentionOutputNorm, config, execution),
                config.residualFactor, execution);
}

Tensor withAddition(const Tensor& stream, const Tensor& addition, const NormWeights& norm,
                    const ModelConfig& config, const ExecutionContext& execution) {
  const Tensor added = sum(stream, addition, 1.0, execution);
  return config.preNorm ? added : normalized(added, norm, config, execution);
}

Tensor afterAttention(const Tensor& stream, const Tensor& output, const LayerWeights& weights,
                      const ModelConfig& config, const ExecutionContext& execution) {
  return withAddition(stream, attentionAddition(output, weights, config, execution),
                      weights.attentionNorm, config, execution);
}

AfterAttentionGradients afterAttentionBackward(const Tensor& stream, const Tensor& output,
                                               const Tensor& dHalf, const LayerWeights& weights,
                                               const ModelConfig& config,
                                               const ExecutionContext& execution) {
  const Tensor own = ownOutput(output, config);
  Tensor dStream = dHalf, dOwn;
  if (config.preNorm) {
    dOwn = normalizedBackward(own, scaled(dHalf, config.residualFactor, execution),
                              weights.attentionOutputNorm, config, execution);
  } else {
    dStream = dOwn = normalizedBackward(sum(stream, own, 1.0, execution), dHalf,
                                        weights.attentionNorm, config, execution);
  }
  if (output.dim(2) == config.dModel) return {dStream, dOwn};
  Tensor dOutput = Tensor::zeros(output.shape());
  copyColumns(dOwn, 0, config.dModel, dOutput, 0);
  return {dStream, dOutput};
}

const NormWeights* networkNorm(const LayerWeights& weights, const ModelConfig& config) {
  if (!config.preNorm) return nullptr;
  return config.parallel ? &parallelNorm(weights) : &weights.feedForwardNorm;
}

Tensor networkInput(const Tensor& stream, const Tensor& half, const LayerWeights& weights,
                    const ModelConfig& config, const ExecutionContext& execution) {
  const NormWeights* norm = networkNorm(weights, config);
  if (norm == nullptr) return half;
  return normalized(config.parallel ? stream : half, *norm, config, execution);
}

Tensor networkAddition(const Tensor& stream, const Tensor& half, const LayerWeights& weights,
                       const ModelConfig& config, const ExecutionContext& execution) {
  const Tensor inner = networkInput(stream, half, weights, config, execution);
  const Tensor output = networkOutput(inner, weights, config, execution);
  if (!config.preNorm) return output;
  return scaled(normalized(output, weights.feedForwardOutputNorm, config, execution),
                config.residualFactor, execution);
}

Tensor afterNetwork(const Tensor& stream, const Tensor& half, const LayerWeights& weights,
                    const ModelConfig& config, const ExecutionContext& execution) {
  if (!weights.hasNetwork()) return half;
  return withAddition(half, networkAddition(stream, half, weights, config, execution),
                      weights.feedForwardNorm, config, execution);
}

AfterNetworkGradients afterNetworkBackward(const Tensor& stream, const Tensor& half,
                                           const Tensor& dWhole, const LayerWeights& weights,
                                           const ModelConfig& config,
                                           const ExecutionContext& execution) {
  if (!weights.hasNetwork()) return {{}, dWhole, {}, {}, {}};
  const Tensor inner = networkInput(stream, half, weights, config, execution);
  const bool outputNeeded = !config.preNorm || !weights.feedForwardOutputNorm.gain.empty();
  const Tensor output = outputNeeded ? networkOutput(inner, weights, config, execution) : Tensor();
  if (!config.preNorm) {
    const Tensor dSum = normalizedBackward(sum(half, output, 1.0, execution), dWhole,
                                           weights.feedForwardNorm, config, execution);
    const Tensor dInner = networkOutputBackward(inner, dSum, weights, config, execution);
    return {{}, sum(dSum, dInner, 1.0, execution), dSum, dSum, dInner};
  }
  const Tensor dOutput =
      normalizedBackward(output, scaled(dWhole, config.residualFactor, execution),
                         weights.feedForwardOutputNorm, config, execution);
  const Tensor dInner = networkOutputBackward(inner, dOutput, weights, config, execution);
  if (config.parallel) {
    return {normalizedBackward(stream, dInner, parallelNorm(weights), config, execution), dWhole,
            dWhole, dOutput, dInner};
  }
  const Tensor dRead = normalizedBackward(half, dInner, weights.feedForwardNorm, config, execution);
  return {{}, sum(dWhole, dRead, 1.0, execution), dWhole, dOutput, dInner};
}

}  // namespace headscope::model
