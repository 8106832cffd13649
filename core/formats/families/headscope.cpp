// A model that this program has trained: attention alone, with learned positions.
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kHeadscopeTypes{"headscope"};

void readHeadscope(ConfigReader& r) {
  r.config.attentionOnly = true;
  r.sizes({.width = "d_model",
           .layers = "layers",
           .heads = "heads",
           .ffWidth = nullptr,
           .positions = "positions"});
  r.config.positionRows = r.config.positions;
  r.biases(false, false, false);
  r.config.causal = r.flag("causal", true);
  r.config.scale = r.flag("scale", true);
  r.config.tied = model::ModelConfig::Tied::no;
  if (const auto example = r.find("example")) r.config.example = example->text();
  r.ignore("task");  // the learned task, for human readers
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
