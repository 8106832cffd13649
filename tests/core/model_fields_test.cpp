// Fields of config.json: without effect, asking for mathematics that there is not, or not known.
#include <gtest/gtest.h>

#include "core/attention/config.h"
#include "core/formats/model_config_json.h"
#include "core/model/model_trace.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;
using nlohmann::json;

const std::vector<Index> kFieldIds{1, 65, 77};

struct GivenField {
  const char* model;
  const char* name;
  json value;
};

/// A model's folder with one field more.
ModelFolder with(const GivenField& field) {
  ModelFolder m(field.model);
  m.config[field.name] = field.value;
  return m;
}

/// Each field alone changes nothing and is not reported.
TEST(ModelFields, WithoutEffectArePassedOver) {
  const std::vector<GivenField> fields{
      {"tiny-gpt2", "n_special", 0},
      {"tiny-gpt2", "predict_special_tokens", true},
      {"tiny-gpt2", "hidden_size", 32},
      {"tiny-gpt2", "num_hidden_layers", 2},
      {"tiny-gpt2", "embedding_size", 32},
      {"tiny-gpt2", "tf_legacy_loss", false},
      {"tiny-gpt2", "layer_types", {"full_attention", "full_attention"}},
      {"tiny-bert", "return_dict_in_generate", false},
      {"tiny-bert", "remove_invalid_values", false},
      {"tiny-bert", "encoder_no_repeat_ngram_size", 0},
      {"tiny-bert", "suppress_tokens", json::array()},
      {"tiny-bert", "embedding_size", 128},
      {"tiny-llama", "is_llama_config", true},
      {"tiny-llama", "rope_interleaved", false},
      {"tiny-llama", "unsloth_version", "2024.9"},
      {"tiny-llama", "unsloth_fixed", true},
      {"tiny-llama", "transformers.js_config", {{"dtype", "q4"}}},
      {"tiny-llama", "auto_map", {{"AutoConfig", "configuration.Config"}}},
      {"tiny-llama", "max_sequence_length", 2048},
      {"tiny-llama", "neftune_noise_alpha", 5.0},
      {"tiny-llama", "layer_types", {"full_attention", "full_attention"}},
      {"tiny-llama", "use_sliding_window", false},
      {"tiny-llama", "quantization_config", nullptr},
      {"tiny-llama", "attn_logit_softcapping", nullptr},
      {"tiny-llama", "residual_multiplier", 1.0},
      {"tiny-llama", "partial_rotary_factor", 1.0},
      {"tiny-llama", "rope_parameters", {{"rope_theta", 10000.0}}},
      {"tiny-llama", "rope_parameters", {{"rope_theta", 10000.0}, {"partial_rotary_factor", 1.0}}},
      {"tiny-llama", "rope_scaling", {{"rope_type", "default"}, {"attention_factor", 1.0}}}};
  for (const GivenField& field : fields) {
    SCOPED_TRACE(std::string(field.name) + " = " + field.value.dump());
    const ModelPtr model = opened(with(field));
    EXPECT_TRUE(model->notes().empty()) << model->notes().sentences().front();
    EXPECT_EQ(logitsOf(model, kFieldIds), logitsOf(opened(ModelFolder(field.model)), kFieldIds));
  }
  // a window that is switched off may have a width
  ModelFolder m("tiny-llama");
  m.config["use_sliding_window"] = false;
  m.config["sliding_window"] = 2;
  EXPECT_TRUE(opened(m)->notes().empty());
}

TEST(ModelFields, ThatAskForOtherMathematicsAreRefusedByIt) {
  struct Asking : GivenField {
    const char* says;
  };
  const std::vector<Asking> fields{
      {{"tiny-llama", "attn_logit_softcapping", 50.0}, "a soft cap on scores"},
      {{"tiny-llama", "rope_interleaved", true}, "pairs neighbouring coordinates"},
      {{"tiny-llama", "num_local_experts", 8}, "a mixture of experts"},
      {{"tiny-llama", "residual_multiplier", 0.22}, "a residual stream times a factor"},
      {{"tiny-llama", "use_sliding_window", true}, "a window over the keys"},
      {{"tiny-llama", "quantization_config", {{"quant_method", "gptq"}}}, "quantized weights"},
      {{"tiny-llama", "layer_types", {"full_attention", "sliding_attention"}}, "layer_types[1]"},
      {{"tiny-llama", "rope_scaling", {{"rope_type", "default"}, {"attention_factor", 1.2}}},
       "times a factor"},
      {{"tiny-llama", "rope_parameters", {{"partial_rotary_factor", 0.5}}}, "a part of d_k"},
      {{"tiny-llama", "rope_parameters", {{"full_attention", {{"rope_theta", 1e6}}}}},
       "for each kind of layer"},
      {{"tiny-llama", "rope_scaling", {{"factor", 4.0}}}, "rope_type"},
      {{"tiny-gpt2", "alibi", true}, "ALiBi"},
      {{"tiny-gpt2", "is_encoder_decoder", true}, "an encoder and a decoder"}};
  for (const Asking& field : fields) {
    SCOPED_TRACE(std::string(field.name) + " = " + field.value.dump());
    expectUserError([&] { opened(with(field)); }, "config.json", field.name, field.says);
  }
}

