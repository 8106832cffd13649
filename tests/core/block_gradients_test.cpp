// Gradients of the blocks of a model one by one, where models of small sizes do not reach them:
// products in several panels, activations, and a network whose numbers are clamped.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/attention/steps/linear.h"
#include "core/model/experts.h"
#include "core/model/network.h"
#include "tests/core/support/passes.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;

/// dy · W in double.
std::vector<double> productOf(const Tensor& dy, const Tensor& weight) {
  const Index rows = dy.dim(0) * dy.dim(1), out = weight.dim(0), in = weight.dim(1);
  std::vector<double> dx(static_cast<std::size_t>(rows * in), 0.0);
  for (Index row = 0; row < rows; ++row) {
    for (Index o = 0; o < out; ++o) {
      const auto factor = static_cast<double>(dy.data()[row * out + o]);
      for (Index j = 0; j < in; ++j) {
        dx[static_cast<std::size_t>(row * in + j)] +=
            factor * static_cast<double>(weight.data()[o * in + j]);
      }
    }
  }
  return dx;
}

TEST(BlockGradients, OfAProductsInputAreThoseOfPackedAndPlainWeights) {
  for (const auto& [rows, out, in] :
       {std::array<Index, 3>{3, 5, 7}, {2, 128, 130}, {3, 129, 64}, {270, 300, 140}}) {
    const Tensor weight = randomTensor({out, in}, 1, "weight", 1.0F);
    const Tensor dy = randomTensor({1, rows, out}, 2, "dy", 1.0F);
    const std::vector<double> wanted = productOf(dy, weight);
    for (const Tensor& dx :
         {linearInputGradient(dy, weight, {}), linearInputGradient(dy, packed(weight), {})}) {
      ASSERT_EQ(dx.shape(), Shape({1, rows, in}));
      for (Index i = 0; i < dx.size(); ++i) {
        ASSERT_NEAR(static_cast<double>(dx.data()[i]), wanted[static_cast<std::size_t>(i)], 2e-5)
            << out << " " << in << " " << i;
      }
    }
  }
}

TEST(BlockGradients, ASkippedWeightGetsNone) {
  const Tensor weight = randomTensor({5, 7}, 1, "weight", 1.0F);
  const Tensor x = randomTensor({1, 3, 7}, 3, "x", 1.0F),
               dy = randomTensor({1, 3, 5}, 2, "dy", 1.0F);
  LinearBackward whole{weight, dy, true}, skipped{weight, dy, true, false};
  const Tensor dx = linearBackward(x, {&whole, 1}, {});
  EXPECT_EQ(linearBackward(x, {&skipped, 1}, {}).values(), dx.values());
  EXPECT_FALSE(whole.dWeight.empty());
  EXPECT_TRUE(skipped.dWeight.empty());
  EXPECT_TRUE(skipped.dBias.empty());
}

double activeAt(Activation activation, double x) {
  auto value = static_cast<float>(x);
  activate(activation, {&value, 1});
  return static_cast<double>(value);
}

TEST(BlockGradients, SlopesAreThoseOfTheActivations) {
  for (const Activation activation :
       {Activation::geluTanh, Activation::geluErf, Activation::geluQuick, Activation::relu,
        Activation::silu, Activation::none}) {
    for (const double x : {-6.0, -2.0, -0.75, -0.25, 0.25, 1.0, 3.5}) {
      constexpr double kApart = 1.0 / 32.0;
      const auto slope = [&](double step) {
        return (activeAt(activation, x + step) - activeAt(activation, x - step)) / (2.0 * step);
      };
      auto found = static_cast<float>(x);
      toSlopes(activation, {&found, 1});
      EXPECT_NEAR(static_cast<double>(found), (4.0 * slope(kApart) - slope(2.0 * kApart)) / 3.0,
                  3e-5)
          << static_cast<int>(activation) << " at " << x;
    }
    std::vector<float> far{-200.0F, 200.0F};
    toSlopes(activation, far);
    const bool linear = activation == Activation::none;
    EXPECT_EQ(far, (std::vector<float>{linear ? 1.0F : 0.0F, 1.0F}));
  }
}

