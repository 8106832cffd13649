// Qwen 3 with a mixture of experts (Alibaba).
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "core/attention/limits.h"
#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/llama_names.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kQwen3MoeTypes{"qwen3_moe"};

void readQwen3Moe(ConfigReader& r) {
  r.sizes({.kvHeads = "num_key_value_heads", .headDim = "head_dim"});
  r.rmsNorm("rms_norm_eps", 1e-6);
  r.gated("hidden_act", "silu");
  r.untiedByDefault();
  readRope(r, Rotary::kUsualTheta, std::nullopt);
  const bool bias = r.flag("attention_bias", false);
  r.biases(bias, bias, false);
  r.config.headNorm.on = true;
  model::Experts& e = r.config.experts;
  e.count = r.eitherSize("num_experts", "num_local_experts", model::ModelLimits::kExperts);
  e.perToken = r.size("num_experts_per_tok", e.count, 8);
  e.width = r.size("moe_intermediate_size", model::ModelLimits::kFfWidth, 768);
  e.normalised = r.flag("norm_topk_prob", false);
  const Index step = r.size("decoder_sparse_step", model::ModelLimits::kLayers, 1);
  const auto dense = r.find("mlp_only_layers");
  const std::vector<Index> listed = dense ? dense->wholes() : std::vector<Index>();
  for (Index l = 0; l < r.config.layers; ++l) {
    e.layers.push_back((l + 1) % step == 0 && std::ranges::find(listed, l) == listed.end());
  }
  if (r.flag("use_sliding_window", false)) r.slidingWindow(4096, [](Index) { return true; });
}

}  // namespace

constinit const Family kQwen3Moe{
    .types = kQwen3MoeTypes,
    .names = llamaNamesWith([](TensorNames& n) {
      addHeadNorms(n);
      n.router = "mlp.gate";
      n.expert = "mlp.experts.{}.";
      n.expertGate = "gate_proj";
      n.expertUp = "up_proj";
      n.expertDown = "down_proj";
    }),
    .read = readQwen3Moe,
};

}  // namespace headscope::formats
