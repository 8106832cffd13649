#include "tests/core/support/passes.h"

#include <cstring>

#include "core/attention/switches.h"

namespace headscope::test {

Tensor randomTensor(Shape shape, std::uint64_t seed, std::string_view name, float scale) {
  const RandomStream stream(seed, name);
  Tensor tensor = Tensor::uninitialised(std::move(shape));
  for (Index n = 0; n < tensor.size(); ++n) {
    tensor.mutableData()[n] = stream.uniform(static_cast<std::uint64_t>(n)) * scale;
  }
  return tensor;
}

Weights randomWeights(const AttentionConfig& c, std::uint64_t seed) {
  const auto draw = [&](TensorId id, float scale) {
    return randomTensor(shapeOf(id, c), seed, info(id).name, scale);
  };
  const float scale = 1.7F / std::sqrt(static_cast<float>(c.dModel));
  Weights weights{draw(TensorId::wQ, scale), draw(TensorId::wK, scale), draw(TensorId::wV, scale),
                  draw(TensorId::wO, scale), draw(TensorId::bQ, 0.3F),  draw(TensorId::bK, 0.3F),
                  draw(TensorId::bV, 0.3F),  draw(TensorId::bO, 0.3F)};
  if (c.switches->gate) {
    weights.wG = draw(TensorId::wG, scale);
    weights.bG = draw(TensorId::bG, 0.3F);
  }
  return weights;
}

DocumentPtr documentOf(const AttentionConfig& config, Tensor x, Tensor memory, Weights weights) {
  TensorSource source{"test", std::move(x), std::move(memory), {}, {}};
  Document document =
      *makeDocument("", config, InputSource(source), Positions::named, WeightSource{}, kBudget);
  document.weights = std::move(weights);
  document.weightSource.loadedFrom = "test";
  return std::make_shared<const Document>(std::move(document));
}

DocumentPtr randomDocument(const AttentionConfig& c, std::uint64_t seed) {
  return documentOf(c, randomTensor(shapeOf(TensorId::x, c), seed, "x", 1.5F),
                    c.crossAttention()
                        ? randomTensor(shapeOf(TensorId::memory, c), seed, "memory", 1.5F)
                        : Tensor{},
                    randomWeights(c, seed));
}

std::shared_ptr<const PaintedMask> painted(Index queries, Index keys,
                                           std::vector<std::uint8_t> allowed) {
  return std::make_shared<const PaintedMask>(PaintedMask{queries, keys, std::move(allowed)});
}

bool sameBits(const Tensor& a, const Tensor& b) {
  if (a.empty() || b.empty()) return a.empty() == b.empty();
  const auto left = a.values();
  const auto right = b.values();
  return a.shape() == b.shape() &&
         std::memcmp(left.data(), right.data(), left.size() * sizeof(float)) == 0;
}

std::vector<TensorId> resultsOf(const AttentionConfig& c) {
  std::vector<TensorId> results;
  for (std::size_t i = 0; i < kEveryTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    if (isResult(id) && has(c, id)) results.push_back(id);
  }
  return results;
}

void expectSameBits(const Trace& a, const Trace& b) {
  for (std::size_t i = 0; i < kEveryTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    if (!has(a.config(), id)) continue;
    EXPECT_TRUE(sameBits(a.materialise(id), b.materialise(id))) << info(id).name;
  }
  EXPECT_EQ(a.fullyMaskedRows, b.fullyMaskedRows);
}

std::vector<std::string> stepsThatRan(const Trace& trace) {
  std::vector<std::string> ids;
  for (const StepRun& run : trace.steps) {
    if (run.ran) ids.emplace_back(step(run.step).text(trace.config()).id);
  }
  return ids;
}

}  // namespace headscope::test
