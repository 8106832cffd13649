// A model that this program has trained: attention alone with learned positions, or, where its file
// says "biases", a language model whose shape no other family has.
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kHeadscopeTypes{"headscope"};

/// A language model: its networks, norms and rotary positions are flags.
void readLanguageModel(ConfigReader& r) {
  r.config.attentionOnly = !r.flag("networks", true);
  r.config.norms = r.flag("norms", true);
  r.sizes({.width = "d_model",
           .layers = "layers",
           .heads = "heads",
           .kvHeads = "kv_heads",
           .ffWidth = nullptr,
           .fourfold = true,
           .positions = "positions"});
  r.biases(true, true, true);
  r.config.tied = model::ModelConfig::Tied::yes;
  TensorNames& names = r.names;
  names.bareNames = false;
  names.query = "query";
  names.key = "key";
  names.value = "value";
  names.output = "output";
  names.decoderBias = nullptr;
  if (r.config.attentionOnly) {
    r.config.ffWidth = 0;
  } else {
    names.up = "up";
    names.down = "down";
  }
  if (r.config.norms) {
    names.attentionNorm = "attention_norm";
    if (!r.config.attentionOnly) names.feedForwardNorm = "network_norm";
    names.finalNorm = "final_norm";
  }
  if (r.flag("rotary", false)) {
    r.config.rotary.theta = Rotary::kUsualTheta;
    r.config.positionRows = 0;
    names.positions = nullptr;
  } else {
    r.config.positionRows = r.config.positions;
  }
}

void readHeadscope(ConfigReader& r) {
  r.config.causal = r.flag("causal", true);
  r.ignore("task");  // the learned task, for human readers
  if (r.flag("biases", false)) return readLanguageModel(r);
  r.config.attentionOnly = true;
  r.config.norms = false;
  r.sizes({.width = "d_model",
           .layers = "layers",
           .heads = "heads",
           .ffWidth = nullptr,
           .positions = "positions"});
  r.config.positionRows = r.config.positions;
  r.biases(false, false, false);
  r.config.scale = r.flag("scale", true);
  r.config.tied = model::ModelConfig::Tied::no;
}

}  // namespace

constinit const Family kHeadscope{
    .types = kHeadscopeTypes,
    .names = {.tokens = "embedding",
              .positions = "positions",
              .bareNames = true,
              .query = "W_Q",
              .key = "W_K",
              .value = "W_V",
              .output = "W_O",
              .decoder = "readout",
              .decoderBias = "readout.bias"},
    .read = readHeadscope,
};

}  // namespace headscope::formats
