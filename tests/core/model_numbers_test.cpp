// Invalid numbers in a model: a weight that is not finite is named with its cell anywhere in the
// model, and is distinguished from finite weights whose pass overflows.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/model/compositions.h"
#include "core/model/generation.h"
#include "core/model/logit_lens.h"
#include "core/model/network.h"
#include "core/model/readout.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;

constexpr float kNearlyTooLarge = 3e38F;

/// A Llama with a readout of its own.
ModelFolder untied() {
  ModelFolder m("tiny-llama");
  m.config["tie_word_embeddings"] = false;
  m.tensors["lm_head.weight"] = m.tensors.at("model.embed_tokens.weight");
  return m;
}

/// Every tensor in turn, its last cell, which no token of this text needs in an embedding.
TEST(ModelNumbers, AWeightThatIsNotFiniteIsNamedWhereverItStands) {
  for (const ModelFolder& whole : {ModelFolder("tiny-gpt2"), ModelFolder("tiny-bert"), untied()}) {
    float bad = std::nanf("");
    for (const auto& [name, tensor] : whole.tensors) {
      ModelFolder m = whole;
      m.own(name).mutableData()[tensor.size() - 1] = bad;
      std::string cell = std::to_string(tensor.dim(0) - 1);
      if (tensor.rank() == 2) cell += ", " + std::to_string(tensor.dim(1) - 1);
      SCOPED_TRACE(name);
      expectUserError(
          [&] {
            logitsOf(opened(m), {1, 65});
          },
          name + "[" + cell + "] is " + (std::isnan(bad) ? "NaN" : "−∞") + " in ",
          "model.safetensors");
      bad = std::isnan(bad) ? -std::numeric_limits<float>::infinity() : std::nanf("");
    }
  }
}

TEST(ModelNumbers, NothingThatReadsWeightsContinuesWithOneThatIsNotFinite) {
  ModelFolder m("tiny-gpt2");
  m.own("transformer.h.1.attn.c_attn.weight").mutableData()[3 * 96 + 5] = std::nanf("");
  const char* const named = "transformer.h.1.attn.c_attn.weight[3, 5] is NaN";
  expectUserError([&] { composeHeads(*opened(m), {}); }, named);
  expectUserError([&] { opened(m)->layer(1); }, named);
  ModelFolder tied("tiny-gpt2");
  tied.own("transformer.wte.weight").mutableData()[399 * 32] = std::nanf("");
  expectUserError([&] { opened(tied)->embedding(); }, "transformer.wte.weight[399, 0] is NaN");
  expectUserError([&] { opened(tied)->readout(); }, "transformer.wte.weight[399, 0] is NaN");
}

TEST(ModelNumbers, FiniteWeightsThatOverflowAreReportedAsThat) {
  const auto refused = [](ModelFolder m, const std::vector<std::string>& large,
                          const std::string& part) {
    for (const std::string& name : large) m.fill(name, kNearlyTooLarge);
    expectUserError(
        [&] {
          logitsOf(opened(m), {1, 65});
        },
        part, "overflows a 32-bit float", "the weights are finite, but too large");
  };
  const ModelFolder gpt2("tiny-gpt2"), bert("tiny-bert"), llama = untied();
  refused(gpt2, {"transformer.wte.weight", "transformer.wpe.weight"}, "the embedding at token 0");
  refused(gpt2, {"transformer.ln_f.weight", "transformer.ln_f.bias"}, "the final norm at token 0");
  refused(llama, {"model.layers.1.input_layernorm.weight"}, "the norm before layer 2's attention");
  refused(llama, {"model.layers.0.mlp.down_proj.weight"},
          "layer 1's feed-forward network at token");
  refused(llama, {"lm_head.weight"}, "the logits at token 0");
  refused(bert, {"bert.encoder.layer.1.attention.output.LayerNorm.weight"},
          "layer 2's attention at");
  refused(bert, {"cls.predictions.transform.LayerNorm.weight"}, "the logits at token 0");
}

