// Passes for tests: documents of any shape with random operands, and comparisons of two traces.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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
Tensor randomTensor(Shape shape, std::uint64_t seed, std::string_view name, float scale);

/// Weights that give scores of some spread, and biases that are not 0.
Weights randomWeights(const AttentionConfig& c, std::uint64_t seed);

/// A document of these very operands.
DocumentPtr documentOf(const AttentionConfig& config, Tensor x, Tensor memory, Weights weights);

DocumentPtr randomDocument(const AttentionConfig& c, std::uint64_t seed = 1);

/// A copy of the document with `change` applied.
template <typename Change>
DocumentPtr changed(const DocumentPtr& document, Change change) {
  Document copy = *document;
  change(copy);
  return std::make_shared<const Document>(std::move(copy));
}

std::shared_ptr<const PaintedMask> painted(Index queries, Index keys,
                                           std::vector<std::uint8_t> allowed);

bool sameBits(const Tensor& a, const Tensor& b);

/// The tensors that the steps of a configuration compute.
std::vector<TensorId> resultsOf(const AttentionConfig& c);

/// Checks that every tensor and the fully masked rows of two traces agree bit for bit.
void expectSameBits(const Trace& a, const Trace& b);

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
std::vector<std::string> stepsThatRan(const Trace& trace);

}  // namespace headscope::test
