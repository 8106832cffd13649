// CLIP (Radford et al. 2021): an encoder of images and one of texts, whose projections meet in one
// space. A folder with both opens as the one that is asked for (Encoder).
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/image_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kClipTextTypes{"clip_text_model"};
constexpr std::array<std::string_view, 2> kClipVisionTypes{"clip", "clip_vision_model"};

void readClipText(ConfigReader& r) {
  r.sizes({});
  r.config.positionRows = r.config.positions;
  r.config.lastStateNormed = false;
  r.layerNorm("layer_norm_eps", 1e-5);
  r.config.activation = r.activation("hidden_act", "quick_gelu");
}

void readClipVision(ConfigReader& r) {
  readImageEncoder(r, 224, 32, "intermediate_size");
  r.config.reads = model::Reads::classToken;
  r.config.finalNormPooled = true;
  r.layerNorm("layer_norm_eps", 1e-5);
  r.config.activation = r.activation("hidden_act", "quick_gelu");
}

constexpr TensorNames clipNames(const char* base) {
  return {.base = base,
          .layer = "encoder.layers.{}.",
          .attentionNorm = "layer_norm1",
          .feedForwardNorm = "layer_norm2",
          .query = "self_attn.q_proj",
          .key = "self_attn.k_proj",
          .value = "self_attn.v_proj",
          .output = "self_attn.out_proj",
          .up = "mlp.fc1",
          .down = "mlp.fc2",
          .decoder = nullptr};
}

constexpr TensorNames textNames() {
  TensorNames names = clipNames("text_model.");
  names.tokens = "embeddings.token_embedding";
  names.positions = "embeddings.position_embedding";
  names.finalNorm = "final_layer_norm";
  return names;
}

constexpr TensorNames visionNames() {
  TensorNames names = clipNames("vision_model.");
  names.tokens = "embeddings.patch_embedding";
  names.patchBias = false;
  names.positions = "embeddings.position_embedding";
  names.positionWeight = true;
  names.classToken = "embeddings.class_embedding";
  names.embeddingNorm = "pre_layrnorm";
  names.finalNorm = "post_layernorm";
  return names;
}

}  // namespace

constinit const Family kClipText{
    .types = kClipTextTypes, .names = textNames(), .read = readClipText};
constinit const Family kClipVision{
    .types = kClipVisionTypes, .names = visionNames(), .read = readClipVision};

}  // namespace headscope::formats
