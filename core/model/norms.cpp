#include "core/model/norms.h"

#include <algorithm>
#include <cmath>

#include "core/model/rows.h"

namespace headscope::model {
namespace {

/// A row x becomes n = (x − mean) · factor, then n · gain + bias.
struct RowNorm {
  double mean = 0.0, factor = 1.0;
};

RowNorm rowNormOf(const float* x, Index width, const NormKind& kind) {
  const auto n = static_cast<double>(width);
  double mean = 0.0;
  if (kind.centred) {
#pragma omp simd reduction(+ : mean)
    for (Index j = 0; j < width; ++j) mean += static_cast<double>(x[j]);
    mean /= n;
  }
  double squares = 0.0;
#pragma omp simd reduction(+ : squares)
  for (Index j = 0; j < width; ++j) {
    const double d = static_cast<double>(x[j]) - mean;
    squares += d * d;
  }
  return {mean, 1.0 / std::sqrt(squares / n + kind.epsilon)};
}

void normalizeRow(const float* x, float* y, Index width, const NormWeights& weights,
                  const NormKind& kind) {
  const auto [mean, factor] = rowNormOf(x, width, kind);
  const float* gain = weights.gain.data();
  const float* bias = weights.bias.empty() ? nullptr : weights.bias.data();
  for (Index j = 0; j < width; ++j) {
    const double value = (static_cast<double>(x[j]) - mean) * factor * static_cast<double>(gain[j]);
    y[j] = static_cast<float>(bias == nullptr ? value : value + static_cast<double>(bias[j]));
  }
}

/// dx = factor · (u − n · mean(u · n) − mean(u)), u = gain · dy; the last term of LayerNorm alone.
void normalizeRowBackward(const float* x, const float* dy, float* dx, Index width,
                          const float* gain, const NormKind& kind) {
  const RowNorm norm = rowNormOf(x, width, kind);
  const double mean = norm.mean, factor = norm.factor;  // Clang's OpenMP takes no bindings
  double meanU = 0.0, meanUn = 0.0;
#pragma omp simd reduction(+ : meanU, meanUn)
  for (Index j = 0; j < width; ++j) {
    const double u = static_cast<double>(gain[j]) * static_cast<double>(dy[j]);
    meanU += u;
    meanUn += u * (static_cast<double>(x[j]) - mean) * factor;
  }
  meanU = kind.centred ? meanU / static_cast<double>(width) : 0.0;
  meanUn /= static_cast<double>(width);
  for (Index j = 0; j < width; ++j) {
    const double u = static_cast<double>(gain[j]) * static_cast<double>(dy[j]);
    const double n = (static_cast<double>(x[j]) - mean) * factor;
    dx[j] = static_cast<float>(factor * (u - n * meanUn - meanU));
  }
}

/// The gradients of gain and bias: Σ dy · n and Σ dy over the rows, added up in blocks of rows so
/// that the bits are the same on every thread count.
void weightGradients(const Tensor& x, const Tensor& dy, const NormKind& kind, bool biased,
                     const ExecutionContext& execution, NormWeights& gradients) {
  constexpr Index kRowsOfBlock = 256;
  const Index width = x.dim(2), rows = x.dim(1);
  const Index blocks = (rows + kRowsOfBlock - 1) / kRowsOfBlock;
  Tensor sums = Tensor::zeros({blocks, 2, width});
  parallelFor(blocks, execution, [&](Index block) {
    float* gain = sums.mutableData() + block * 2 * width;
    float* bias = gain + width;
    for (Index row = block * kRowsOfBlock; row < std::min(rows, (block + 1) * kRowsOfBlock);
         ++row) {
      const float* from = x.data() + row * width;
      const float* d = dy.data() + row * width;
      const auto [mean, factor] = rowNormOf(from, width, kind);
      const auto centre = static_cast<float>(mean), times = static_cast<float>(factor);
      for (Index j = 0; j < width; ++j) {
        gain[j] += d[j] * ((from[j] - centre) * times);
        bias[j] += d[j];
      }
    }
  });
  gradients.gain = Tensor::zeros({width});
  if (biased) gradients.bias = Tensor::zeros({width});
  for (Index block = 0; block < blocks; ++block) {
    const float* gain = sums.data() + block * 2 * width;
    for (Index j = 0; j < width; ++j) gradients.gain.mutableData()[j] += gain[j];
    for (Index j = 0; biased && j < width; ++j) gradients.bias.mutableData()[j] += gain[width + j];
  }
}

}  // namespace

NormKind normKindOf(const ModelConfig& config) { return {!config.rmsNorm, config.normEpsilon}; }

Tensor normalized(const Tensor& x, const NormWeights& weights, const NormKind& kind,
                  const ExecutionContext& execution) {
  if (weights.gain.empty()) return x;
  const Index width = x.dim(2);
  Tensor y = Tensor::uninitialised(x.shape(), execution.memory);
  parallelForRows(x.dim(1), execution, [&](Index row) {
    normalizeRow(x.data() + row * width, y.mutableData() + row * width, width, weights, kind);
  });
  return y;
}

Tensor normalized(const Tensor& x, const NormWeights& weights, const ModelConfig& config,
                  const ExecutionContext& execution) {
  return normalized(x, weights, normKindOf(config), execution);
}

Tensor normalizedBackward(const Tensor& x, const Tensor& dy, const NormWeights& weights,
                          const NormKind& kind, const ExecutionContext& execution,
                          NormWeights* gradients) {
  if (weights.gain.empty()) return dy;
  if (gradients != nullptr) {
    weightGradients(x, dy, kind, !weights.bias.empty(), execution, *gradients);
  }
  const Index width = x.dim(2);
  Tensor dx = Tensor::uninitialised(x.shape(), execution.memory);
  parallelForRows(x.dim(1), execution, [&](Index row) {
    const Index at = row * width;
    normalizeRowBackward(x.data() + at, dy.data() + at, dx.mutableData() + at, width,
                         weights.gain.data(), kind);
  });
  return dx;
}

Tensor normalizedBackward(const Tensor& x, const Tensor& dy, const NormWeights& weights,
                          const ModelConfig& config, const ExecutionContext& execution) {
  return normalizedBackward(x, dy, weights, normKindOf(config), execution);
}

}  // namespace headscope::model
