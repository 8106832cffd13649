// BLOOM (BigScience): ALiBi in the place of positions, and a norm behind the embedding.
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kBloomTypes{"bloom"};

void readBloom(ConfigReader& r) {
  r.sizes({.width = r.find("n_embed") ? "n_embed" : "hidden_size",
           .layers = "n_layer",
           .heads = "n_head",
           .ffWidth = nullptr,
           .fourfold = true,
           .positions = nullptr});
  r.layerNorm("layer_norm_epsilon", 1e-5);
  r.config.activation = model::Activation::geluTanh;
  r.config.alibi = true;
}

}  // namespace

constinit const Family kBloom{
    .types = kBloomTypes,
    .names = {.base = "transformer.",
              .tokens = "word_embeddings",
              .embeddingNorm = "word_embeddings_layernorm",
              .layer = "h.{}.",
              .attentionNorm = "input_layernorm",
              .feedForwardNorm = "post_attention_layernorm",
              .queryKeyValue = "self_attention.query_key_value",
              .fused = TensorNames::Fused::byKeyHead,
              .output = "self_attention.dense",
              .up = "mlp.dense_h_to_4h",
              .down = "mlp.dense_4h_to_h",
              .finalNorm = "ln_f"},
    .read = readBloom,
};

}  // namespace headscope::formats
