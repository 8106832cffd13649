// GPT-J (EleutherAI): both halves of a layer read one norm, and neighbours of each head turn.
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kGptJTypes{"gptj"};

void readGptJ(ConfigReader& r) {
  r.sizes({.width = "n_embd",
           .layers = "n_layer",
           .heads = "n_head",
           .ffWidth = "n_inner",
           .fourfold = true,
           .positions = "n_positions"});
  r.layerNorm("layer_norm_epsilon", 1e-5);
  r.config.activation = r.activation("activation_function", "gelu_new");
  r.config.parallel = true;
  r.untiedByDefault();
  r.ignore("rotary");              // it always rotates
  r.ignore("scale_attn_weights");  // and scales
  r.biases(false, false, true);
  r.config.rotary.theta = Rotary::kUsualTheta;
  r.config.rotary.pairing = Rotary::Pairing::neighbours;
  const auto turning = r.find("rotary_dim");
  if (turning) r.config.rotary.dims = ConfigReader::sizeOf(*turning, r.config.headDim);
  if (!turning && !r.isNull("rotary_dim")) r.config.rotary.dims = 64;  // transformers' default
}

}  // namespace

constinit const Family kGptJ{
    .types = kGptJTypes,
    .names = {.base = "transformer.",
              .tokens = "wte",
              .layer = "h.{}.",
              .attentionNorm = "ln_1",
              .query = "attn.q_proj",
              .key = "attn.k_proj",
              .value = "attn.v_proj",
              .output = "attn.out_proj",
              .up = "mlp.fc_in",
              .down = "mlp.fc_out",
              .finalNorm = "ln_f",
              .decoderBias = "lm_head.bias"},
    .read = readGptJ,
};

}  // namespace headscope::formats
