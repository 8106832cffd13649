// The steps' own words: the formulas and lines of PyTorch are those of the configuration at hand.
#include <gtest/gtest.h>

#include <memory>

#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/attention/switches.h"

namespace headscope::test {
namespace {

std::string pytorch(StepId id, const AttentionConfig& config) {
  return step(id).text(config).pytorchLine();
}

AttentionConfig crossConfig() {
  AttentionConfig config;
  config.memoryLen = 9;
  return config;
}

AttentionConfig groupedConfig() {
  AttentionConfig config;
  config.numKvHeads = 2;
  return config;
}

TEST(StepText, ProjectNamesAllThreeProjections) {
  const StepText text = step(StepId::project).text({});
  EXPECT_EQ(text.formula, "Q, K, V = X W + b");
  EXPECT_EQ(text.pytorchLine(),
            "q_proj = x @ W_Q.T + b_Q; k_proj = x @ W_K.T + b_K; v_proj = x @ W_V.T + b_V");
}

TEST(StepText, KeysAndValuesOfCrossAttentionComeFromTheMemory) {
  AttentionConfig config = crossConfig();
  config.switches->bias = false;
  const StepText text = step(StepId::project).text(config);
  EXPECT_EQ(text.formula, "X W^Q, memory W^{K,V}");
  EXPECT_EQ(text.flow, "Q = X W; K, V = memory W");
  EXPECT_EQ(text.pytorchLine(),
            "q_proj = x @ W_Q.T; k_proj = memory @ W_K.T; v_proj = memory @ W_V.T");
  EXPECT_EQ(pytorch(StepId::split, config),
            "q = q_proj.view(B, T, 8, 64).transpose(1, 2); "
            "k = k_proj.view(B, M, 8, 64).transpose(1, 2); "
            "v = v_proj.view(B, M, 8, 64).transpose(1, 2)");
}

TEST(StepText, SharedKeysAndValuesAreRepeated) {
  EXPECT_EQ(step(StepId::split).text({}).formula, "512 = 8 × 64");
  EXPECT_EQ(step(StepId::split).text(groupedConfig()).formula, "8 × 64; k, v: 2 × 64");
  EXPECT_EQ(pytorch(StepId::split, groupedConfig()),
            "q = q_proj.view(B, T, 8, 64).transpose(1, 2); "
            "k = k_proj.view(B, T, 2, 64).transpose(1, 2); "
            "v = v_proj.view(B, T, 2, 64).transpose(1, 2)");
  EXPECT_EQ(pytorch(StepId::score, {}), "raw_scores = q @ k.transpose(-2, -1)");
  EXPECT_EQ(pytorch(StepId::score, groupedConfig()),
            "raw_scores = q @ k.repeat_interleave(4, 1).transpose(-2, -1)");
  EXPECT_EQ(pytorch(StepId::weigh, {}), "heads = weights @ v");
  EXPECT_EQ(pytorch(StepId::weigh, groupedConfig()), "heads = weights @ v.repeat_interleave(4, 1)");
}

TEST(StepText, AGainIsOnePerHead) {
  AttentionConfig config = groupedConfig();
  config.headGains.assign(8, 1.0F);
  EXPECT_EQ(step(StepId::weigh).text(config).formula, "A V");
  config.headGains[3] = 0.0F;
  EXPECT_EQ(step(StepId::weigh).text(config).formula, "g A V");
  EXPECT_EQ(pytorch(StepId::weigh, config),
            "heads = gain.view(1, 8, 1, 1) * (weights @ v.repeat_interleave(4, 1))");
}

TEST(StepText, SoftmaxGivesNoNaNWhereARowMayBeFullyMasked) {
  const std::string plain = "weights = masked_scores.softmax(dim=-1)";
  const std::string guarded = plain + ".nan_to_num(0)";
  AttentionConfig config;
  config.mask.causal = true;
  config.mask.window = 2;
  EXPECT_EQ(pytorch(StepId::softmax, config), plain);
  config.mask.lengths = {5};
  EXPECT_EQ(pytorch(StepId::softmax, config), plain);
  config.mask.lengths = {4};  // query 5 sees keys 4 and 5
  EXPECT_EQ(pytorch(StepId::softmax, config), guarded);
  config.mask = {};
  config.batch = 2;
  config.mask.lengths = {6, 0};
  EXPECT_EQ(pytorch(StepId::softmax, config), guarded);
  config.mask = {};
  config.mask.painted = std::make_shared<PaintedMask>();
  EXPECT_EQ(pytorch(StepId::softmax, config), guarded);
  config = crossConfig();
  config.memoryLen = 3;
  config.mask.window = 3;  // query 5 sees keys 3 and on
  EXPECT_EQ(pytorch(StepId::softmax, config), guarded);
}

}  // namespace
}  // namespace headscope::test
