// gpt-oss (OpenAI): a learned sink in each head's softmax, a window in every other layer, and a
// mixture of experts.
#include <array>
#include <string_view>

#include "core/attention/limits.h"
#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kGptOssTypes{"gpt_oss"};

void readGptOss(ConfigReader& r) {
  r.sizes({.kvHeads = "num_key_value_heads", .headDim = "head_dim", .headDimOtherwise = 64});
  r.rmsNorm("rms_norm_eps", 1e-5);
  r.gated("hidden_act", "silu");
  r.untiedByDefault();
  readRope(r, 150000.0, std::nullopt);
  const bool bias = r.flag("attention_bias", true);
  r.biases(bias, bias, true);
  r.config.sinks = true;
  r.slidingWindow(128, [](Index layer) { return layer % 2 == 0; });
  model::Experts& e = r.config.experts;
  e.count = r.eitherSize("num_local_experts", "num_experts", model::ModelLimits::kExperts);
  e.perToken = r.eitherSize("num_experts_per_tok", "experts_per_token", e.count);
  e.width = r.config.ffWidth;
  e.limit = r.positive("swiglu_limit", 7.0);
}

}  // namespace

constinit const Family kGptOss{
    .types = kGptOssTypes,
    .names = {.base = "model.",
              .attentionNorm = "input_layernorm",
              .feedForwardNorm = "post_attention_layernorm",
              .query = "self_attn.q_proj",
              .key = "self_attn.k_proj",
              .value = "self_attn.v_proj",
              .output = "self_attn.o_proj",
              .sinks = "self_attn.sinks",
              .router = "mlp.router",
              .routerBias = true,
              .allExperts = "mlp.experts.",
              .finalNorm = "norm"},
    .read = readGptOss,
};

}  // namespace headscope::formats
