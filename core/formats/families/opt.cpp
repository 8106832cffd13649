// OPT (Meta 2022): positions count from row 2, and the embedding may be narrower.
#include <array>
#include <string_view>

#include "core/attention/limits.h"
#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kOptTypes{"opt"};

void readOpt(ConfigReader& r) {
  r.sizes({.ffWidth = "ffn_dim"});
  constexpr Index kFirst = 2;
  r.config.firstPosition = kFirst;
  r.config.positionRows = r.config.positions + kFirst;
  r.config.normEpsilon = 1e-5;
  r.config.preNorm = r.flag("do_layer_norm_before", true);
  r.config.activation = r.activation("activation_function", "relu");
  const bool bias = r.flag("enable_bias", true);
  r.biases(bias, bias, bias);
  r.names.gainless = !r.flag("layer_norm_elementwise_affine", true);
  const bool removed = r.flag("_remove_final_layer_norm", false);
  if (removed || !r.config.preNorm) r.names.finalNorm = nullptr;
  const Index width = r.size("word_embed_proj_dim", Limits::kDModel, r.config.dModel);
  if (width == r.config.dModel) return;
  r.config.embeddingWidth = width;
  r.names.transform = "project_out";
}

}  // namespace

constinit const Family kOpt{
    .types = kOptTypes,
    .names = {.base = "model.decoder.",
              .positions = "embed_positions",
              .projection = "project_in",
              .projectionBias = false,
              .attentionNorm = "self_attn_layer_norm",
              .feedForwardNorm = "final_layer_norm",
              .query = "self_attn.q_proj",
              .key = "self_attn.k_proj",
              .value = "self_attn.v_proj",
              .output = "self_attn.out_proj",
              .up = "fc1",
              .down = "fc2",
              .finalNorm = "final_layer_norm",
              .baseTransform = true,
              .transformBias = false},
    .read = readOpt,
};

}  // namespace headscope::formats
