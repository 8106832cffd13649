// Granite 3 (IBM): Llama with factors of the embedding, the scores, the residuals and the logits.
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/llama_names.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kGraniteTypes{"granite"};

void readGranite(ConfigReader& r) {
  r.sizes({.kvHeads = "num_key_value_heads", .headDim = "head_dim"});
  r.rmsNorm("rms_norm_eps", 1e-6);
  r.gated("hidden_act", "silu");
  r.untiedByDefault();
  readRope(r, Rotary::kUsualTheta, std::nullopt);
  const bool bias = r.flag("attention_bias", false);
  r.biases(bias, bias, r.flag("mlp_bias", false));
  r.config.embeddingFactor = r.positive("embedding_multiplier", 1.0);
  r.config.scoreFactor = r.positive("attention_multiplier", 1.0);
  r.config.residualFactor = r.positive("residual_multiplier", 1.0);
  r.config.logitFactor = 1.0 / r.positive("logits_scaling", 1.0);
}

}  // namespace

constinit const Family kGranite{
    .types = kGraniteTypes,
    .names = kLlamaNames,
    .read = readGranite,
};

}  // namespace headscope::formats
