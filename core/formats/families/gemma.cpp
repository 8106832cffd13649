// Gemma 1 (Google): norms with 1 + gain, and an embedding times √d_model.
#include <array>
#include <cmath>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/llama_names.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kGemmaTypes{"gemma"};

void readGemma(ConfigReader& r) {
  r.sizes({.kvHeads = "num_key_value_heads", .headDim = "head_dim", .headDimOtherwise = 256});
  r.rmsNorm("rms_norm_eps", 1e-6);
  r.ignore("hidden_act");
  r.gated(r.find("hidden_activation") ? "hidden_activation" : "hidden_act", "gelu_pytorch_tanh");
  // files that say "gelu" were trained with the approximation by tanh
  if (r.config.activation == model::Activation::geluErf) {
    r.config.activation = model::Activation::geluTanh;
  }
  r.config.embeddingFactor = std::sqrt(static_cast<double>(r.config.dModel));
  readRope(r, Rotary::kUsualTheta, std::nullopt);
  const bool bias = r.flag("attention_bias", false);
  r.biases(bias, bias, false);
  r.refuseIfAsked("use_bidirectional_attention");
}

}  // namespace

constinit const Family kGemma{
    .types = kGemmaTypes,
    .names = llamaNamesWith([](TensorNames& n) { n.onePlusGain = true; }),
    .read = readGemma,
};

}  // namespace headscope::formats