/// The function that reads the logits names the row that overflows.
TEST(ModelNumbers, ARowOfLogitsThatOverflowsIsNamed) {
  const ModelPtr model = opened(ModelFolder("tiny-gpt2"));
  Readout readout;
  readout.decoder = Tensor::fromValues({2, 2}, std::vector<float>{kNearlyTooLarge, 0, 0, 1});
  const Tensor hidden = Tensor::fromValues({1, 3, 2}, std::vector<float>{1, 1, 1, 2, 2, 0});
  const auto name = [](Index row) { return "row " + std::to_string(row); };
  expectUserError([&] { logitsOf(hidden, readout, model->config(), {}, name); },
                  "a number of row 2 overflows");
}

/// Only tokens with a large embedding overflow, and the model predicts such a token next.
TEST(ModelNumbers, ATokenThatIsGeneratedMayOverflow) {
  constexpr Index kLarge = 7;
  ModelFolder m("tiny-gpt2");
  m.config["tie_word_embeddings"] = false;
  m.tensors["lm_head.weight"] = Tensor::zeros({400, 32});
  float* decoder = m.own("lm_head.weight").mutableData();
  float* tokens = m.own("transformer.wte.weight").mutableData();
  float* positions = m.own("transformer.wpe.weight").mutableData();
  for (Index place = 0; place < 64; ++place) positions[place * 32] = kNearlyTooLarge;
  tokens[kLarge * 32] = kNearlyTooLarge;
  for (Index j = 0; j < 32; ++j) decoder[kLarge * 32 + j] = j == 0 ? 100.0F : 0.0F;
  m.fill("transformer.ln_f.bias", 0.0F);
  m.fill("transformer.ln_f.weight", 1.0F);
  const ModelPtr model = opened(m);
  const auto trace =
      runModel(makeModelDocument(model, {{1, 2}, {}, {}}), nullptr, {}, kBudgetBytes);
  Decoder generated(trace, 3);
  EXPECT_EQ(sampledToken(generated.logits(), {}, 0), kLarge);
  expectUserError([&] { generated.feed(kLarge, {}); }, "the embedding at token 2",
                  "overflows a 32-bit float");
}

/// Keys that overflow give scores of −∞, whose weights of 0 would hide them.
TEST(ModelNumbers, AKeyThatOverflowsIsNotHiddenByASoftmax) {
  ModelFolder m("tiny-gpt2");
  // position 2 alone is turned into a large key, which position 2's own query looks away from
  m.fill("transformer.wte.weight", 0.0F);
  Tensor& places = m.own("transformer.wpe.weight");
  std::fill_n(places.mutableData(), places.size(), 0.0F);
  for (Index place = 0; place < 64; ++place) {
    places.mutableData()[place * 32 + (place < 2 ? 0 : 1)] = 1.0F;
  }
  m.fill("transformer.h.0.ln_1.weight", 1.0F);
  m.fill("transformer.h.0.ln_1.bias", 0.0F);
  m.fill("transformer.h.0.attn.c_attn.bias", 0.0F);
  m.fill("transformer.h.0.attn.c_attn.weight", 0.0F);
  float* qkv = m.own("transformer.h.0.attn.c_attn.weight").mutableData();
  qkv[1 * 96] = 1.0F;                   // query: number 1 of x
  qkv[1 * 96 + 32] = -kNearlyTooLarge;  // key: so far the other way
  const ModelPtr model = opened(m);
  const auto trace =
      runModel(makeModelDocument(model, {{1, 2}, {}, {}}), nullptr, {}, kBudgetBytes);
  Decoder generated(trace, 3);
  expectUserError([&] { generated.feed(5, {}); }, "layer 1's attention at token 2",
                  "overflows a 32-bit float");
}

TEST(ModelNumbers, CompositionsThatOverflowAreNoFigures) {
  ModelFolder m("tiny-gpt2");
  m.fill("transformer.h.0.attn.c_attn.weight", 1e25F);
  expectUserError([&] { composeHeads(*opened(m), {}); },
                  "the products of the weights of layer 1, head ", "overflows a 32-bit float");
}

TEST(ModelNumbers, ReluKeepsWhatIsNoNumber) {
  std::vector<float> values(19, -1.0F);
  values[3] = values[18] = std::nanf("");
  activate(Activation::relu, values);
  EXPECT_TRUE(std::isnan(values[3]));
  EXPECT_TRUE(std::isnan(values[18]));
  EXPECT_EQ(values[4], 0.0F);
}

}  // namespace
}  // namespace headscope::test::models
