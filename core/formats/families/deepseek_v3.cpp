// DeepSeek V3 and R1: latent attention, and a mixture of experts chosen from groups.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/attention/limits.h"
#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kDeepseekV3Types{"deepseek_v3"};

void readExperts(ConfigReader& r) {
  model::Experts& e = r.config.experts;
  e.count = r.size("n_routed_experts", model::ModelLimits::kExperts, 256);
  e.perToken = r.size("num_experts_per_tok", e.count, 8);
  e.width = r.size("moe_intermediate_size", model::ModelLimits::kFfWidth, 2048);
  if (!r.isNull("n_shared_experts")) {
    e.shared = e.width * r.size("n_shared_experts", model::ModelLimits::kExperts, 1);
  }
  e.scoring = model::Experts::Scoring::sigmoid;
  e.normalised = r.flag("norm_topk_prob", true);
  e.factor = r.positive("routed_scaling_factor", 2.5);
  e.groups = r.size("n_group", e.count, 8);
  e.groupsPerToken = r.size("topk_group", e.groups, 4);
  if (e.count % e.groups != 0) {
    ConfigReader::refuse(r.at("n_group"), "which does not divide n_routed_experts");
  }
  const auto dense = r.find("first_k_dense_replace");
  const Index first =
      dense ? ConfigReader::sizeOf(*dense, model::ModelLimits::kLayers, 0) : Index{3};
  for (Index l = 0; l < r.config.layers; ++l) e.layers.push_back(l >= first);
  // the only values there are
  const auto only = [&](const char* name, std::string_view value) {
    const auto field = r.find(name);
    if (field && field->text() != value) r.refuseAsked(*field, "another choice of experts");
  };
  only("topk_method", "noaux_tc");
  only("scoring_func", "sigmoid");
  r.ignore("num_nextn_predict_layers");  // further layers, which a pass does not run
  r.ignore("moe_layer_freq");
  r.ignore("ep_size");
}

void readDeepseekV3(ConfigReader& r) {
  model::ModelConfig& c = r.config;
  model::Latent& latent = c.latent;
  latent.rotated = r.size("qk_rope_head_dim", Limits::kDModel, 64);
  r.sizes({.headDimOtherwise = latent.rotated});
  for (const char* name : {"num_key_value_heads", "head_dim", "qk_head_dim"}) r.ignore(name);
  r.rmsNorm("rms_norm_eps", 1e-6);
  r.gated("hidden_act", "silu");
  r.untiedByDefault();
  if (!r.isNull("q_lora_rank")) latent.queries = r.size("q_lora_rank", Limits::kDModel, 1536);
  latent.keys = r.size("kv_lora_rank", Limits::kDModel, 512);
  latent.plain = r.size("qk_nope_head_dim", Limits::kDModel, 128);
  latent.values = r.size("v_head_dim", Limits::kDModel, 128);
  const Index scored = latent.rotated + latent.plain;
  c.scoreFactor = 1.0 / std::sqrt(static_cast<double>(scored));
  readRope(r, Rotary::kUsualTheta, std::nullopt);
  // a head's coordinates: those that turn, the others, and zeros where values are wider
  c.rotary.dims = latent.rotated;
  c.headDim = std::max(scored, latent.values);
  if (r.flag("rope_interleave", true)) c.rotary.pairing = Rotary::Pairing::neighbours;
  const bool bias = r.flag("attention_bias", false);
  r.biases(bias, bias, false);
  readExperts(r);
}

}  // namespace

constinit const Family kDeepseekV3{
    .types = kDeepseekV3Types,
    .names = {.base = "model.",
              .attentionNorm = "input_layernorm",
              .feedForwardNorm = "post_attention_layernorm",
              .query = "self_attn.q_proj",
              .output = "self_attn.o_proj",
              .up = "mlp.up_proj",
              .gate = "mlp.gate_proj",
              .down = "mlp.down_proj",
              .router = "mlp.gate",
              .choiceBias = "mlp.gate.e_score_correction_bias",
              .expert = "mlp.experts.{}.",
              .expertGate = "gate_proj",
              .expertUp = "up_proj",
              .expertDown = "down_proj",
              .sharedExpert = "mlp.shared_experts.",
              .queryDown = "self_attn.q_a_proj",
              .queryDownNorm = "self_attn.q_a_layernorm",
              .queryUp = "self_attn.q_b_proj",
              .keyValueDown = "self_attn.kv_a_proj_with_mqa",
              .keyValueDownNorm = "self_attn.kv_a_layernorm",
              .keyValueUp = "self_attn.kv_b_proj",
              .finalNorm = "norm"},
    .read = readDeepseekV3,
};

}  // namespace headscope::formats
