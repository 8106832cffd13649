// GPT-2 (OpenAI 2019): matrices are stored as (in, out), and queries, keys and values in one.
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kGpt2Types{"gpt2"};

void readGpt2(ConfigReader& r) {
  r.ignore("is_decoder");  // it is always a decoder
  r.sizes({.width = "n_embd",
           .layers = "n_layer",
           .heads = "n_head",
           .ffWidth = "n_inner",
           .fourfold = true,
           .positions = "n_positions"});
  r.config.positionRows = r.config.positions;
  r.layerNorm("layer_norm_epsilon", 1e-5);
  r.config.activation = r.activation("activation_function", "gelu_new");
  r.config.scale = r.flag("scale_attn_weights", true);
  r.config.scaleByLayer = r.flag("scale_attn_by_inverse_layer_idx", false);
}

}  // namespace

constinit const Family kGpt2{
    .types = kGpt2Types,
    .names = {.base = "transformer.",
              .tokens = "wte",
              .positions = "wpe",
              .layer = "h.{}.",
              .attentionNorm = "ln_1",
              .feedForwardNorm = "ln_2",
              .queryKeyValue = "attn.c_attn",
              .output = "attn.c_proj",
              .up = "mlp.c_fc",
              .down = "mlp.c_proj",
              .inByOut = true,
              .finalNorm = "ln_f"},
    .read = readGpt2,
};

}  // namespace headscope::formats
