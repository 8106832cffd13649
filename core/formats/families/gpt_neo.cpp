// GPT-Neo (EleutherAI) and TinyStories: scores without 1/√d_k, and a window in every other layer.
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/limits.h"
#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kGptNeoTypes{"gpt_neo"};

/// "global" or "local" for each layer: listed by layer, or as [[kinds, how often], …].
std::vector<std::string> attentionOfLayers(ConfigReader& r) {
  std::vector<std::string> kinds;
  const auto types = r.find("attention_types");
  if (const auto listed = r.find("attention_layers")) {
    kinds = listed->texts();
  } else if (types) {
    for (const JsonField& part : types->items()) {
      const std::vector<JsonField> both = part.items();
      if (both.size() != 2) part.fail("must be a list of kinds and how often they follow");
      const Index times = ConfigReader::sizeOf(both[1], model::ModelLimits::kLayers);
      for (Index i = 0; i < times; ++i) {
        if (std::ssize(kinds) > model::ModelLimits::kLayers) part.fail("gives too many layers");
        for (const std::string& kind : both[0].texts()) kinds.push_back(kind);
      }
    }
  } else {
    for (Index l = 0; l < r.config.layers; ++l) kinds.emplace_back(l % 2 == 0 ? "global" : "local");
  }
  const auto field = r.find("attention_layers") ? r.find("attention_layers") : types;
  if (field && kinds.size() != r.layers()) {
    field->fail(fmt::format("gives {} layers, and the model has {}", kinds.size(), r.layers()));
  }
  for (const std::string& kind : kinds) {
    if (kind != "global" && kind != "local") field->fail("may contain only global and local");
  }
  return kinds;
}

void readGptNeo(ConfigReader& r) {
  r.sizes({.layers = "num_layers", .heads = "num_heads", .fourfold = true});
  r.config.positionRows = r.config.positions;
  r.layerNorm("layer_norm_epsilon", 1e-5);
  r.config.activation = r.activation("activation_function", "gelu_new");
  r.config.scale = false;
  r.biases(false, true, true);
  const Index window = r.size("window_size", model::ModelLimits::kPositions, 256);
  r.config.windows.assign(r.layers(), 0);
  const std::vector<std::string> kinds = attentionOfLayers(r);
  for (std::size_t l = 0; l < kinds.size(); ++l) {
    if (kinds[l] == "local") r.config.windows[l] = window;
  }
}

}  // namespace

constinit const Family kGptNeo{
    .types = kGptNeoTypes,
    .names = {.base = "transformer.",
              .tokens = "wte",
              .positions = "wpe",
              .layer = "h.{}.",
              .attentionNorm = "ln_1",
              .feedForwardNorm = "ln_2",
              .query = "attn.attention.q_proj",
              .key = "attn.attention.k_proj",
              .value = "attn.attention.v_proj",
              .output = "attn.attention.out_proj",
              .up = "mlp.c_fc",
              .down = "mlp.c_proj",
              .finalNorm = "ln_f"},
    .read = readGptNeo,
};

}  // namespace headscope::formats
