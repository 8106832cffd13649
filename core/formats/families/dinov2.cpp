// DINOv2 (Oquab et al. 2023), also with registers (Darcet et al. 2023). What each half of a layer
// adds is scaled (LayerScale); its classifier reads the class token and the mean of the patches.
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/image_fields.h"

namespace headscope::formats {
namespace {

constexpr std::string_view kRegisters = "dinov2_with_registers";
constexpr std::array<std::string_view, 2> kDinov2Types{"dinov2", kRegisters};

void readDinov2(ConfigReader& r) {
  readImageEncoder(r, 224, 14, nullptr);
  readLabels(r);
  model::ModelConfig& c = r.config;
  c.reads = model::Reads::classAndMeanPatch;
  r.layerNorm("layer_norm_eps", 1e-6);
  c.queryKeyValueBias = r.flag("qkv_bias", true);
  c.ffWidth = r.size("mlp_ratio", model::ModelLimits::kFfWidth / c.dModel, 4) * c.dModel;
  if (r.flag("use_swiglu_ffn", false)) {
    constexpr Index kMultiple = 8;
    c.ffWidth = (c.ffWidth * 2 / 3 + kMultiple - 1) / kMultiple * kMultiple;
    r.ignore("hidden_act");
    c.gated = true;
    c.activation = model::Activation::silu;
    r.names.gateUp = "mlp.weights_in";
    r.names.down = "mlp.weights_out";
  } else {
    c.activation = r.activation("hidden_act", "gelu");
  }
  if (c.modelType != kRegisters) return;
  r.names.base = "dinov2_with_registers.";
  c.image.registers = r.size("num_register_tokens", model::ModelLimits::kTokenTypes, 4);
  c.image.antialiasedPositions = true;
}

constexpr TensorNames dinov2Names() {
  TensorNames names = imageNames("dinov2.");
  names.attentionNorm = "norm1";
  names.feedForwardNorm = "norm2";
  names.up = "mlp.fc1";
  names.down = "mlp.fc2";
  names.registerTokens = "embeddings.register_tokens";
  names.attentionScale = "layer_scale1.lambda1";
  names.networkScale = "layer_scale2.lambda1";
  return names;
}

}  // namespace

constinit const Family kDinov2{.types = kDinov2Types, .names = dinov2Names(), .read = readDinov2};

}  // namespace headscope::formats
