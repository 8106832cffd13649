// BERT (Devlin et al. 2019).
#include <array>
#include <string_view>

#include "core/attention/limits.h"
#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kBertTypes{"bert"};

void readBert(ConfigReader& r) {
  r.encoder();
  r.sizes({});
  r.absolutePositions();
  r.config.tokenTypes = r.size("type_vocab_size", model::ModelLimits::kTokenTypes);
  r.layerNorm("layer_norm_eps", 1e-12);
  r.config.activation = r.activation("hidden_act", "gelu");
  r.config.readoutActivation = r.config.activation;
}

}  // namespace

constinit const Family kBert{
    .types = kBertTypes,
    .names = {.base = "bert.",
              .tokens = "embeddings.word_embeddings",
              .positions = "embeddings.position_embeddings",
              .types = "embeddings.token_type_embeddings",
              .embeddingNorm = "embeddings.LayerNorm",
              .layer = "encoder.layer.{}.",
              .attentionNorm = "attention.output.LayerNorm",
              .feedForwardNorm = "output.LayerNorm",
              .query = "attention.self.query",
              .key = "attention.self.key",
              .value = "attention.self.value",
              .output = "attention.output.dense",
              .up = "intermediate.dense",
              .down = "output.dense",
              .transform = "cls.predictions.transform.dense",
              .transformNorm = "cls.predictions.transform.LayerNorm",
              .decoder = "cls.predictions.decoder",
              .decoderBias = "cls.predictions.bias",
              .otherDecoderBias = "cls.predictions.decoder.bias"},
    .read = readBert,
};

}  // namespace headscope::formats
