// Qwen 2, 2.5 and 3 (Alibaba). Qwen 2 has biases of queries, keys and values; Qwen 3 normalises
// queries and keys.
#include <array>
#include <string_view>

#include "core/attention/limits.h"
#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/llama_names.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 2> kQwenTypes{"qwen2", "qwen3"};

void readQwen(ConfigReader& r) {
  const bool third = r.config.modelType == "qwen3";
  r.sizes({.kvHeads = "num_key_value_heads",
           .kvHeadsRequired = true,
           .headDim = "head_dim",
           .headDimOtherwise = third ? 128 : 0});
  r.rmsNorm("rms_norm_eps", 1e-6);
  r.gated("hidden_act", "silu");
  r.untiedByDefault();
  readRope(r, Rotary::kUsualTheta, std::nullopt);
  r.config.headNorm.on = third;
  const bool bias = r.flag("attention_bias", !third);
  if (!third && !bias) ConfigReader::refuse(r.at("attention_bias"), "and Qwen2 has biases");
  r.biases(bias, bias && third, false);
  r.refuseIfAsked("mlp_bias", "biases of the feed-forward network");
  // the defaults of transformers for missing fields; null means no window
  constexpr Index kUsualWindow = 4096, kUsualFirstLayer = 28;
  const bool used = r.flag("use_sliding_window", false);
  const Index width = r.size("sliding_window", model::ModelLimits::kPositions, kUsualWindow);
  const auto from = r.find("max_window_layers");
  if (!used || r.isNull("sliding_window")) return;
  const Index first =
      from ? ConfigReader::sizeOf(*from, model::ModelLimits::kLayers, 0) : kUsualFirstLayer;
  for (Index l = 0; l < r.config.layers; ++l) r.config.windows.push_back(l < first ? 0 : width);
}

}  // namespace

constinit const Family kQwen{
    .types = kQwenTypes,
    .names = llamaNamesWith(addHeadNorms),
    .read = readQwen,
};

}  // namespace headscope::formats
