// Falcon (TII): 7B with one key for all heads, 40B and later with groups, RW with a key for each
// head.
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kFalconTypes{"falcon"};

void readFalcon(ConfigReader& r) {
  const bool newer = r.flag("new_decoder_architecture", false);
  r.sizes({.width = "hidden_size",
           .kvHeads = newer ? "num_kv_heads" : nullptr,
           .ffWidth = "ffn_hidden_size",
           .fourfold = true});
  r.ignore("num_kv_heads");  // the older architecture has one or H
  const bool oneKey = r.flag("multi_query", true);
  if (!newer && oneKey) r.config.kvHeads = 1;
  r.layerNorm("layer_norm_epsilon", 1e-5);
  r.config.activation = r.activation("activation", "gelu");
  r.config.parallel = r.flag("parallel_attn", true) || newer;
  const bool bias = r.flag("bias", false);
  r.biases(bias, bias, bias);
  r.refuseIfAsked("alibi");  // its penalties are rounded to bfloat16
  readRope(r, Rotary::kUsualTheta, std::nullopt);
  const Index norms = r.size("num_ln_in_parallel_attn", 2, newer ? 2 : 1);
  if (newer && norms == 2) {
    r.names.attentionNorm = "ln_attn";
    r.names.feedForwardNorm = "ln_mlp";
  } else if (!r.config.parallel) {
    r.names.feedForwardNorm = "post_attention_layernorm";
  }
}

}  // namespace

constinit const Family kFalcon{
    .types = kFalconTypes,
    .names = {.base = "transformer.",
              .tokens = "word_embeddings",
              .layer = "h.{}.",
              .attentionNorm = "input_layernorm",
              .queryKeyValue = "self_attention.query_key_value",
              .fused = TensorNames::Fused::byKeyHead,
              .output = "self_attention.dense",
              .up = "mlp.dense_h_to_4h",
              .down = "mlp.dense_4h_to_h",
              .finalNorm = "ln_f"},
    .read = readFalcon,
};

}  // namespace headscope::formats
