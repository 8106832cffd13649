#include "core/formats/model_config_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/formats/files.h"

namespace headscope::formats {
namespace {

using model::Activation;
using model::Family;
using model::kFamilyNames;
using model::ModelConfig;
using model::ModelLimits;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{4} << 20;

/// Fields that say nothing about a pass: training, special tokens, how text is generated, what the
/// labels of other heads are called.
constexpr std::array<std::string_view, 79> kWithoutEffect{"architectures",
                                                          "transformers_version",
                                                          "torch_dtype",
                                                          "dtype",
                                                          "use_cache",
                                                          "initializer_range",
                                                          "initializer_factor",
                                                          "bos_token_id",
                                                          "pad_token_id",
                                                          "sep_token_id",
                                                          "cls_token_id",
                                                          "mask_token_id",
                                                          "unk_token_id",
                                                          "decoder_start_token_id",
                                                          "forced_bos_token_id",
                                                          "forced_eos_token_id",
                                                          "output_attentions",
                                                          "output_hidden_states",
                                                          "output_past",
                                                          "return_dict",
                                                          "torchscript",
                                                          "use_bfloat16",
                                                          "finetuning_task",
                                                          "id2label",
                                                          "label2id",
                                                          "num_labels",
                                                          "problem_type",
                                                          "tokenizer_class",
                                                          "prefix",
                                                          "task_specific_params",
                                                          "name_or_path",
                                                          "gradient_checkpointing",
                                                          "attention_dropout",
                                                          "attention_probs_dropout_prob",
                                                          "hidden_dropout_prob",
                                                          "hidden_dropout",
                                                          "classifier_dropout",
                                                          "dropout",
                                                          "attn_pdrop",
                                                          "embd_pdrop",
                                                          "resid_pdrop",
                                                          "qa_dropout",
                                                          "seq_classif_dropout",
                                                          "summary_activation",
                                                          "summary_first_dropout",
                                                          "summary_proj_to_labels",
                                                          "summary_type",
                                                          "summary_use_proj",
                                                          "pooler_fc_size",
                                                          "pooler_num_attention_heads",
                                                          "pooler_num_fc_layers",
                                                          "pooler_size_per_head",
                                                          "pooler_type",
                                                          "directionality",
                                                          "max_length",
                                                          "min_length",
                                                          "do_sample",
                                                          "early_stopping",
                                                          "num_beams",
                                                          "num_beam_groups",
                                                          "diversity_penalty",
                                                          "temperature",
                                                          "top_k",
                                                          "top_p",
                                                          "typical_p",
                                                          "repetition_penalty",
                                                          "length_penalty",
                                                          "no_repeat_ngram_size",
                                                          "bad_words_ids",
                                                          "num_return_sequences",
                                                          "output_scores",
                                                          "n_ctx",
                                                          "pretraining_tp",
                                                          "reorder_and_upcast_attn",
                                                          "chunk_size_feed_forward",
                                                          "initializer",
                                                          "sinusoidal_pos_embds",
                                                          "tie_weights_",
                                                          "embedding_dropout"};

class ConfigReader {
 public:
  explicit ConfigReader(const JsonField& root) : root_(root) {}

  ModelConfig read() {
    readFamily();
    switch (c_.family) {
      case Family::gpt2:
        readGpt2();
        break;
      case Family::bert:
      case Family::roberta:
        readBert();
        break;
      case Family::distilbert:
        readDistilBert();
        break;
      case Family::headscope:
        readOwn();
        break;
      default:
        readLlama();
    }
    readEnds();
    refuseOthers();
    checkHeads();
    return c_;
  }

 private:
  std::optional<JsonField> find(std::string_view name) {
    seen_.emplace(name);
    return root_.find(name);
  }
  JsonField at(std::string_view name) {
    seen_.emplace(name);
    return root_.at(name);
  }

  [[noreturn]] static void refuse(const JsonField& field, const std::string& what) {
    field.fail(fmt::format("is {}, {}", field.quoted(), what));
  }

  static Index sizeOf(const JsonField& field, Index most, Index least = 1) {
    const Index value = field.whole();
    if (value < least || value > most) {
      field.fail(fmt::format("is {}, and must be {} to {}", value, least, most));
    }
    return value;
  }
  Index size(std::string_view name, Index most) { return sizeOf(at(name), most); }
  Index size(std::string_view name, Index most, Index otherwise) {
    const auto field = find(name);
    return field ? sizeOf(*field, most) : otherwise;
  }
  bool flag(std::string_view name, bool otherwise) {
    const auto field = find(name);
    return field ? field->flag() : otherwise;
  }
  static double positiveOf(const JsonField& field) {
    const double value = field.number();
    if (!(value > 0.0) || !std::isfinite(value)) refuse(field, "and must be a number above 0");
    return value;
  }
  double positive(std::string_view name, double otherwise) {
    const auto field = find(name);
    return field ? positiveOf(*field) : otherwise;
  }
  /// A norm's ε: as small as 0.
  double epsilon(std::string_view name, double otherwise) {
    const auto field = find(name);
    if (!field) return otherwise;
    const double value = field->number();
    if (!(value >= 0.0 && value < 1.0)) refuse(*field, "and must be at least 0 and below 1");
    return value;
  }
  /// A switch that only one value of is known here.
  void mustBe(std::string_view name, bool value) {
    const auto field = find(name);
    if (field && field->flag() != value) refuse(*field, "which is not supported");
  }

