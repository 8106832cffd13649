// GPT-NeoX and Pythia (EleutherAI): both halves of a layer read its input, and a part of each head
// turns.
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kGptNeoXTypes{"gpt_neox"};

void readGptNeoX(ConfigReader& r) {
  r.sizes({});
  r.layerNorm("layer_norm_eps", 1e-5);
  r.config.activation = r.activation("hidden_act", "gelu");
  r.config.parallel = r.flag("use_parallel_residual", true);
  r.untiedByDefault();
  const double part = r.positive("rotary_pct", 0.25);
  readRope(r, r.positive("rotary_emb_base", Rotary::kUsualTheta), part);
  const bool bias = r.flag("attention_bias", true);
  r.biases(bias, bias, true);
}

}  // namespace

constinit const Family kGptNeoX{
    .types = kGptNeoXTypes,
    .names = {.base = "gpt_neox.",
              .tokens = "embed_in",
              .attentionNorm = "input_layernorm",
              .feedForwardNorm = "post_attention_layernorm",
              .queryKeyValue = "attention.query_key_value",
              .fused = TensorNames::Fused::byKeyHead,
              .output = "attention.dense",
              .up = "mlp.dense_h_to_4h",
              .down = "mlp.dense_4h_to_h",
              .finalNorm = "final_layer_norm",
              .decoder = "embed_out"},
    .read = readGptNeoX,
};

}  // namespace headscope::formats
