// RoBERTa (Liu et al. 2019) and its relatives: BERT whose positions count from behind the
// padding's.
#include <array>
#include <string_view>

#include "core/attention/limits.h"
#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 3> kRobertaTypes{"camembert", "roberta", "xlm-roberta"};

void readRoberta(ConfigReader& r) {
  r.encoder();
  r.sizes({});
  r.absolutePositions();
  r.config.tokenTypes = r.size("type_vocab_size", model::ModelLimits::kTokenTypes);
  r.layerNorm("layer_norm_eps", 1e-12);
  r.config.activation = r.activation("hidden_act", "gelu");
  r.config.readoutActivation = model::Activation::geluErf;
  const auto pad = r.find("pad_token_id");
  r.config.padToken = pad ? ConfigReader::sizeOf(*pad, r.config.vocabulary - 1, 0) : 1;
  r.config.firstPosition = r.config.padToken + 1;
  r.config.positions = r.config.positionRows - r.config.firstPosition;
  if (r.config.positions < 1) {
    ConfigReader::refuse(r.at("max_position_embeddings"),
                         "which leaves no position after pad_token_id");
  }
}

}  // namespace

constinit const Family kRoberta{
    .types = kRobertaTypes,
    .names = {.base = "roberta.",
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
              .transform = "lm_head.dense",
              .transformNorm = "lm_head.layer_norm",
              .decoder = "lm_head.decoder",
              .decoderBias = "lm_head.bias",
              .otherDecoderBias = "lm_head.decoder.bias"},
    .read = readRoberta,
};

}  // namespace headscope::formats
