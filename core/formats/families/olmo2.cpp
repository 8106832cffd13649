// OLMo 2 (AI2): a norm after each half in the place of the one before, and norms of all queries and
// keys.
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/llama_names.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kOlmo2Types{"olmo2"};

void readOlmo2(ConfigReader& r) {
  r.sizes({.kvHeads = "num_key_value_heads", .headDim = "head_dim"});
  r.rmsNorm("rms_norm_eps", 1e-5);
  r.gated("hidden_act", "silu");
  r.untiedByDefault();
  readRope(r, Rotary::kUsualTheta, std::nullopt);
  const bool bias = r.flag("attention_bias", false);
  r.biases(bias, bias, false);
  r.config.headNorm = {.on = true, .over = HeadNorm::Over::allHeads};
}

}  // namespace

constinit const Family kOlmo2{
    .types = kOlmo2Types,
    .names = llamaNamesWith([](TensorNames& n) {
      n.attentionNorm = n.feedForwardNorm = nullptr;
      n.attentionOutputNorm = "post_attention_layernorm";
      n.feedForwardOutputNorm = "post_feedforward_layernorm";
      addHeadNorms(n);
    }),
    .read = readOlmo2,
};

}  // namespace headscope::formats
