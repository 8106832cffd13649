// Mixtral (Mistral AI): Llama with a mixture of experts in every layer.
#include <array>
#include <string_view>

#include "core/attention/limits.h"
#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/llama_names.h"
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
    .names = llamaNamesWith([](TensorNames& n) {
      n.up = n.gate = n.down = nullptr;
      n.router = "block_sparse_moe.gate";
      n.expert = "block_sparse_moe.experts.{}.";
      n.expertGate = "w1";
      n.expertUp = "w3";
      n.expertDown = "w2";
    }),
    .read = readMixtral,
};

}  // namespace headscope::formats
