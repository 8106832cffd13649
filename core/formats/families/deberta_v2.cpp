// DeBERTa v2 and v3 (He et al. 2021): scores between content and position.
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "core/attention/limits.h"
#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kDebertaV2Types{"deberta-v2"};

/// The scores of content and position.
void readRelative(ConfigReader& r) {
  model::Relative& relative = r.config.relative;
  std::string listed;  // a list, or a text with bars between
  if (const auto kinds = r.find("pos_att_type")) {
    if (kinds->value().text() != nullptr) {
      listed = kinds->text();
    } else {
      for (const std::string& kind : kinds->texts()) listed += kind + "|";
    }
  }
  const bool toPosition = listed.find("c2p") != std::string::npos;
  const bool toContent = listed.find("p2c") != std::string::npos;
  const double parts = 1.0 + (toPosition ? 1.0 : 0.0) + (toContent ? 1.0 : 0.0);
  r.config.scoreFactor = 1.0 / std::sqrt(static_cast<double>(r.config.headDim) * parts);
  const auto buckets = r.find("position_buckets"), most = r.find("max_relative_positions");
  const auto norm = r.find("norm_rel_ebd");
  const bool shared = r.flag("share_att_key", false);
  if (!norm || norm->text().find("layer_norm") == std::string::npos) r.names.relativeNorm = nullptr;
  if (!r.flag("relative_attention", false)) {
    r.names.relativePositions = r.names.relativeNorm = nullptr;
    return;
  }
  relative.contentToPosition = toPosition;
  relative.positionToContent = toContent;
  relative.maxDistance = most && most->whole() > 0 ? most->whole() : r.config.positions;
  relative.buckets = buckets && buckets->whole() > 0 ? buckets->whole() : 0;
  relative.span = relative.buckets > 0 ? relative.buckets : relative.maxDistance;
  if (shared) return;
  if (toPosition) r.names.positionKey = "attention.self.pos_key_proj";
  if (toContent) r.names.positionQuery = "attention.self.pos_query_proj";
}

void readDebertaV2(ConfigReader& r) {
  r.encoder();
  r.sizes({});
  if (r.size("embedding_size", Limits::kDModel, r.config.dModel) != r.config.dModel) {
    r.refuseAsked(r.at("embedding_size"), "a projection between the embedding and its norm");
  }
  const auto types = r.find("type_vocab_size");
  if (types) r.config.tokenTypes = ConfigReader::sizeOf(*types, model::ModelLimits::kTokenTypes, 0);
  r.layerNorm("layer_norm_eps", 1e-7);
  r.config.activation = r.activation("hidden_act", "gelu");
  r.config.readoutActivation = r.config.activation;
  if (r.flag("position_biased_input", true)) {
    r.config.positionRows = r.config.positions;
  } else {
    r.names.positions = nullptr;
  }
  r.refuseIfAsked("conv_kernel_size", "a convolution beside the first layer");
  r.ignore("legacy");
  readRelative(r);
}

}  // namespace

constinit const Family kDebertaV2{
    .types = kDebertaV2Types,
    .names = {.base = "deberta.",
              .tokens = "embeddings.word_embeddings",
              .positions = "embeddings.position_embeddings",
              .types = "embeddings.token_type_embeddings",
              .embeddingNorm = "embeddings.LayerNorm",
              .layer = "encoder.layer.{}.",
              .attentionNorm = "attention.output.LayerNorm",
              .feedForwardNorm = "output.LayerNorm",
              .query = "attention.self.query_proj",
              .key = "attention.self.key_proj",
              .value = "attention.self.value_proj",
              .output = "attention.output.dense",
              .up = "intermediate.dense",
              .down = "output.dense",
              .relativePositions = "encoder.rel_embeddings",
              .relativeNorm = "encoder.LayerNorm",
              .transform = "cls.predictions.transform.dense",
              .transformNorm = "cls.predictions.transform.LayerNorm",
              .decoder = "cls.predictions.decoder",
              .decoderBias = "cls.predictions.bias",
              .otherDecoderBias = "cls.predictions.decoder.bias"},
    .read = readDebertaV2,
};

}  // namespace headscope::formats
