// ModernBERT (Warner et al. 2024): an encoder with norms before each half, rotary positions, and
// windows between layers that see all.
#include <array>
#include <string_view>

#include "core/attention/limits.h"
#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kModernBertTypes{"modernbert"};

void readModernBert(ConfigReader& r) {
  r.sizes({});
  r.config.causal = false;
  r.ignore("position_embedding_type");  // positions always rotate
  r.ignore("layer_norm_eps");           // norm_eps counts
  r.layerNorm("norm_eps", 1e-5, r.flag("norm_bias", false));
  r.gated("hidden_activation", "gelu");
  const bool bias = r.flag("attention_bias", false);
  r.biases(bias, bias, r.flag("mlp_bias", false));
  // the width counts both sides
  const Index width = r.size("local_attention", model::ModelLimits::kPositions, 128) / 2 + 1;
  const Index period = r.size("global_attn_every_n_layers", model::ModelLimits::kLayers, 3);
  r.windows(width, [period](Index layer) { return layer % period != 0; });
  readRopeOfLayerTypes(r, {"global_rope_theta", 160000.0},
                       {"local_rope_theta", Rotary::kUsualTheta});
  r.config.readoutActivation = r.activation("classifier_activation", "gelu");
  r.names.transformBias = r.flag("classifier_bias", false);
  if (!r.flag("decoder_bias", true)) r.names.decoderBias = nullptr;
}

}  // namespace

constinit const Family kModernBert{
    .types = kModernBertTypes,
    .names = {.base = "model.",
              .tokens = "embeddings.tok_embeddings",
              .embeddingNorm = "embeddings.norm",
              .attentionNorm = "attn_norm",
              .firstAttentionNorm = false,
              .feedForwardNorm = "mlp_norm",
              .queryKeyValue = "attn.Wqkv",
              .output = "attn.Wo",
              .gateUp = "mlp.Wi",
              .down = "mlp.Wo",
              .finalNorm = "final_norm",
              .transform = "head.dense",
              .transformNorm = "head.norm",
              .decoder = "decoder",
              .decoderBias = "decoder.bias"},
    .read = readModernBert,
};

}  // namespace headscope::formats
