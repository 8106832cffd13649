// MPT (MosaicML): ALiBi in the place of positions, and no biases.
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kMptTypes{"mpt"};

void readAttention(ConfigReader& r, const JsonField& given) {
  const auto require = [&](const char* name, double value, const char* mathematics) {
    const auto field = given.find(name);
    if (!field) return;
    const auto flag = field->value().flag();
    const double found = flag != nullptr ? (*flag ? 1.0 : 0.0) : field->number();
    if (found != value) r.refuseAsked(*field, mathematics);
  };
  require("alibi", 1.0, "learned positions");
  require("alibi_bias_max", 8.0, "other slopes of ALiBi");
  require("prefix_lm", 0.0, "a prefix that all tokens see");
  require("qk_ln", 0.0, "norms of queries and keys");
  require("attn_uses_sequence_id", 0.0, "several texts in one");
  if (const auto clip = given.find("clip_qkv"); clip && clip->number() != 0.0) {
    r.refuseAsked(*clip, "queries, keys and values that are clipped");
  }
  if (const auto type = given.find("attn_type"); type && type->text() == "multiquery_attention") {
    r.refuseAsked(*type, "one key for all heads");
  }
  if (const auto factor = given.find("softmax_scale")) {
    r.config.scoreFactor = ConfigReader::positiveOf(*factor);
  }
}

void readMpt(ConfigReader& r) {
  r.sizes({.width = "d_model",
           .layers = "n_layers",
           .heads = "n_heads",
           .ffWidth = nullptr,
           .fourfold = true,
           .positions = "max_seq_len"});
  r.config.ffWidth = r.size("expansion_ratio", 1024, 4) * r.config.dModel;
  r.layerNorm("layer_norm_epsilon", 1e-5, false);
  r.config.activation = model::Activation::geluErf;
  r.biases(false, false, false);
  r.config.alibi = true;
  // one value in all models of this kind, or of no effect in transformers
  for (const char* name :
       {"no_bias", "norm_type", "learned_pos_emb", "logit_scale", "embedding_fraction"}) {
    r.ignore(name);
  }
  if (const auto attention = r.find("attn_config")) readAttention(r, *attention);
}

}  // namespace

constinit const Family kMpt{
    .types = kMptTypes,
    .names = {.base = "transformer.",
              .tokens = "wte",
              .layer = "blocks.{}.",
              .attentionNorm = "norm_1",
              .feedForwardNorm = "norm_2",
              .queryKeyValue = "attn.Wqkv",
              .output = "attn.out_proj",
              .up = "ffn.up_proj",
              .down = "ffn.down_proj",
              .finalNorm = "norm_f"},
    .read = readMpt,
};

}  // namespace headscope::formats
