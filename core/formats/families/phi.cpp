// Phi 1, 1.5 and 2 (Microsoft): both halves of a layer read one norm, and a part of each head
// turns.
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kPhiTypes{"phi"};

void readPhi(ConfigReader& r) {
  r.sizes({.kvHeads = "num_key_value_heads"});
  r.layerNorm("layer_norm_eps", 1e-5);
  r.config.activation = r.activation("hidden_act", "gelu_new");
  r.config.parallel = true;
  r.untiedByDefault();
  readRope(r, Rotary::kUsualTheta, 0.5);
  r.refuseIfAsked("qk_layernorm");
}

}  // namespace

constinit const Family kPhi{
    .types = kPhiTypes,
    .names = {.base = "model.",
              .attentionNorm = "input_layernorm",
              .query = "self_attn.q_proj",
              .key = "self_attn.k_proj",
              .value = "self_attn.v_proj",
              .output = "self_attn.dense",
              .up = "mlp.fc1",
              .down = "mlp.fc2",
              .finalNorm = "final_layernorm",
              .decoderBias = "lm_head.bias"},
    .read = readPhi,
};

}  // namespace headscope::formats
