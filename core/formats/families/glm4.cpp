// GLM-4 0414 (Zhipu): norms before and after each half, and neighbours of a part of each head turn.
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kGlm4Types{"glm4"};

void readGlm4(ConfigReader& r) {
  r.sizes({.kvHeads = "num_key_value_heads", .headDim = "head_dim", .headDimOtherwise = 128});
  r.rmsNorm("rms_norm_eps", 1.5625e-7);
  r.gated("hidden_act", "silu");
  r.untiedByDefault();
  readRope(r, Rotary::kUsualTheta, 0.5);
  r.config.rotary.pairing = Rotary::Pairing::neighbours;
  r.biases(r.flag("attention_bias", false), false, false);
}

}  // namespace

constinit const Family kGlm4{
    .types = kGlm4Types,
    .names = {.base = "model.",
              .attentionNorm = "input_layernorm",
              .attentionOutputNorm = "post_self_attn_layernorm",
              .feedForwardNorm = "post_attention_layernorm",
              .feedForwardOutputNorm = "post_mlp_layernorm",
              .query = "self_attn.q_proj",
              .key = "self_attn.k_proj",
              .value = "self_attn.v_proj",
              .output = "self_attn.o_proj",
              .gateUp = "mlp.gate_up_proj",
              .down = "mlp.down_proj",
              .finalNorm = "norm"},
    .read = readGlm4,
};

}  // namespace headscope::formats
