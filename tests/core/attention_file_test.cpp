// Attention files: the weights come back from the pass of the model that is made of them.
#include "core/formats/attention_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/document/trace.h"
#include "core/formats/model_directory.h"
#include "core/model/model_trace.h"
#include "core/tensor/safetensors.h"
#include "tests/core/test_files.h"

namespace headscope::formats {
namespace {

constexpr Index kBudget = Index{64} << 20;
constexpr Index kFileLayers = 2, kFileHeads = 3, kFileTokens = 5;

/// Rows of random shares that add up to 1, some of them 0.
Tensor randomShares(bool causal) {
  Tensor shares = Tensor::zeros({kFileLayers, kFileHeads, kFileTokens, kFileTokens});
  const RandomStream random(7, "shares");
  for (Index row = 0; row < shares.size() / kFileTokens; ++row) {
    float* cells = shares.mutableData() + row * kFileTokens;
    const Index keys = causal ? row % kFileTokens + 1 : kFileTokens;
    float sum = 0.0F;
    for (Index key = 0; key < keys; ++key) {
      const auto bits = random.bits(static_cast<std::uint64_t>(row * kFileTokens + key));
      cells[key] = bits % 4 == 0 && keys > 2 ? 0.0F : static_cast<float>(1 + bits % 1000);
      sum += cells[key];
    }
    if (sum == 0.0F) sum = cells[0] = 1.0F;
    for (Index key = 0; key < keys; ++key) cells[key] /= sum;
  }
  return shares;
}

class AttentionFile : public testing::Test {
 protected:
  std::filesystem::path write(const Tensor& weights, const std::string& tokens = "") {
    std::map<std::string, std::string> metadata;
    if (!tokens.empty()) metadata["tokens"] = tokens;
    const auto path = folder_ / "given.safetensors";
    writeSafetensors(path, std::vector<NamedTensor>{{"attentions", weights}}, metadata);
    return path;
  }
  /// The sentence with which a file is refused.
  std::string refusal(const Tensor& weights, const std::string& tokens = "") {
    try {
      openModel(write(weights, tokens), kBudget);
    } catch (const UserError& error) {
      return error.what();
    }
    return "it was opened";
  }
  TempFolder folder_;
};

TEST_F(AttentionFile, HeadsHaveTheGivenWeights) {
  for (const bool causal : {false, true}) {
    SCOPED_TRACE(causal);
    const Tensor given = randomShares(causal);
    const auto path = write(given, R"(["The","cat","sat","down","."])");
    ASSERT_TRUE(isModelFile(path));
    const model::ModelPtr model = openModel(path, kBudget);
    EXPECT_EQ(model->config().causal, causal);
    const auto input = inputOfAttentionFile(model->config(), {});
    EXPECT_EQ(input.tokens, (std::vector<std::string>{"The", "cat", "sat", "down", "."}));
    const auto trace = runModel(makeModelDocument(model, input), nullptr, {}, kBudget);
    for (Index layer = 0; layer < kFileLayers; ++layer) {
      const std::vector<float> weights = trace->layer(layer)->tensor(TensorId::weights).values();
      const float* expected = given.data() + layer * std::ssize(weights);
      for (std::size_t i = 0; i < weights.size(); ++i) {
        if (expected[i] == 0.0F) {
          EXPECT_EQ(weights[i], 0.0F) << i;
        } else {
          EXPECT_NEAR(weights[i], expected[i], 1e-6F) << i;
        }
      }
    }
  }
}

/// Cross-attention is that of a decoder, whose queries and keys have names of their own.
TEST_F(AttentionFile, CrossAttentionHasTheGivenWeights) {
  for (const auto& [queries, keys] : {std::pair<Index, Index>{2, 4}, {4, 2}, {3, 3}}) {
    SCOPED_TRACE(queries);
    Tensor given = Tensor::zeros({2, 3, queries, keys});
    for (Index row = 0; row < 6 * queries; ++row) {
      float* cells = given.mutableData() + row * keys;
      for (Index key = 0; key < keys; ++key) {
        cells[key] = static_cast<float>(1 + (row + key) % keys) /
                     (0.5F * static_cast<float>(keys * (keys + 1)));
      }
    }
    std::string names;
    for (Index key = 0; key < keys; ++key)
      names += fmt::format("{}\"k{}\"", key > 0 ? "," : "", key);
    const auto path = folder_ / "cross.safetensors";
    writeSafetensors(path, std::vector<NamedTensor>{{"attentions", given}},
                     {{"keys", "[" + names + "]"}});
    const model::ModelPtr model = openModel(path, kBudget);
    ASSERT_NE(model->encoder(), nullptr);
    const auto source = inputOfAttentionFile(model->encoder()->config(), {});
    EXPECT_EQ(source.tokens.back(), fmt::format("k{}", keys - 1));
    const auto memory = runModel(makeModelDocument(model->encoder(), source), nullptr, {}, kBudget);
    const auto trace =
        runModel(makeModelDocument(model, inputOfAttentionFile(model->config(), {}), memory),
                 nullptr, {}, kBudget);
    for (Index layer = 0; layer < 2; ++layer) {
      const std::vector<float> weights =
          trace->layer(2 * layer + 1)->tensor(TensorId::weights).values();
      ASSERT_EQ(std::ssize(weights), 3 * queries * keys);
      for (std::size_t i = 0; i < weights.size(); ++i) {
        EXPECT_NEAR(weights[i], given.data()[layer * std::ssize(weights) + static_cast<Index>(i)],
                    1e-6F);
      }
    }
  }
}

TEST_F(AttentionFile, SomePlacesGiveTheirWeightsInProportion) {
  const Tensor given = randomShares(false);
  const model::ModelPtr model = openModel(write(given), kBudget);
  const auto trace =
      runModel(makeModelDocument(model, inputOfAttentionFile(model->config(), {1, 3})), nullptr, {},
               kBudget);
  const float *row = given.data() + kFileTokens, sum = row[1] + row[3];
  EXPECT_NEAR(trace->layer(0)->value({TensorId::weights, 0, 0, 0, 1}), row[3] / sum, 1e-6F);
}

TEST_F(AttentionFile, SaysWhatIsWrongWithAFile) {
  EXPECT_NE(refusal(Tensor::zeros({2, 3, 5})).find("(layers, heads, queries, keys)"),
            std::string::npos);
  Tensor scores = randomShares(false);
  scores.mutableData()[kFileTokens * kFileTokens * kFileHeads + 1] = -0.25F;
  EXPECT_NE(refusal(scores).find("attentions[1, 0, 0]: the weight -0.25 is below 0"),
            std::string::npos);
  Tensor dropped = randomShares(false);
  dropped.mutableData()[0] += 0.5F;
  EXPECT_NE(refusal(dropped).find("attentions[0, 0, 0]: the row adds up to 1.5"),
            std::string::npos);
  EXPECT_NE(refusal(randomShares(true), R"(["a"])").find("has 1 names for 5 tokens"),
            std::string::npos);
  EXPECT_NE(refusal(randomShares(true), "[a").find("is no JSON"), std::string::npos);
  EXPECT_FALSE(isAttentionFile(folder_.file("text.safetensors", "no tensors")));
}

}  // namespace
}  // namespace headscope::formats
