// DistilBERT (Sanh et al. 2019): BERT without token types, under other names.
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kDistilBertTypes{"distilbert"};

void readDistilBert(ConfigReader& r) {
  r.encoder();
  r.sizes({.width = "dim", .layers = "n_layers", .heads = "n_heads", .ffWidth = "hidden_dim"});
  r.absolutePositions();
  r.config.normEpsilon = 1e-12;
  r.config.activation = r.activation("activation", "gelu");
  r.config.readoutActivation = r.config.activation;
}

}  // namespace

constinit const Family kDistilBert{
    .types = kDistilBertTypes,
    .names = {.base = "distilbert.",
              .tokens = "embeddings.word_embeddings",
              .positions = "embeddings.position_embeddings",
              .embeddingNorm = "embeddings.LayerNorm",
              .layer = "transformer.layer.{}.",
              .attentionNorm = "sa_layer_norm",
              .feedForwardNorm = "output_layer_norm",
              .query = "attention.q_lin",
              .key = "attention.k_lin",
              .value = "attention.v_lin",
              .output = "attention.out_lin",
              .up = "ffn.lin1",
              .down = "ffn.lin2",
              .transform = "vocab_transform",
              .transformNorm = "vocab_layer_norm",
              .decoder = "vocab_projector",
              .decoderBias = "vocab_projector.bias"},
    .read = readDistilBert,
};

}  // namespace headscope::formats
