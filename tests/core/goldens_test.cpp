// PyTorch's numbers (tests/data/README.md): every case, every tensor it stores.
#include "tests/core/support/goldens.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <tuple>

#include "tests/core/support/reference.h"
#include "tests/core/test_files.h"

namespace headscope::test {
namespace {

class GoldenCase : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(GoldenCase, AgreesWithPyTorch) {
  const SafetensorsFile file(golden(std::get<0>(GetParam())));
  const Golden golden = goldenOf(file);
  ExecutionContext execution;
  execution.threads = std::get<1>(GetParam());
  execution.flopsPerThread = 1;  // however small
  const TracePtr trace = runAttention(goldenDocument(file), nullptr, execution);
  const AttentionConfig& c = trace->config();
  ASSERT_EQ(c, golden.config);

  int compared = 0;
  for (std::size_t i = kFirstResult; i < kTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    const std::string name = "expected." + std::string(info(id).name);
    if (!file.has(name)) continue;
    ++compared;
    EXPECT_EQ(file.shape(name), shapeOf(id, c)) << name;
    expectClose(trace->materialise(id), file.readAny(name).values(), name);
  }
  EXPECT_EQ(compared, golden.storedInputs ? 9 : 3);

  const Tensor masked = trace->materialise(TensorId::maskedScores);
  const Tensor scores = trace->materialise(TensorId::scores);
  const Tensor& weights = trace->tensor(TensorId::weights);
  for (Index b = 0; b < c.batch; ++b) {
    for (Index h = 0; h < c.numHeads; ++h) {
      for (Index i = 0; i < c.seqLen; ++i) {
        double sum = 0.0;
        for (Index j = 0; j < c.keys(); ++j) {
          const float weight = weights.at({b, h, i, j});
          sum += weight;
          if (mayAttend(c, b, i, j)) {
            EXPECT_EQ(masked.at({b, h, i, j}), scores.at({b, h, i, j}));
          } else {
            EXPECT_EQ(masked.at({b, h, i, j}), -std::numeric_limits<float>::infinity());
            EXPECT_EQ(weight, 0.0F);
          }
        }
        EXPECT_NEAR(sum, 1.0, 1e-6);
      }
    }
  }
  EXPECT_TRUE(trace->fullyMaskedRows.empty());
}

INSTANTIATE_TEST_SUITE_P(All, GoldenCase,
                         testing::Combine(testing::ValuesIn(kGoldens), testing::Values(1, 2)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_threads_" +
                                  std::to_string(std::get<1>(test.param));
                         });

/// A file saved by a user with torch's own names, and no other tensors in it.
TEST(Golden, PlainStateDictRuns) {
  const formats::LoadedWeights loaded =
      formats::loadWeights(SafetensorsFile(golden("plain_mha_d24_h4")));
  AttentionConfig config;
  config.dModel = loaded.dModel;
  config.numHeads = config.numKvHeads = 4;
  const DocumentPtr document =
      documentOf(config, randomTensor({1, 6, 24}, 1, "x", 1.0F), {}, loaded.weights);
  const TracePtr trace = runAttention(document);
  for (const auto& [id, expected] : referencePass(*document)) {
    expectClose(trace->materialise(id), expected, std::string(info(id).name));
  }
}

}  // namespace
}  // namespace headscope::test
