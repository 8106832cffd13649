// Mistral (Mistral AI): Llama with a window in every layer.
#include <array>
#include <string_view>

#include "core/attention/limits.h"
#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/llama_names.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kMistralTypes{"mistral"};

void readMistral(ConfigReader& r) {
  r.sizes({.kvHeads = "num_key_value_heads", .kvHeadsRequired = true, .headDim = "head_dim"});
  r.rmsNorm("rms_norm_eps", 1e-6);
  r.gated("hidden_act", "silu");
  r.untiedByDefault();
  readRope(r, Rotary::kUsualTheta, std::nullopt);
  if (r.flag("attention_bias", false)) {
    ConfigReader::refuse(r.at("attention_bias"), "and Mistral has no biases");
  }
  r.biases(false, false, false);
  r.refuseIfAsked("mlp_bias", "biases of the feed-forward network");
  // a missing width may mean 4096, the default of transformers, or no window
  if (!r.isNull("sliding_window")) {
    r.config.windows.assign(r.layers(), r.size("sliding_window", model::ModelLimits::kPositions));
  }
}

}  // namespace

constinit const Family kMistral{
    .types = kMistralTypes,
    .names = kLlamaNames,
    .read = readMistral,
};

}  // namespace headscope::formats
