// CLIP's text model (Radford et al. 2021): a causal encoder without predictions.
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kClipTextTypes{"clip_text_model"};

void readClipText(ConfigReader& r) {
  r.sizes({});
  r.config.positionRows = r.config.positions;
  r.config.lastStateNormed = false;
  r.layerNorm("layer_norm_eps", 1e-5);
  r.config.activation = r.activation("hidden_act", "quick_gelu");
}

}  // namespace

constinit const Family kClipText{
    .types = kClipTextTypes,
    .names = {.base = "text_model.",
              .tokens = "embeddings.token_embedding",
              .positions = "embeddings.position_embedding",
              .layer = "encoder.layers.{}.",
              .attentionNorm = "layer_norm1",
              .feedForwardNorm = "layer_norm2",
              .query = "self_attn.q_proj",
              .key = "self_attn.k_proj",
              .value = "self_attn.v_proj",
              .output = "self_attn.out_proj",
              .up = "mlp.fc1",
              .down = "mlp.fc2",
              .finalNorm = "final_layer_norm",
              .decoder = nullptr},
    .read = readClipText,
};

}  // namespace headscope::formats
