#include "core/training/optimiser.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace headscope::training {
namespace {

constexpr Index kBlock = 8192;

using Numbers = Eigen::Map<Eigen::ArrayXf>;
using ConstNumbers = Eigen::Map<const Eigen::ArrayXf>;

/// A range of one parameter's numbers, as a piece of work.
struct Piece {
  std::size_t parameter;
  Index begin, count;
};

std::vector<Piece> piecesOf(std::span<const Parameter> parameters) {
  std::vector<Piece> pieces;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const Index size = parameters[p].value.size();
    for (Index i = 0; i < size; i += kBlock) pieces.push_back({p, i, std::min(kBlock, size - i)});
  }
  return pieces;
}

double sumOfSquares(const float* values, Index count) {
  return ConstNumbers(values, count).cast<double>().square().sum();
}

void descend(Parameter& parameter, const Piece& piece, const OptimiserSettings& s, double clipped) {
  Numbers value(parameter.value.mutableData() + piece.begin, piece.count);
  const ConstNumbers gradient(parameter.gradient.data() + piece.begin, piece.count);
  if (s.weightDecay > 0.0) value *= static_cast<float>(1.0 - s.learningRate * s.weightDecay);
  value -= static_cast<float>(s.learningRate * clipped) * gradient;
}

void adam(Parameter& parameter, const Piece& piece, const OptimiserSettings& s, Index step,
          double clipped) {
  Numbers value(parameter.value.mutableData() + piece.begin, piece.count);
  Numbers mean(parameter.mean.mutableData() + piece.begin, piece.count);
  Numbers square(parameter.square.mutableData() + piece.begin, piece.count);
  const ConstNumbers gradient(parameter.gradient.data() + piece.begin, piece.count);
  const auto b1 = static_cast<float>(s.beta1);
  const auto b2 = static_cast<float>(s.beta2);
  const auto c = static_cast<float>(clipped);
  const auto n = static_cast<double>(step);
  const double firstBias = 1.0 - std::pow(s.beta1, n);
  const auto rate = static_cast<float>(s.learningRate / firstBias);
  const auto rootBias = static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(s.beta2, n)));
  if (s.weightDecay > 0.0) value *= static_cast<float>(1.0 - s.learningRate * s.weightDecay);
  mean = b1 * mean + ((1.0F - b1) * c) * gradient;
  square = b2 * square + ((1.0F - b2) * c * c) * gradient.square();
  value -= rate * mean / (square.sqrt() * rootBias + static_cast<float>(s.epsilon));
}

}  // namespace

double lengthOf(const Tensor& gradient) {
  double sum = 0.0;
  for (Index i = 0; i < gradient.size(); i += kBlock) {
    sum += sumOfSquares(gradient.data() + i, std::min(kBlock, gradient.size() - i));
  }
  return std::sqrt(sum);
}

double takeStep(std::span<Parameter> parameters, const OptimiserSettings& settings, Index step,
                const ExecutionContext& execution) {
  const std::vector<Piece> pieces = piecesOf(parameters);
  std::vector<double> squares(pieces.size());
  parallelFor(static_cast<Index>(pieces.size()), execution, [&](Index i) {
    const Piece& piece = pieces[static_cast<std::size_t>(i)];
    squares[static_cast<std::size_t>(i)] =
        sumOfSquares(parameters[piece.parameter].gradient.data() + piece.begin, piece.count);
  });
  double sum = 0.0;
  for (const double s : squares) sum += s;
  const double length = std::sqrt(sum);
  if (!std::isfinite(length)) return length;
  // as torch.nn.utils.clip_grad_norm_
  const double clipped = settings.clip > 0.0 ? std::min(1.0, settings.clip / (length + 1e-6)) : 1.0;
  const bool isAdam = settings.method == OptimiserSettings::Method::adam;
  for (Parameter& parameter : parameters) {
    if (!isAdam || !parameter.mean.empty()) continue;
    parameter.mean = Tensor::zeros(parameter.value.shape());
    parameter.square = Tensor::zeros(parameter.value.shape());
  }
  parallelFor(static_cast<Index>(pieces.size()), execution, [&](Index i) {
    const Piece& piece = pieces[static_cast<std::size_t>(i)];
    Parameter& parameter = parameters[piece.parameter];
    if (isAdam) {
      adam(parameter, piece, settings, step, clipped);
    } else {
      descend(parameter, piece, settings, clipped);
    }
  });
  return length;
}

}  // namespace headscope::training