  /// One id, several, or null. What is no token of the model never comes.
  void readEnds() {
    const auto field = find("eos_token_id");
    if (!field) return;
    const auto add = [&](const Json& id) {
      const auto token = id.whole();
      if (token && *token >= 0 && *token < c_.vocabulary) c_.endTokens.push_back(*token);
    };
    add(field->value());
    if (const Json::List* several = field->value().list()) std::ranges::for_each(*several, add);
  }

  void readFamily() {
    const JsonField type = at("model_type");
    const auto found = std::find(kFamilyNames.begin(), kFamilyNames.end(), type.text());
    if (found == kFamilyNames.end()) {
      refuse(type, fmt::format("which is not supported; {} are", fmt::join(kFamilyNames, ", ")));
    }
    c_.family = static_cast<Family>(found - kFamilyNames.begin());
    mustBe("is_encoder_decoder", false);
    mustBe("add_cross_attention", false);
    mustBe("tie_encoder_decoder", false);
    if (const auto pruned = find("pruned_heads")) {
      if (pruned->value().fields() == nullptr || !pruned->fields().empty()) {
        refuse(*pruned, "and pruned heads are not supported");
      }
    }
    if (const auto tied = find("tie_word_embeddings")) {
      c_.tied = tied->flag() ? ModelConfig::Tied::yes : ModelConfig::Tied::no;
    }
  }

  Activation activation(std::string_view name, const char* otherwise) {
    const auto field = find(name);
    const std::string text = field ? field->text() : otherwise;
    if (text == "gelu") return Activation::geluErf;
    if (text == "gelu_new" || text == "gelu_pytorch_tanh" || text == "gelu_fast") {
      return Activation::geluTanh;
    }
    if (text == "relu") return Activation::relu;
    if (text == "silu" || text == "swish") return Activation::silu;
    refuse(*field, "which is not supported; gelu, gelu_new, relu and silu are");
  }

  void readGpt2() {
    seen_.emplace("is_decoder");  // it is one, whatever this says
    c_.dModel = size("n_embd", Limits::kDModel);
    c_.layers = size("n_layer", ModelLimits::kLayers);
    c_.heads = c_.kvHeads = size("n_head", Limits::kDModel);
    c_.positions = c_.positionRows = size("n_positions", ModelLimits::kPositions);
    c_.vocabulary = size("vocab_size", ModelLimits::kVocabulary);
    c_.ffWidth = size("n_inner", ModelLimits::kFfWidth, 4 * c_.dModel);
    c_.normEpsilon = epsilon("layer_norm_epsilon", 1e-5);
    c_.activation = activation("activation_function", "gelu_new");
    c_.scale = flag("scale_attn_weights", true);
    c_.scaleByLayer = flag("scale_attn_by_inverse_layer_idx", false);
  }

  void encoder() {
    c_.causal = c_.preNorm = false;
    c_.embeddingNorm = true;
  }

  void readBert() {
    encoder();
    mustBe("is_decoder", false);
    c_.dModel = size("hidden_size", Limits::kDModel);
    c_.layers = size("num_hidden_layers", ModelLimits::kLayers);
    c_.heads = c_.kvHeads = size("num_attention_heads", Limits::kDModel);
    c_.ffWidth = size("intermediate_size", ModelLimits::kFfWidth);
    c_.vocabulary = size("vocab_size", ModelLimits::kVocabulary);
    c_.positions = c_.positionRows = size("max_position_embeddings", ModelLimits::kPositions);
    c_.tokenTypes = size("type_vocab_size", ModelLimits::kTokenTypes);
    c_.normEpsilon = epsilon("layer_norm_eps", 1e-12);
    c_.activation = activation("hidden_act", "gelu");
    if (const auto kind = find("position_embedding_type"); kind && kind->text() != "absolute") {
      refuse(*kind, "which is not supported; \"absolute\" is");
    }
    if (c_.family != Family::roberta) return;
    // its positions count from behind the padding's
    const auto pad = find("pad_token_id");
    c_.padToken = pad ? sizeOf(*pad, c_.vocabulary - 1, 0) : 1;
    c_.firstPosition = c_.padToken + 1;
    c_.positions = c_.positionRows - c_.firstPosition;
    if (c_.positions < 1) {
      refuse(at("max_position_embeddings"), "which leaves no place behind pad_token_id");
    }
  }

