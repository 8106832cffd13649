// ALBERT (Lan et al. 2020): layers that share their weights, and a narrower embedding.
#include <array>
#include <string_view>

#include "core/attention/limits.h"
#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kAlbertTypes{"albert"};

void readAlbert(ConfigReader& r) {
  r.encoder();
  r.sizes({});
  r.absolutePositions();
  r.config.embeddingWidth = r.size("embedding_size", Limits::kDModel, 128);
  r.config.tokenTypes = r.size("type_vocab_size", model::ModelLimits::kTokenTypes);
  r.layerNorm("layer_norm_eps", 1e-12);
  r.config.activation = r.activation("hidden_act", "gelu_new");
  r.config.readoutActivation = r.config.activation;
  const Index groups = r.size("num_hidden_groups", r.config.layers, 1);
  // layer l belongs to group l · groups / layers, rounded down
  r.names.groups = groups;
  if (const auto inner = r.find("inner_group_num"); inner && inner->whole() != 1) {
    r.refuseAsked(*inner, "several layers within one that is shared");
  }
}

}  // namespace

constinit const Family kAlbert{
    .types = kAlbertTypes,
    .names = {.base = "albert.",
              .tokens = "embeddings.word_embeddings",
              .positions = "embeddings.position_embeddings",
              .types = "embeddings.token_type_embeddings",
              .embeddingNorm = "embeddings.LayerNorm",
              .projection = "encoder.embedding_hidden_mapping_in",
              .layer = "encoder.albert_layer_groups.{}.albert_layers.0.",
              .attentionNorm = "attention.LayerNorm",
              .feedForwardNorm = "full_layer_layer_norm",
              .query = "attention.query",
              .key = "attention.key",
              .value = "attention.value",
              .output = "attention.dense",
              .up = "ffn",
              .down = "ffn_output",
              .transform = "predictions.dense",
              .transformNorm = "predictions.LayerNorm",
              .decoder = "predictions.decoder",
              .decoderBias = "predictions.bias",
              .otherDecoderBias = "predictions.decoder.bias"},
    .read = readAlbert,
};

}  // namespace headscope::formats
