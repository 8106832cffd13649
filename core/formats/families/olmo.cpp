// OLMo (Allen AI): Llama's blocks with a LayerNorm without weights.
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/llama_names.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kOlmoTypes{"olmo"};

void readOlmo(ConfigReader& r) {
  r.sizes({.kvHeads = "num_key_value_heads"});
  r.layerNorm("layer_norm_eps", 1e-5, false);  // no file has the field: ε is fixed
  r.gated("hidden_act", "silu");
  r.untiedByDefault();
  readRope(r, Rotary::kUsualTheta, std::nullopt);
  const bool bias = r.flag("attention_bias", false);
  r.biases(bias, bias, false);
}

}  // namespace

constinit const Family kOlmo{
    .types = kOlmoTypes,
    .names = llamaNamesWith([](TensorNames& n) { n.gainless = true; }),
    .read = readOlmo,
};

}  // namespace headscope::formats