/// Diagonal weights: number j of the output is (clamp(up_j) + 1) · g · σ(1.702 g), g = min(gate_j,
/// limit), of number j of x alone.
TEST(BlockGradients, AClampedNumberPassesNone) {
  ModelConfig config;
  config.experts.limit = 0.5;
  const auto diagonal = [](float factor) {
    Tensor w = Tensor::zeros({4, 4});
    for (Index j = 0; j < 4; ++j) w.mutableData()[j * 5] = factor;
    return packed(w);
  };
  FeedForward network;
  network.gate = diagonal(1.0F);
  network.up = diagonal(2.0F);
  network.down = diagonal(1.0F);
  // free; up below −limit; up above limit; both above
  const std::vector<float> values{0.125F, -0.75F, 0.375F, 0.75F};
  const Tensor x = Tensor::fromValues({1, 1, 4}, values);
  const Tensor dy = Tensor::fromValues({1, 1, 4}, std::vector<float>{1.0F, 1.0F, 1.0F, 1.0F});
  const Tensor dx = feedForwardBackward(x, dy, network, config, {});
  const auto at = [&](Index j, double by) {
    Tensor moved = x.clone();
    moved.mutableData()[j] += static_cast<float>(by);
    return static_cast<double>(feedForward(moved, network, config, {}).data()[j]);
  };
  for (Index j = 0; j < 4; ++j) {
    constexpr double kApart = 1.0 / 64.0;
    EXPECT_NEAR(static_cast<double>(dx.data()[j]), (at(j, kApart) - at(j, -kApart)) / (2 * kApart),
                2e-4)
        << j;
  }
  EXPECT_EQ(dx.data()[3], 0.0F);
}

/// Weights that are shares of all experts, so that one expert's weight falls where another's score
/// rises.
TEST(BlockGradients, OfExpertsWhoseWeightsDoNotAddUp) {
  ModelConfig config;
  config.gated = true;
  config.activation = Activation::silu;
  config.experts.count = 3;
  config.experts.perToken = 2;
  config.experts.normalised = false;
  config.experts.factor = 1.5;
  ExpertWeights weights;
  weights.router = randomTensor({3, 4}, 1, "router", 1.0F);
  for (std::uint64_t expert = 0; expert < 3; ++expert) {
    const auto draw = [&](const char* name, Shape shape) {
      return packed(randomTensor(std::move(shape), expert, name, 1.0F));
    };
    weights.each.push_back(
        {draw("gate", {6, 4}), draw("up", {6, 4}), draw("down", {4, 6}), {}, {}, {}});
  }
  const Tensor x = randomTensor({1, 5, 4}, 2, "x", 1.0F);
  const Tensor dy = randomTensor({1, 5, 4}, 3, "dy", 1.0F);
  for (const auto scoring : {Experts::Scoring::softmax, Experts::Scoring::sigmoid}) {
    config.experts.scoring = scoring;
    const Tensor dx = mixtureOfExpertsBackward(x, dy, weights, config, {});
    const auto at = [&](Index i, double by) {
      Tensor moved = x.clone();
      moved.mutableData()[i] += static_cast<float>(by);
      const Tensor y = mixtureOfExperts(moved, weights, config, {});
      double total = 0.0;
      for (Index j = 0; j < y.size(); ++j) {
        total += static_cast<double>(y.data()[j]) * static_cast<double>(dy.data()[j]);
      }
      return total;
    };
    for (Index i = 0; i < x.size(); ++i) {
      constexpr double kApart = 1.0 / 64.0;
      const auto slope = [&](double step) { return (at(i, step) - at(i, -step)) / (2.0 * step); };
      EXPECT_NEAR(static_cast<double>(dx.data()[i]),
                  (4.0 * slope(kApart) - slope(2.0 * kApart)) / 3.0, 1e-4)
          << i;
    }
  }
}

}  // namespace
}  // namespace headscope::test::models
