// Model directories with something missing, contradictory, damaged or absurd are refused with a
// message; and the values that configurations may have.
#include <gtest/gtest.h>

#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/formats/model_config_json.h"
#include "core/formats/model_directory.h"
#include "core/model/model_trace.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;
using formats::openModel;
using nlohmann::json;

TEST(HostileModels, MissingFiles) {
  const TempFolder folder;
  expectUserError([&] { openModel(folder / "nowhere", kBudgetBytes); }, "nowhere", "not there");
  expectUserError([&] { openModel(folder.path(), kBudgetBytes); }, "no config.json",
                  "open the folder");
  ModelFolder("tiny-gpt2").writeConfig(folder);
  expectUserError([&] { openModel(folder.path(), kBudgetBytes); }, "model.safetensors",
                  "open the folder");
  folder.file("pytorch_model.bin", "x");
  expectUserError([&] { openModel(folder.path(), kBudgetBytes); }, "pytorch_model.bin",
                  "is a text");
}

TEST(HostileModels, CutShortAtAnyByte) {
  const std::string whole = readAll(modelData("tiny-llama") / "model.safetensors");
  const std::string config = readAll(modelData("tiny-llama") / "config.json");
  for (const double part : {0.0, 1e-5, 0.001, 0.01, 0.5, 0.999999}) {
    const TempFolder folder;
    folder.file("config.json", config);
    folder.file(
        "model.safetensors",
        whole.substr(0, static_cast<std::size_t>(part * static_cast<double>(whole.size()))));
    expectUserError([&] { openModel(folder.path(), kBudgetBytes); }, "model.safetensors");
  }
  for (std::size_t bytes = 0; bytes < config.size() - 2; bytes += 37) {
    const TempFolder folder;
    folder.file("config.json", config.substr(0, bytes));
    ModelNotes notes;
    expectUserError([&] { formats::readModelDescription(folder / "config.json", notes); },
                    "config.json");
  }
}

TEST(HostileModels, AFileThatShrinksWhileItIsOpen) {
  const TempFolder folder;
  ModelFolder("tiny-llama").write(folder);
  const ModelPtr model = openModel(folder.path(), kBudgetBytes);
  std::filesystem::resize_file(folder / "model.safetensors", 5000);
  expectUserError([&] { model->layer(1); }, "model.safetensors", "has changed");
}

TEST(HostileModels, WeightsOfAnotherModel) {
  const auto refused = [](const std::function<void(ModelFolder&)>& change, const auto&... parts) {
    ModelFolder m("tiny-gpt2");
    change(m);
    expectUserError([&] { opened(m); }, parts...);
  };
  refused([](ModelFolder& m) { m.config["n_embd"] = 64; }, "wte.weight", "(400, 32)", "(400, 64)");
  refused([](ModelFolder& m) { m.config["n_layer"] = 3; }, "h.2.ln_1.weight", "no tensor");
  refused([](ModelFolder& m) { m.config["n_layer"] = 1; }, "h.1.", "with 1 layers");
  refused([](ModelFolder& m) { m.config["n_inner"] = 100; }, "mlp.c_fc.weight", "(32, 100)");
  refused([](ModelFolder& m) { m.tensors.erase("transformer.h.1.ln_2.bias"); }, "h.1.ln_2.bias");
  refused([](ModelFolder& m) { m.tensors["transformer.h.0.adapter.weight"] = Tensor::zeros({2}); },
          "h.0.adapter.weight", "merge it");
  refused([](ModelFolder& m) { m.tensors["transformer.wte.weight"] = Tensor::zeros({400 * 32}); },
          "wte.weight", "(12800,)");
  refused([](ModelFolder& m) { m.config["tie_word_embeddings"] = false; }, "lm_head.weight");

  ModelFolder biased("tiny-llama");
  biased.tensors["model.layers.0.self_attn.q_proj.bias"] = Tensor::zeros({32});
  expectUserError([&] { opened(biased); }, "self_attn.q_proj.bias", "does not have");
}

TEST(HostileModels, NumbersThatAreNone) {
  ModelFolder m("tiny-llama");
  Tensor& down = m.tensors["model.layers.1.mlp.down_proj.weight"];
  down = down.clone();
  down.mutableData()[7] = std::nanf("");
  expectUserError(
      [&] {
        logitsOf(opened(m), {1, 65});
      },
      "model.layers.1.mlp.down_proj.weight[0, 7] is NaN in ", "model.safetensors");
  ModelFolder huge("tiny-llama");
  Tensor& q = huge.tensors["model.layers.0.self_attn.q_proj.weight"];
  q = q.clone();
  std::fill_n(q.mutableData(), q.size(), 3e38F);
  expectUserError([&] { logitsOf(opened(huge), {1, 65}); }, "layer 1", "overflow");
}

struct BadField {
  const char* model;
  const char* field;
  json value;
  const char* says;
};