  void readDistilBert() {
    encoder();
    c_.dModel = size("dim", Limits::kDModel);
    c_.layers = size("n_layers", ModelLimits::kLayers);
    c_.heads = c_.kvHeads = size("n_heads", Limits::kDModel);
    c_.ffWidth = size("hidden_dim", ModelLimits::kFfWidth);
    c_.vocabulary = size("vocab_size", ModelLimits::kVocabulary);
    c_.positions = c_.positionRows = size("max_position_embeddings", ModelLimits::kPositions);
    c_.normEpsilon = 1e-12;
    c_.activation = activation("activation", "gelu");
  }

  /// A model that this program has trained: attention alone, with learned positions.
  void readOwn() {
    c_.attentionOnly = true;
    c_.queryKeyValueBias = c_.outputBias = c_.feedForwardBias = false;
    c_.ffWidth = 0;
    c_.dModel = size("d_model", Limits::kDModel);
    c_.layers = size("layers", ModelLimits::kLayers);
    c_.heads = c_.kvHeads = size("heads", Limits::kDModel);
    c_.positions = c_.positionRows = size("positions", ModelLimits::kPositions);
    c_.vocabulary = size("vocab_size", ModelLimits::kVocabulary);
    c_.causal = flag("causal", true);
    c_.scale = flag("scale", true);
    c_.tied = ModelConfig::Tied::no;
    if (const auto example = find("example")) c_.example = example->text();
    seen_.emplace("task");  // what it has learned, for who reads the file
  }

  void readLlama() {
    const bool qwen = c_.family == Family::qwen2 || c_.family == Family::qwen3;
    c_.rmsNorm = c_.gated = true;
    seen_.emplace("is_decoder");
    c_.dModel = size("hidden_size", Limits::kDModel);
    c_.layers = size("num_hidden_layers", ModelLimits::kLayers);
    c_.heads = size("num_attention_heads", Limits::kDModel);
    // what a file leaves out is H for Llama alone
    c_.kvHeads = c_.family == Family::llama ? size("num_key_value_heads", c_.heads, c_.heads)
                                            : size("num_key_value_heads", c_.heads);
    if (c_.family == Family::qwen3) {
      c_.headDim = size("head_dim", Limits::kDModel);
      c_.headNorm = true;
    } else if (const auto headDim = find("head_dim")) {
      c_.headDim = sizeOf(*headDim, Limits::kDModel);
    } else {
      c_.headDim = 0;  // D/H
    }
    c_.ffWidth = size("intermediate_size", ModelLimits::kFfWidth);
    c_.vocabulary = size("vocab_size", ModelLimits::kVocabulary);
    c_.positions = size("max_position_embeddings", ModelLimits::kPositions);
    c_.normEpsilon = epsilon("rms_norm_eps", 1e-6);
    c_.activation = activation("hidden_act", "silu");
    readRope();
    const bool bias = flag("attention_bias", c_.family == Family::qwen2);
    if (c_.family == Family::qwen2 && !bias) refuse(at("attention_bias"), "and Qwen2 has biases");
    if (c_.family == Family::mistral && bias) {
      refuse(at("attention_bias"), "and Mistral has no biases");
    }
    c_.queryKeyValueBias = bias;
    c_.outputBias = bias && c_.family != Family::qwen2;
    c_.feedForwardBias = flag("mlp_bias", false);
    if (c_.feedForwardBias && c_.family != Family::llama) {
      refuse(at("mlp_bias"), "which is not supported");
    }
    if (c_.tied == ModelConfig::Tied::byFile) c_.tied = ModelConfig::Tied::no;
    if (c_.family == Family::mistral) readMistralWindow();
    if (qwen) {
      mustBe("use_mrope", false);
      readQwenWindow();
    }
  }

  void readMistralWindow() {
    seen_.emplace("sliding_window");
    const Json* value = root_.value().find("sliding_window");
    // transformers would take 4096 where it is left out: whether that was meant cannot be told
    if (value == nullptr || !value->isNull()) {
      c_.windows.assign(layers(), sizeOf(at("sliding_window"), ModelLimits::kPositions));
    }
    checkLayerTypes();
  }

  void readQwenWindow() {
    const bool used = flag("use_sliding_window", false);
    const auto window = find("sliding_window");
    const auto from = find("max_window_layers");
    if (used && window) {
      const Index width = sizeOf(*window, ModelLimits::kPositions);
      const Index first =
          from ? sizeOf(*from, ModelLimits::kLayers, 0) : root_.at("max_window_layers").whole();
      c_.windows.assign(layers(), 0);
      for (std::size_t l = static_cast<std::size_t>(first); l < layers(); ++l) {
        c_.windows[l] = width;
      }
    }
    checkLayerTypes();
  }

