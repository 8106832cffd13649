// StableLM (Stability AI): LayerNorm around the blocks of Llama, and a part of each head turns.
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kStableLmTypes{"stablelm"};

void readStableLm(ConfigReader& r) {
  r.sizes({.kvHeads = "num_key_value_heads"});
  r.layerNorm("layer_norm_eps", 1e-5);
  r.gated("hidden_act", "silu");
  r.untiedByDefault();
  readRope(r, Rotary::kUsualTheta, 0.25);
  r.biases(r.flag("use_qkv_bias", false), false, false);
  r.config.headNorm = {
      .on = r.flag("qk_layernorm", false), .kind = HeadNorm::Kind::layer, .gainsPerHead = true};
  r.config.parallel = r.flag("use_parallel_residual", false);
  if (r.config.parallel) r.names.feedForwardNorm = nullptr;
}

}  // namespace

constinit const Family kStableLm{
    .types = kStableLmTypes,
    .names = {.base = "model.",
              .attentionNorm = "input_layernorm",
              .feedForwardNorm = "post_attention_layernorm",
              .query = "self_attn.q_proj",
              .key = "self_attn.k_proj",
              .value = "self_attn.v_proj",
              .output = "self_attn.o_proj",
              .queryNorm = "self_attn.q_layernorm.norms.{}",
              .keyNorm = "self_attn.k_layernorm.norms.{}",
              .up = "mlp.up_proj",
              .gate = "mlp.gate_proj",
              .down = "mlp.down_proj",
              .finalNorm = "norm"},
    .read = readStableLm,
};

}  // namespace headscope::formats