/// Each bad field alone is refused; the message names it and its value.
TEST(HostileModels, FieldsThatCannotBe) {
  const json scaling = {{"rope_type", "by_parts"}, {"factor", 2.0}};
  const std::vector<BadField> fields{
      {"tiny-gpt2", "model_type", "blenderbot", "\"blenderbot\""},
      {"tiny-gpt2", "model_type", 5, "must be a text"},
      {"tiny-gpt2", "n_layer", 0, "1 to 1024"},
      {"tiny-gpt2", "n_layer", -1, "1 to 1024"},
      {"tiny-gpt2", "n_layer", 1e300, "whole number"},
      {"tiny-gpt2", "n_layer", 2.5, "whole number"},
      {"tiny-gpt2", "n_layer", "two", "\"two\""},
      {"tiny-gpt2", "n_layer", nullptr, "is missing"},
      {"tiny-gpt2", "n_head", 0, "1 to"},
      {"tiny-gpt2", "n_embd", 9223372036854775807LL, "1 to 65536"},
      {"tiny-gpt2", "n_embd", 18446744073709551615ULL, "whole number"},
      {"tiny-gpt2", "vocab_size", 1LL << 40, "1 to 16777216"},
      {"tiny-gpt2", "n_inner", -4, "1 to"},
      {"tiny-gpt2", "activation_function", "mish", "\"mish\""},
      {"tiny-gpt2", "layer_norm_epsilon", -1.0, "at least 0"},
      {"tiny-gpt2", "add_cross_attention", true, "attention to a second text"},
      {"tiny-gpt2", "scale_attn_weights", "yes", "true or false"},
      {"tiny-gpt2", "pruned_heads", {{"0", {1, 2}}}, "pruned heads"},
      {"tiny-gpt2", "quantization_config", {{"bits", 4}}, "quantized weights"},
      {"tiny-gpt2", "alibi", true, "ALiBi"},
      {"tiny-bert", "position_embedding_type", "relative_key", "\"relative_key\""},
      {"tiny-bert", "is_decoder", true, "a causal mask"},
      {"tiny-bert", "hidden_size", 30, "does not divide"},
      {"tiny-bert", "type_vocab_size", 0, "1 to"},
      {"tiny-llama", "num_key_value_heads", 3, "key/value heads"},
      {"tiny-llama", "num_key_value_heads", 8, "1 to 4"},
      {"tiny-llama", "head_dim", 7, "even"},
      {"tiny-llama", "head_dim", 0, "1 to"},
      {"tiny-llama", "rope_theta", 0, "above 0"},
      {"tiny-llama", "rope_theta", -5, "above 0"},
      {"tiny-llama", "rope_scaling", scaling, "\"by_parts\""},
      {"tiny-llama", "rope_scaling", {{"type", "linear"}}, "factor is missing"},
      {"tiny-llama", "rope_scaling", {{"type", "linear"}, {"factor", 0}}, "above 0"},
      {"tiny-llama", "rope_scaling", {{"type", "linear"}, {"rope_type", "llama3"}}, "rope_type"},
      {"tiny-llama", "rope_scaling", json::array(), "an object"},
      {"tiny-llama", "partial_rotary_factor", 0.5, "0.5"},
      {"tiny-llama", "sliding_window", 16, "a window over the keys"},
      {"tiny-llama", "mlp_bias", true, "gate_proj.bias"},
      {"tiny-llama", "rms_norm_eps", 2, "below 1"}};
  for (const BadField& bad : fields) {
    SCOPED_TRACE(std::string(bad.field) + " = " + bad.value.dump());
    ModelFolder m(bad.model);
    m.config[bad.field] = bad.value;
    expectUserError([&] { opened(m); }, bad.says);
  }
  for (const char* field : {"num_key_value_heads", "sliding_window"}) {
    ModelFolder m("tiny-llama");
    m.config["model_type"] = "mistral";
    m.config["sliding_window"] = 4;
    m.config.erase(field);
    expectUserError([&] { opened(m); }, field, "is missing");
  }
}

TEST(ModelConfigs, RopeScalingIsRead) {
  const auto rotaryOf = [](const json& scaling, const char* field = "rope_scaling") {
    ModelFolder m("tiny-llama");
    m.config.erase("rope_theta");  // what both say must agree
    m.config[field] = scaling;
    return opened(m)->config().rotary;
  };
  Rotary expected;
  expected.theta = 10000.0;
  EXPECT_EQ(rotaryOf(nullptr), expected);
  EXPECT_EQ(rotaryOf({{"rope_type", "default"}}), expected);
  expected.scaling = Rotary::Scaling::linear;
  expected.factor = 2.5;
  EXPECT_EQ(rotaryOf({{"type", "linear"}, {"factor", 2.5}}), expected);
  expected.theta = 500000.0;
  EXPECT_EQ(rotaryOf({{"rope_type", "linear"}, {"factor", 2.5}, {"rope_theta", 500000.0}},
                     "rope_parameters"),
            expected);
  expected = {.theta = 10000.0,
              .scaling = Rotary::Scaling::llama3,
              .factor = 8.0,
              .lowFrequencyFactor = 1.0,
              .highFrequencyFactor = 4.0,
              .originalPositions = 8192};
  EXPECT_EQ(rotaryOf({{"rope_type", "llama3"},
                      {"factor", 8.0},
                      {"low_freq_factor", 1.0},
                      {"high_freq_factor", 4.0},
                      {"original_max_position_embeddings", 8192}}),
            expected);
}

TEST(ModelConfigs, Gpt2ScalesByItsLayerWhereItSaysSo) {
  ModelFolder m("tiny-gpt2");
  m.config["scale_attn_by_inverse_layer_idx"] = true;
  const ModelConfig config = opened(m)->config();
  EXPECT_EQ(config.attention(0, 3).switches->temperature, 1.0);
  EXPECT_EQ(config.attention(1, 3).switches->temperature, 2.0);
  m.config["scale_attn_weights"] = false;
  EXPECT_FALSE(opened(m)->config().attention(0, 3).switches->scale);
}

}  // namespace
}  // namespace headscope::test::models
