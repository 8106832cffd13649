// BART (Lewis et al. 2020) and the models with its tensors: mBART (norms before each half, and a
// final one), PEGASUS (so, and with fixed positions) and Marian (Junczys-Dowmunt et al. 2018; fixed
// positions, no norm of the embedding).
#include <array>
#include <cmath>
#include <string_view>

#include "core/attention/limits.h"
#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 4> kBartTypes{"bart", "marian", "mbart", "pegasus"};

/// Fields of older files that say what the type says, and of training and generation.
constexpr std::array kBartWithoutEffect{"add_bias_logits",   "add_final_layer_norm",
                                        "classif_dropout",   "decoder_layerdrop",
                                        "encoder_layerdrop", "extra_pos_embeddings",
                                        "normalize_before",  "normalize_embedding",
                                        "save_step",         "force_bos_token_to_be_generated",
                                        "num_hidden_layers", "static_position_embeddings"};

void readPositions(ConfigReader& r, bool fixed) {
  r.config.sinusoids = fixed;
  r.config.firstPosition = fixed ? 0 : 2;
  r.config.positionRows = r.config.positions + r.config.firstPosition;
}

/// The decoder's own sizes, behind those of the encoder.
void readDecoder(ConfigReader& r) {
  model::ModelConfig& c = r.config;
  c.layers = 2 * r.size("decoder_layers", model::ModelLimits::kLayers);
  c.heads = c.kvHeads = r.size("decoder_attention_heads", Limits::kDModel);
  if (c.dModel % c.heads != 0) {
    ConfigReader::refuse(r.at("decoder_attention_heads"), "and does not divide d_model");
  }
  c.headDim = c.dModel / c.heads;
  c.ffWidth = r.size("decoder_ffn_dim", model::ModelLimits::kFfWidth);
}

void readBart(ConfigReader& r) {
  const std::string_view type = r.config.typeName();
  const bool marian = type == "marian", preNorm = type == "mbart" || type == "pegasus";
  const bool fixed = marian || type == "pegasus";
  r.sizes({.width = "d_model",
           .layers = "encoder_layers",
           .heads = "encoder_attention_heads",
           .ffWidth = "encoder_ffn_dim"});
  readPositions(r, fixed);
  r.config.preNorm = preNorm;
  r.config.normEpsilon = 1e-5;
  r.config.activation = r.activation("activation_function", "gelu");
  if (r.flag("scale_embedding", false)) {
    r.config.embeddingFactor = std::sqrt(static_cast<double>(r.config.dModel));
  }
  for (const char* without : kBartWithoutEffect) r.ignore(without);
  if (fixed) r.names.embeddingNorm = nullptr;
  if (!preNorm) r.names.finalNorm = nullptr;
  r.twoStacks();
  readDecoder(r);

  TensorNames& encoder = r.encoderStack->names;
  encoder.positions = "encoder.embed_positions";
  if (!fixed) encoder.embeddingNorm = "encoder.layernorm_embedding";
  encoder.layer = "encoder.layers.{}.";
  if (preNorm) encoder.finalNorm = "encoder.layer_norm";
  if (!marian || r.flag("share_encoder_decoder_embeddings", true)) {
    r.ignore("decoder_vocab_size");
    return;
  }
  r.config.vocabulary =
      r.size("decoder_vocab_size", model::ModelLimits::kVocabulary, r.config.vocabulary);
  encoder.tokens = "encoder.embed_tokens";
  r.names.tokens = "decoder.embed_tokens";
  r.names.repeatsOfTokens = {};
}

}  // namespace

constinit const Family kBart{
    .types = kBartTypes,
    .names = {.base = "model.",
              .tokens = "shared",
              .positions = "decoder.embed_positions",
              .embeddingNorm = "decoder.layernorm_embedding",
              .layer = "decoder.layers.{}.",
              .attentionNorm = "self_attn_layer_norm",
              .feedForwardNorm = "final_layer_norm",
              .query = "self_attn.q_proj",
              .key = "self_attn.k_proj",
              .value = "self_attn.v_proj",
              .output = "self_attn.out_proj",
              .up = "fc1",
              .down = "fc2",
              .crossNorm = "encoder_attn_layer_norm",
              .crossQuery = "encoder_attn.q_proj",
              .crossKey = "encoder_attn.k_proj",
              .crossValue = "encoder_attn.v_proj",
              .crossOutput = "encoder_attn.out_proj",
              .finalNorm = "decoder.layer_norm",
              .logitsBias = "final_logits_bias",
              .repeatsOfTokens = {"encoder.embed_tokens", "decoder.embed_tokens"}},
    .read = readBart,
};

}  // namespace headscope::formats