TEST(ModelFields, ThatContradictEachOtherAreRefused) {
  ModelFolder theta("tiny-llama");  // which says 10000 at the top
  theta.config["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 500000.0}};
  expectUserError([&] { opened(theta); }, "rope_parameters.rope_theta", "rope_theta at the top",
                  "10000");
  theta.config["rope_theta"] = 500000;
  EXPECT_EQ(opened(theta)->config().rotary.theta, 500000.0);
  ModelFolder both("tiny-llama");
  both.config["rope_parameters"] = {{"rope_type", "linear"}, {"factor", 2.0}};
  both.config["rope_scaling"] = both.config["rope_parameters"];
  EXPECT_EQ(opened(both)->config().rotary.factor, 2.0);
  both.config["rope_scaling"]["factor"] = 4.0;
  expectUserError([&] { opened(both); }, "rope_scaling", "rope_parameters");
  ModelFolder sizes("tiny-gpt2");
  sizes.config["hidden_size"] = 64;
  expectUserError([&] { opened(sizes); }, "hidden_size is 64", "n_embd is 32");
  sizes.config.erase("n_embd");
  sizes.config["hidden_size"] = 32;
  EXPECT_EQ(opened(sizes)->config().dModel, 32);
}

TEST(ModelFields, ThatAreNotKnownAreNotedAndRefusedWhereThatIsAskedFor) {
  ModelFolder m("tiny-llama");
  m.config["favourite_colour"] = "green";
  m.config["rope_scaling"] = {{"type", "linear"}, {"factor", 2.0}, {"beta_fast", 32}};
  const ModelPtr model = opened(m);
  const auto& fields = model->notes().unknownFields;
  ASSERT_EQ(fields.size(), 2U);
  std::map<std::string, std::string> values;
  for (const auto& field : fields) values[field.name] = field.value;
  EXPECT_EQ(values.at("favourite_colour"), "\"green\"");
  EXPECT_EQ(values.at("rope_scaling.beta_fast"), "32");
  for (const std::string& sentence : model->notes().sentences()) {
    EXPECT_NE(sentence.find("config.json: "), std::string::npos) << sentence;
  }
  expectUserError([&] { refuseNotes(model->notes(), "FOLDER"); }, "FOLDER: config.json",
                  "--strict");
  EXPECT_NO_THROW(refuseNotes(opened(ModelFolder("tiny-llama"))->notes(), "FOLDER"));
}

TEST(ModelFields, AnotherKindOfModelIsRefusedByWhatItNeeds) {
  const auto refused = [](const char* type, const auto&... parts) {
    expectUserError(
        [&] {
          opened(with({"tiny-llama", "model_type", type}));
        },
        type, parts..., "xlm-roberta");
  };
  refused("codegen", "in parallel");
  refused("qwen2_moe", "a mixture of experts");
  refused("blenderbot", "an encoder and a decoder");
  refused("my_own", "does not know");
  ModelFolder none("tiny-llama");
  none.config.erase("model_type");
  expectUserError([&] { opened(none); }, "has no model_type", "llama");
}

/// Where a file leaves out the window's width and first layer, the defaults of transformers apply.
TEST(ModelFields, AWindowThatQwenLeavesOutIsTheUsualOne) {
  ModelFolder m("tiny-llama");
  m.config["model_type"] = "qwen2";
  for (const char* layer : {"model.layers.0.", "model.layers.1."}) {
    m.tensors[std::string(layer) + "self_attn.q_proj.bias"] = Tensor::zeros({32});
    m.tensors[std::string(layer) + "self_attn.k_proj.bias"] = Tensor::zeros({16});
    m.tensors[std::string(layer) + "self_attn.v_proj.bias"] = Tensor::zeros({16});
  }
  m.config["use_sliding_window"] = true;
  m.config["max_window_layers"] = 1;
  EXPECT_EQ(opened(m)->config().windows, (std::vector<Index>{0, 4096}));
  m.config["sliding_window"] = nullptr;  // there, and none
  EXPECT_TRUE(opened(m)->config().windows.empty());
  m.config["sliding_window"] = 5;
  m.config.erase("max_window_layers");  // layers from 28 on
  EXPECT_EQ(opened(m)->config().windows, (std::vector<Index>{0, 0}));
}

}  // namespace
}  // namespace headscope::test::models