  /// Newer files say of each layer what the fields above say: they must agree.
  void checkLayerTypes() {
    const auto types = find("layer_types");
    if (!types) return;
    const std::vector<JsonField> items = types->items();
    if (items.size() != layers()) {
      types->fail(fmt::format("has {} entries for {} layers", items.size(), layers()));
    }
    for (std::size_t l = 0; l < items.size(); ++l) {
      const bool sliding = !c_.windows.empty() && c_.windows[l] > 0;
      const char* expected = sliding ? "sliding_attention" : "full_attention";
      if (items[l].text() != expected) {
        refuse(items[l], fmt::format("where the other fields say \"{}\"", expected));
      }
    }
  }

  void readRope() {
    const auto parameters = find("rope_parameters");
    const auto scaling = find("rope_scaling");
    const auto theta = find("rope_theta");
    if (parameters && scaling) refuse(*scaling, "beside rope_parameters: leave one of them out");
    c_.rotary.theta = theta ? positiveOf(*theta) : 10000.0;
    if (parameters) readScaling(*parameters);
    if (scaling) readScaling(*scaling);
    if (const auto part = find("partial_rotary_factor"); part && part->number() != 1.0) {
      refuse(*part, "and only whole heads are turned");
    }
  }

  void readScaling(const JsonField& field) {
    std::set<std::string> known{"rope_type", "type"};
    const auto number = [&](const char* name) {
      known.emplace(name);
      return positiveOf(field.at(name));
    };
    Rotary& r = c_.rotary;
    const auto newer = field.find("rope_type");
    const auto older = field.find("type");
    if (newer && older && newer->text() != older->text()) {
      refuse(*older, fmt::format("and rope_type is {}", newer->quoted()));
    }
    const JsonField kind = newer ? *newer : older ? *older : field.at("rope_type");
    if (kind.text() == "linear") {
      r.scaling = Rotary::Scaling::linear;
      r.factor = number("factor");
    } else if (kind.text() == "llama3") {
      r.scaling = Rotary::Scaling::llama3;
      r.factor = number("factor");
      r.lowFrequencyFactor = number("low_freq_factor");
      r.highFrequencyFactor = number("high_freq_factor");
      known.emplace("original_max_position_embeddings");
      r.originalPositions =
          sizeOf(field.at("original_max_position_embeddings"), ModelLimits::kPositions);
    } else if (kind.text() != "default") {
      refuse(kind, "which is not supported; \"default\", \"linear\" and \"llama3\" are");
    }
    if (const auto theta = field.find("rope_theta")) {
      known.emplace("rope_theta");
      r.theta = positiveOf(*theta);
    }
    for (const auto& [name, value] : field.fields()) {
      if (!known.contains(name) && !value.value().isNull()) refuse(value, "which is not known");
    }
  }

  void refuseOthers() {
    for (const auto& [name, field] : root_.fields()) {
      const bool known = seen_.contains(name) || name.starts_with('_') ||
                         std::ranges::find(kWithoutEffect, name) != kWithoutEffect.end();
      if (!known && !field.value().isNull()) {
        refuse(field, fmt::format("and this program does not know what that does to a {} model",
                                  c_.typeName()));
      }
    }
  }

  void checkHeads() {
    const bool divided = c_.family != Family::qwen3 && (c_.headDim == 0 || !c_.rotary.on());
    if (divided) {
      if (c_.dModel % c_.heads != 0) {
        root_.fail(fmt::format("cannot be used: a width of {} does not divide into {} heads",
                               c_.dModel, c_.heads));
      }
      c_.headDim = c_.dModel / c_.heads;
    }
    const auto problems = validate(c_.attention(0, 1));
    if (!problems.empty()) root_.fail("cannot be used: " + problems.front().message);
  }

  std::size_t layers() const { return static_cast<std::size_t>(c_.layers); }

  const JsonField& root_;
  ModelConfig c_;
  std::set<std::string, std::less<>> seen_;
};

}  // namespace

ModelConfig modelConfigFrom(const JsonField& root) { return ConfigReader(root).read(); }

ModelConfig readModelConfig(const std::filesystem::path& path) {
  const std::string text = readText(path, kMostBytes, "config.json");
  const std::string file = path.string();
  Json json;
  try {
    json = parseJson(text, {.depth = 16, .keys = 1000, .bytes = std::size_t{64} << 20});
  } catch (const JsonError& error) {
    throw UserError(fmt::format("{}: {}; download it again", file, error.what()));
  }
  return modelConfigFrom({json, file});
}

}  // namespace headscope::formats
