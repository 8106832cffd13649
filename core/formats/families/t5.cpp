// T5 (Raffel et al. 2020), its version 1.1 and FLAN (gated networks), mT5 and UMT5: an encoder and
// a decoder, scores without ÷√d_k and with a bias by distance.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 3> kT5Types{"t5", "mt5", "umt5"};

/// The network: "relu", or "gated-gelu", whose GELU is by tanh.
void readNetwork(ConfigReader& r) {
  const bool gatedByType = r.config.typeName() != "t5";
  const auto field = r.find("feed_forward_proj");
  std::string name = field ? field->text() : gatedByType ? "gated-gelu" : "relu";
  constexpr std::string_view kGated = "gated-";
  r.config.gated = name.starts_with(kGated);
  if (name == "gated-gelu") {
    r.config.activation = model::Activation::geluTanh;
  } else if (r.config.gated) {
    r.config.activation = r.activationOf(*field, name.substr(kGated.size()));
  } else {
    r.config.activation = field ? r.activationOf(*field, name) : model::Activation::relu;
  }
  r.names.up = r.config.gated ? "2.DenseReluDense.wi_1" : "2.DenseReluDense.wi";
  r.names.gate = r.config.gated ? "2.DenseReluDense.wi_0" : nullptr;
}

void readT5(ConfigReader& r) {
  r.sizes({.width = "d_model",
           .layers = "num_layers",
           .heads = "num_heads",
           .headDim = "d_kv",
           .headDimOtherwise = 64,
           .ffWidth = "d_ff",
           .positions = nullptr});
  r.rmsNorm("layer_norm_epsilon", 1e-6);
  r.biases(false, false, false);
  r.config.scale = false;
  for (const char* without : {"dropout_rate", "dense_act_fn", "is_gated_act", "n_positions"}) {
    r.ignore(without);
  }
  readNetwork(r);
  model::DistanceBias& bias = r.config.distanceBias;
  bias.buckets = r.size("relative_attention_num_buckets", model::ModelLimits::kPositions, 32);
  bias.maxDistance = r.size("relative_attention_max_distance", model::ModelLimits::kPositions, 128);
  bias.ofEachLayer = r.config.typeName() == "umt5";
  if (bias.maxDistance <= bias.buckets / 2) {  // the decoder's buckets of single distances
    ConfigReader::refuse(r.at("relative_attention_max_distance"),
                         fmt::format("and must be above {}, half of "
                                     "relative_attention_num_buckets",
                                     bias.buckets / 2));
  }
  const bool tied = r.config.tied != model::ModelConfig::Tied::no;
  r.twoStacks();
  // files of transformers 5 always say that the head is the embedding
  if (tied) r.config.tied = model::ModelConfig::Tied::byFile;
  const bool scales = r.flag("scale_decoder_outputs", tied);
  if (scales && r.config.typeName() != "mt5") {  // mT5 never does
    r.config.logitFactor = 1.0 / std::sqrt(static_cast<double>(r.config.dModel));
  }
  r.config.distanceBias.bothWays = false;
  r.config.layers = 2 * r.size("num_decoder_layers", model::ModelLimits::kLayers, r.config.layers);

  TensorNames& encoder = r.encoderStack->names;
  encoder.layer = "encoder.block.{}.layer.";
  encoder.feedForwardNorm = "1.layer_norm";
  encoder.up = r.config.gated ? "1.DenseReluDense.wi_1" : "1.DenseReluDense.wi";
  if (r.config.gated) encoder.gate = "1.DenseReluDense.wi_0";
  encoder.down = "1.DenseReluDense.wo";
  encoder.finalNorm = "encoder.final_layer_norm";
}

}  // namespace

constinit const Family kT5{
    .types = kT5Types,
    .names = {.tokens = "shared",
              .layer = "decoder.block.{}.layer.",
              .attentionNorm = "0.layer_norm",
              .feedForwardNorm = "2.layer_norm",
              .query = "0.SelfAttention.q",
              .key = "0.SelfAttention.k",
              .value = "0.SelfAttention.v",
              .output = "0.SelfAttention.o",
              .down = "2.DenseReluDense.wo",
              .crossNorm = "1.layer_norm",
              .crossQuery = "1.EncDecAttention.q",
              .crossKey = "1.EncDecAttention.k",
              .crossValue = "1.EncDecAttention.v",
              .crossOutput = "1.EncDecAttention.o",
              .distanceBias = "0.SelfAttention.relative_attention_bias",
              .finalNorm = "decoder.final_layer_norm",
              .repeatsOfTokens = {"encoder.embed_tokens", "decoder.embed_tokens"},
              .leftOver = "EncDecAttention.relative_attention_bias.weight"},
    .read = readT5,
};

}  // namespace headscope::formats
