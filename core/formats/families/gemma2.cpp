// Gemma 2 (Google): norms before and after each half, soft caps, and a window in every other layer.
#include <array>
#include <cmath>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/llama_names.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kGemma2Types{"gemma2"};

void readGemma2(ConfigReader& r) {
  r.sizes({.kvHeads = "num_key_value_heads", .headDim = "head_dim", .headDimOtherwise = 256});
  r.rmsNorm("rms_norm_eps", 1e-6);
  r.ignore("hidden_act");  // transformers reads the newer field alone
  r.gated("hidden_activation", "gelu_pytorch_tanh");
  r.config.embeddingFactor = std::sqrt(static_cast<double>(r.config.dModel));
  readRope(r, Rotary::kUsualTheta, std::nullopt);
  const bool bias = r.flag("attention_bias", false);
  r.biases(bias, bias, false);
  r.config.scoreFactor = 1.0 / std::sqrt(r.positive("query_pre_attn_scalar", 256.0));
  r.config.scoreCap = r.softCap("attn_logit_softcapping", 50.0);
  r.config.logitCap = r.softCap("final_logit_softcapping", 30.0);
  r.slidingWindow(4096, [](Index layer) { return layer % 2 == 0; });
  r.refuseIfAsked("use_bidirectional_attention");
}

}  // namespace

constinit const Family kGemma2{
    .types = kGemma2Types,
    .names = llamaNamesWith([](TensorNames& n) {
      nameFourNorms(n);
      n.onePlusGain = true;
    }),
    .read = readGemma2,
};

}  // namespace headscope::formats
