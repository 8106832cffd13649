// Mixtral (Mistral AI): Llama with a mixture of experts in every layer.
#include <array>
#include <string_view>

#include "core/attention/limits.h"
#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kMixtralTypes{"mixtral"};

void readMixtral(ConfigReader& r) {
  r.sizes({.kvHeads = "num_key_value_heads", .kvHeadsRequired = true, .headDim = "head_dim"});
  r.rmsNorm("rms_norm_eps", 1e-5);
  r.gated("hidden_act", "silu");
  r.untiedByDefault();
  readRope(r, 1e6, std::nullopt);
  r.biases(false, false, false);
  model::Experts& e = r.config.experts;
  e.count = r.size("num_local_experts", model::ModelLimits::kExperts, 8);
  e.perToken = r.size("num_experts_per_tok", e.count, 2);
  e.width = r.config.ffWidth;
  if (r.find("sliding_window")) r.slidingWindow(0, [](Index) { return true; });
}

}  // namespace

constinit const Family kMixtral{
    .types = kMixtralTypes,
    .names = {.base = "model.",
              .attentionNorm = "input_layernorm",
              .feedForwardNorm = "post_attention_layernorm",
              .query = "self_attn.q_proj",
              .key = "self_attn.k_proj",
              .value = "self_attn.v_proj",
              .output = "self_attn.o_proj",
              .router = "block_sparse_moe.gate",
              .expert = "block_sparse_moe.experts.{}.",
              .expertGate = "w1",
              .expertUp = "w3",
              .expertDown = "w2",
              .finalNorm = "norm"},
    .read = readMixtral,
};

}  // namespace headscope::formats
