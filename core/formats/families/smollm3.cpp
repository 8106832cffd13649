// SmolLM 3 (Hugging Face): Llama, where some layers have no positions.
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

constexpr std::array<std::string_view, 1> kSmolLm3Types{"smollm3"};

void readSmolLm3(ConfigReader& r) {
  r.sizes({.kvHeads = "num_key_value_heads", .headDim = "head_dim"});
  r.rmsNorm("rms_norm_eps", 1e-6);
  r.gated("hidden_act", "silu");
  readRope(r, 2e6, std::nullopt);
  const bool bias = r.flag("attention_bias", false);
  r.biases(bias, bias, r.flag("mlp_bias", false));
  const Index period = r.size("no_rope_layer_interval", model::ModelLimits::kLayers, 4);
  std::vector<Index> turns;  // 0: the layer has no positions
  if (const auto given = r.find("no_rope_layers")) {
    turns = given->wholes();
    if (turns.size() != r.layers()) given->fail("must have a number for each layer");
  } else {
    for (Index l = 0; l < r.config.layers; ++l) turns.push_back((l + 1) % period != 0 ? 1 : 0);
  }
  for (const Index turn : turns) {
    r.config.rotaryOfLayer.push_back(turn != 0 ? r.config.rotary : Rotary());
  }
  if (!r.flag("use_sliding_window", false)) return;
  r.slidingWindow(0, [&](Index layer) { return turns[static_cast<std::size_t>(layer)] == 0; });
}

}  // namespace

constinit const Family kSmolLm3{
    .types = kSmolLm3Types,
    .names = kLlamaNames,
    .read = readSmolLm3,
};

}  // namespace headscope::formats
