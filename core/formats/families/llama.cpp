// Llama 1 to 3 (Meta) and the models with its blocks.
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/llama_names.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kLlamaTypes{"llama"};

void readLlama(ConfigReader& r) {
  r.sizes({.kvHeads = "num_key_value_heads", .headDim = "head_dim"});
  r.rmsNorm("rms_norm_eps", 1e-6);
  r.gated("hidden_act", "silu");
  r.untiedByDefault();
  readRope(r, Rotary::kUsualTheta, std::nullopt);
  const bool bias = r.flag("attention_bias", false);
  r.biases(bias, bias, r.flag("mlp_bias", false));
}

}  // namespace

constinit const Family kLlama{
    .types = kLlamaTypes,
    .names = kLlamaNames,
    .read = readLlama,
};

}  // namespace headscope::formats
