// StarCoder 2 (BigCode): LayerNorm with rotary positions.
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kStarcoder2Types{"starcoder2"};

void readStarcoder2(ConfigReader& r) {
  r.sizes({.kvHeads = "num_key_value_heads"});
  r.layerNorm("norm_epsilon", 1e-5);
  r.config.activation = r.activation("hidden_act", "gelu_pytorch_tanh");
  readRope(r, Rotary::kUsualTheta, std::nullopt);
  r.ignore("mlp_type");   // "default", the only one
  r.ignore("norm_type");  // "layer_norm", the only one
  const bool bias = r.flag("use_bias", true);
  r.biases(bias, bias, bias);
  if (r.find("sliding_window")) r.slidingWindow(0, [](Index) { return true; });
}

}  // namespace

constinit const Family kStarcoder2{
    .types = kStarcoder2Types,
    .names = {.base = "model.",
              .attentionNorm = "input_layernorm",
              .feedForwardNorm = "post_attention_layernorm",
              .query = "self_attn.q_proj",
              .key = "self_attn.k_proj",
              .value = "self_attn.v_proj",
              .output = "self_attn.o_proj",
              .up = "mlp.c_fc",
              .down = "mlp.c_proj",
              .finalNorm = "norm"},
    .read = readStarcoder2,
};

}  // namespace headscope::formats
