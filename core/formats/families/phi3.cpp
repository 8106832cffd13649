// Phi 3 and 4 (Microsoft): Llama with queries, keys and values in one tensor.
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kPhi3Types{"phi3"};

void readPhi3(ConfigReader& r) {
  r.sizes({.kvHeads = "num_key_value_heads", .headDim = "head_dim"});
  r.rmsNorm("rms_norm_eps", 1e-5);
  r.gated("hidden_act", "silu");
  r.untiedByDefault();
  readRope(r, Rotary::kUsualTheta, 1.0);
  r.biases(false, false, false);
  if (r.find("sliding_window")) r.slidingWindow(0, [](Index) { return true; });
}

}  // namespace

constinit const Family kPhi3{
    .types = kPhi3Types,
    .names = {.base = "model.",
              .attentionNorm = "input_layernorm",
              .feedForwardNorm = "post_attention_layernorm",
              .queryKeyValue = "self_attn.qkv_proj",
              .output = "self_attn.o_proj",
              .gateUp = "mlp.gate_up_proj",
              .down = "mlp.down_proj",
              .finalNorm = "norm"},
    .read = readPhi3,
};

}  // namespace headscope::formats
