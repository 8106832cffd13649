// Passes for tests: documents of any shape with random operands, and comparisons of two traces.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/base/random.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/editing/make_document.h"

namespace headscope::test {

inline constexpr Index kBudget = Index{1} << 32;

/// Values uniform in ±scale.
inline Tensor randomTensor(Shape shape, std::uint64_t seed, std::string_view name, float scale) {
  const RandomStream stream(seed, name);
  Tensor tensor = Tensor::uninitialised(std::move(shape));
  for (Index n = 0; n < tensor.size(); ++n) {
    tensor.mutableData()[n] = stream.uniform(static_cast<std::uint64_t>(n)) * scale;
  }
  return tensor;
}

/// Weights that give scores of some spread, and biases that are not 0.
inline Weights randomWeights(const AttentionConfig& c, std::uint64_t seed) {
  const auto draw = [&](TensorId id, float scale) {
    return randomTensor(shapeOf(id, c), seed, info(id).name, scale);
  };
  const float scale = 1.7F / std::sqrt(static_cast<float>(c.dModel));
  Weights weights{draw(TensorId::wQ, scale), draw(TensorId::wK, scale), draw(TensorId::wV, scale),
                  draw(TensorId::wO, scale), draw(TensorId::bQ, 0.3F),  draw(TensorId::bK, 0.3F),
                  draw(TensorId::bV, 0.3F),  draw(TensorId::bO, 0.3F)};
  if (c.gate) {
    weights.wG = draw(TensorId::wG, scale);
    weights.bG = draw(TensorId::bG, 0.3F);
  }
  return weights;
}

/// A document of these very operands.
inline DocumentPtr documentOf(const AttentionConfig& config, Tensor x, Tensor memory,
                              Weights weights) {
  TensorSource source{"test", std::move(x), std::move(memory), {}, {}};
  Document document =
      *makeDocument("", config, InputSource(source), Positions::named, WeightSource{}, kBudget);
  document.weights = std::move(weights);
  document.weightSource.loadedFrom = "test";
  return std::make_shared<const Document>(std::move(document));
}

inline DocumentPtr randomDocument(const AttentionConfig& c, std::uint64_t seed = 1) {
  return documentOf(c, randomTensor(shapeOf(TensorId::x, c), seed, "x", 1.5F),
                    c.crossAttention()
                        ? randomTensor(shapeOf(TensorId::memory, c), seed, "memory", 1.5F)
                        : Tensor{},
                    randomWeights(c, seed));
}

/// A copy of the document with `change` applied.
template <typename Change>
DocumentPtr changed(const DocumentPtr& document, Change change) {
  Document copy = *document;
  change(copy);
  return std::make_shared<const Document>(std::move(copy));
}

inline std::shared_ptr<const PaintedMask> painted(Index queries, Index keys,
                                                  std::vector<std::uint8_t> allowed) {
  return std::make_shared<const PaintedMask>(PaintedMask{queries, keys, std::move(allowed)});
}

inline bool sameBits(const Tensor& a, const Tensor& b) {
  if (a.empty() || b.empty()) return a.empty() == b.empty();
  const auto left = a.values();
  const auto right = b.values();
  return a.shape() == b.shape() &&
         std::memcmp(left.data(), right.data(), left.size() * sizeof(float)) == 0;
}

/// The tensors that the steps of a configuration compute.
inline std::vector<TensorId> resultsOf(const AttentionConfig& c) {
  std::vector<TensorId> results;
  for (std::size_t i = 0; i < kEveryTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    if (isResult(id) && has(c, id)) results.push_back(id);
  }
  return results;
}

/// Checks that every tensor and the fully masked rows of two traces agree bit for bit.
inline void expectSameBits(const Trace& a, const Trace& b) {
  for (std::size_t i = 0; i < kEveryTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    if (!has(a.config(), id)) continue;
    EXPECT_TRUE(sameBits(a.materialise(id), b.materialise(id))) << info(id).name;
  }
  EXPECT_EQ(a.fullyMaskedRows, b.fullyMaskedRows);
}

/// The largest finite |value|, to which tolerances are relative.
template <typename Values>
double largest(const Values& values) {
  double most = 0.0;
  for (const auto value : values) {
    if (std::isfinite(value)) most = std::max(most, std::abs(static_cast<double>(value)));
  }
  return most;
}

/// Checks that values agree to `tolerance` relative to the largest one; infinities must be equal.
template <typename Expected>
void expectClose(const Tensor& actual, const Expected& expected, const std::string& name,
                 double tolerance = 1e-5) {
  const std::vector<float> values = actual.values();
  ASSERT_EQ(values.size(), expected.size()) << name;
  const double allowed = tolerance * largest(expected);
  double worst = 0.0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto want = static_cast<double>(expected[i]);
    const auto got = static_cast<double>(values[i]);
    if (std::isinf(want) || std::isinf(got)) {
      ASSERT_EQ(got, want) << name << ", value " << i;
      continue;
    }
    const double difference = std::abs(got - want);
    if (!(difference <= worst)) {
      worst = difference;
      at = i;
    }
  }
  EXPECT_LE(worst, allowed) << name << ", value " << at << ": " << values[at] << " is not "
                            << expected[at];
}

/// The ids of the steps that ran.
inline std::vector<std::string> stepsThatRan(const Trace& trace) {
  std::vector<std::string> ids;
  for (const StepRun& run : trace.steps) {
    if (run.ran) ids.emplace_back(step(run.step).text(trace.config()).id);
  }
  return ids;
}

}  // namespace headscope::test
