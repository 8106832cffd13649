// ELECTRA (Clark et al. 2020): BERT with an embedding that may be narrower.
#include <array>
#include <string_view>

#include "core/attention/limits.h"
#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kElectraTypes{"electra"};

void readElectra(ConfigReader& r) {
  r.encoder();
  r.sizes({});
  r.absolutePositions();
  const Index width = r.size("embedding_size", Limits::kDModel, 128);
  if (width != r.config.dModel) r.config.embeddingWidth = width;
  r.config.tokenTypes = r.size("type_vocab_size", model::ModelLimits::kTokenTypes);
  r.layerNorm("layer_norm_eps", 1e-12);
  r.config.activation = r.activation("hidden_act", "gelu");
  r.config.readoutActivation = model::Activation::geluErf;
}

}  // namespace

constinit const Family kElectra{
    .types = kElectraTypes,
    .names = {.base = "electra.",
              .tokens = "embeddings.word_embeddings",
              .positions = "embeddings.position_embeddings",
              .types = "embeddings.token_type_embeddings",
              .embeddingNorm = "embeddings.LayerNorm",
              .projection = "embeddings_project",
              .layer = "encoder.layer.{}.",
              .attentionNorm = "attention.output.LayerNorm",
              .feedForwardNorm = "output.LayerNorm",
              .query = "attention.self.query",
              .key = "attention.self.key",
              .value = "attention.self.value",
              .output = "attention.output.dense",
              .up = "intermediate.dense",
              .down = "output.dense",
              .transform = "generator_predictions.dense",
              .transformNorm = "generator_predictions.LayerNorm",
              .decoder = "generator_lm_head",
              .decoderBias = "generator_lm_head.bias"},
    .read = readElectra,
};

}  // namespace headscope::formats
