// Gemma 3 (Google), its text model: five layers with a window and another rotation, then one
// without.
#include <array>
#include <cmath>
#include <string_view>

#include "core/attention/limits.h"
#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/llama_names.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kGemma3Types{"gemma3_text"};

void readGemma3(ConfigReader& r) {
  r.sizes({.kvHeads = "num_key_value_heads", .headDim = "head_dim", .headDimOtherwise = 256});
  r.rmsNorm("rms_norm_eps", 1e-6);
  r.ignore("hidden_act");  // transformers reads the newer field alone
  r.gated("hidden_activation", "gelu_pytorch_tanh");
  r.config.embeddingFactor = std::sqrt(static_cast<double>(r.config.dModel));
  const bool bias = r.flag("attention_bias", false);
  r.biases(bias, bias, false);
  r.config.headNorm.on = true;
  r.config.scoreFactor = 1.0 / std::sqrt(r.positive("query_pre_attn_scalar", 256.0));
  r.config.scoreCap = r.softCap("attn_logit_softcapping", 0.0);
  r.config.logitCap = r.softCap("final_logit_softcapping", 0.0);
  const Index period = r.size("sliding_window_pattern", model::ModelLimits::kLayers, 6);
  r.slidingWindow(4096, [period](Index layer) { return (layer + 1) % period != 0; });
  readRopeOfLayerTypes(r, {"rope_theta", 1e6}, {"rope_local_base_freq", Rotary::kUsualTheta});
  r.refuseIfAsked("use_bidirectional_attention");
}

}  // namespace

constinit const Family kGemma3{
    .types = kGemma3Types,
    .names = llamaNamesWith([](TensorNames& n) {
      nameFourNorms(n);
      addHeadNorms(n);
      n.onePlusGain = true;
    }),
    .read = readGemma3,
};

}  // namespace headscope::formats
