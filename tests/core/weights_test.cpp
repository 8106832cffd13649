#include "core/attention/weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention/config.h"
#include "tests/core/test_files.h"

namespace headscope {
namespace {

AttentionConfig configOf(Index dModel, Index heads, Index kvHeads) {
  AttentionConfig config;
  config.dModel = dModel;
  config.numHeads = heads;
  config.numKvHeads = kvHeads;
  return config;
}

float largest(const Tensor& tensor) {
  float most = 0.0F;
  for (const float value : tensor.values()) most = std::max(most, std::abs(value));
  return most;
}

/// Uniform in ±bound: comes close to it, never passes it.
void expectBound(const Tensor& tensor, double bound) {
  EXPECT_LE(largest(tensor), static_cast<float>(bound));
  EXPECT_GT(largest(tensor), static_cast<float>(bound * 0.99));
}

TEST(Weights, XavierIsWhatMultiheadAttentionStartsFrom) {
  const Weights w = drawWeights(configOf(128, 8, 8), WeightInit::xavier, 1);
  expectBound(w.wQ, std::sqrt(6.0 / (4 * 128)));
  expectBound(w.wK, std::sqrt(6.0 / (4 * 128)));
  expectBound(w.wV, std::sqrt(6.0 / (4 * 128)));
  expectBound(w.wO, 1.0 / std::sqrt(128.0));
  for (const Tensor& bias : {w.bQ, w.bK, w.bV, w.bO}) EXPECT_EQ(largest(bias), 0.0F);
}

TEST(Weights, XavierOfGroupedHeadsTakesEachProjectionByItself) {
  const Weights w = drawWeights(configOf(128, 8, 2), WeightInit::xavier, 1);
  EXPECT_EQ(w.wK.shape(), (Shape{32, 128}));
  expectBound(w.wQ, std::sqrt(6.0 / 256));
  expectBound(w.wK, std::sqrt(6.0 / 160));
  expectBound(w.wO, 1.0 / std::sqrt(128.0));
}

TEST(Weights, NormalHasDeviationOneTenthBiasesToo) {
  const Weights w = drawWeights(configOf(128, 8, 8), WeightInit::normal, 1);
  double squares = 0.0;
  for (const float value : w.wQ.values()) squares += value * value;
  EXPECT_NEAR(std::sqrt(squares / (128 * 128)), 0.1, 0.002);
  EXPECT_GT(largest(w.bQ), 0.0F);
}

TEST(Weights, IdentityHasOnesOnTheDiagonal) {
  const Weights w = drawWeights(configOf(8, 4, 2), WeightInit::identity, 1);
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 8; ++j) EXPECT_EQ(w.wK.at({i, j}), i == j ? 1.0F : 0.0F);
  }
}

TEST(Weights, SeedsAndMatricesDiffer) {
  const AttentionConfig config = configOf(16, 2, 2);
  const Weights a = drawWeights(config, WeightInit::xavier, 1);
  const Weights b = drawWeights(config, WeightInit::xavier, 2);
  EXPECT_NE(a.wQ.values(), b.wQ.values());
  EXPECT_NE(a.wQ.values(), a.wK.values());
}

TEST(Weights, MemoryOfAnotherWidthShapesKeysAndValues) {
  AttentionConfig config = configOf(16, 2, 2);
  config.memoryLen = 3;
  config.memoryWidth = 10;
  const Weights w = drawWeights(config, WeightInit::xavier, 1);
  EXPECT_EQ(w.wK.shape(), (Shape{16, 10}));
  expectBound(w.wQ, std::sqrt(6.0 / 32));
}

TEST(Weights, NamesGoThereAndBack) {
  for (const auto init :
       {WeightInit::xavier, WeightInit::normal, WeightInit::identity, WeightInit::designed}) {
    EXPECT_EQ(weightInitFromString(toString(init)), init);
  }
  expectUserError([] { weightInitFromString("kaiming"); }, "kaiming",
                  "xavier, normal, identity, designed or learned");
}

TEST(Weights, WrongShapeIsNamedWithExpectedAndFound) {
  const AttentionConfig config = configOf(512, 8, 2);
  Weights w = drawWeights(config, WeightInit::xavier, 1);
  w.wK = Tensor::zeros({64, 512});
  expectUserError([&] { checkWeights(w, config, "layer.safetensors"); },
                  "W_K: expected (128, 512), found (64, 512) in layer.safetensors; ");
}

TEST(Weights, NotANumberIsNamedWithItsIndex) {
  const AttentionConfig config = configOf(32, 4, 4);
  Weights w = drawWeights(config, WeightInit::xavier, 1);
  EXPECT_NO_THROW(checkWeights(w, config, "layer.safetensors"));
  w.wQ.mutableMatrix()(3, 17) = std::numeric_limits<float>::quiet_NaN();
  expectUserError([&] { checkWeights(w, config, "layer.safetensors"); },
                  "W_Q[3, 17] is NaN in layer.safetensors; ");
  w.wQ.mutableMatrix()(3, 17) = -std::numeric_limits<float>::infinity();
  expectUserError([&] { checkWeights(w, config, "layer.safetensors"); }, "W_Q[3, 17] is −∞ in ");
}

}  // namespace
}  // namespace headscope
