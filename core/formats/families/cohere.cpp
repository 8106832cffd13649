// Command R (Cohere): both halves of a layer read one norm, neighbours turn, and logits have a
// factor.
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kCohereTypes{"cohere"};

void readCohere(ConfigReader& r) {
  r.sizes({.kvHeads = "num_key_value_heads"});
  r.layerNorm("layer_norm_eps", 1e-5, false);
  r.gated("hidden_act", "silu");
  r.config.parallel = true;
  readRope(r, Rotary::kUsualTheta, std::nullopt);
  r.config.rotary.pairing = Rotary::Pairing::neighbours;
  const bool bias = r.flag("attention_bias", false);
  r.biases(bias, bias, false);
  r.config.logitFactor = r.positive("logit_scale", 0.0625);
  r.config.headNorm = {
      .on = r.flag("use_qk_norm", false), .kind = HeadNorm::Kind::layer, .gainsPerHead = true};
}

}  // namespace

constinit const Family kCohere{
    .types = kCohereTypes,
    .names = {.base = "model.",
              .attentionNorm = "input_layernorm",
              .query = "self_attn.q_proj",
              .key = "self_attn.k_proj",
              .value = "self_attn.v_proj",
              .output = "self_attn.o_proj",
              .queryNorm = "self_attn.q_norm",
              .keyNorm = "self_attn.k_norm",
              .up = "mlp.up_proj",
              .gate = "mlp.gate_proj",
              .down = "mlp.down_proj",
              .finalNorm = "norm"},
    .read = readCohere,
};

}  // namespace headscope::formats
