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

#include "core/attention/config.h"
#include "core/attention/limits.h"
#include "core/base/downloaded_file.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/document/trace.h"
#include "core/formats/config_fields.h"

namespace headscope::formats {
namespace {

using model::Activation;
using model::Family;
using model::kFamilyNames;
using model::ModelConfig;
using model::ModelLimits;
using model::ModelNotes;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{4} << 20;

/// Kinds of models with the blocks and tensor names of another kind.
constexpr std::array kSameBlocks{
    std::pair<std::string_view, Family>{"camembert", Family::roberta},
    std::pair<std::string_view, Family>{"xlm-roberta", Family::roberta}};

std::optional<Family> familyOf(std::string_view modelType) {
  const auto* const found = std::ranges::find(kFamilyNames, modelType);
  if (found != kFamilyNames.end()) return static_cast<Family>(found - kFamilyNames.begin());
  for (const auto& [type, family] : kSameBlocks) {
    if (type == modelType) return family;
  }
  return std::nullopt;
}

std::string knownTypes() {
  std::vector<std::string_view> types(kFamilyNames.begin(), kFamilyNames.end());
  for (const auto& [type, family] : kSameBlocks) types.push_back(type);
  std::ranges::sort(types);
  return fmt::format("{}", fmt::join(types, ", "));
}

class ConfigReader {
 public:
  ConfigReader(const JsonField& root, ModelNotes& notes) : root_(root), notes_(notes) {}

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
    checkLayerTypes();
    checkOthers();
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
  /// A size that may have either of two names, as in transformers.
  Index size(std::string_view name, std::string_view alias, Index most) {
    const auto own = find(name);
    const auto other = find(alias);
    if (!other) return size(name, most);
    const Index value = sizeOf(*other, most);
    if (own && own->whole() != value)
      refuse(*other, fmt::format("and {} is {}", name, own->quoted()));
    return value;
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
  /// A norm's ε, at least 0.
  double epsilon(std::string_view name, double otherwise) {
    const auto field = find(name);
    if (!field) return otherwise;
    const double value = field->number();
    if (!(value >= 0.0 && value < 1.0)) refuse(*field, "and must be at least 0 and below 1");
    return value;
  }
  /// Reads one id, several, or null. An id that is no token of the model has no effect.
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
    const auto type = find("model_type");
    if (!type) {
      throw UserError(
          fmt::format("{} has no model_type, so it is not the config.json of a model saved by "
                      "transformers: open a model of one of the kinds {}",
                      root_.file(), knownTypes()));
    }
    c_.modelType = type->text();
    const auto family = familyOf(c_.modelType);
    if (!family) {
      const std::string_view lacks = mathematicsOfType(c_.modelType);
      throw UserError(fmt::format(
          "{}: model_type is {}, {}: open a model of one of the kinds {}", root_.file(),
          type->quoted(),
          lacks.empty() ? "a kind of model that this program does not know"
                        : fmt::format("which needs {}, and that is not computed here", lacks),
          knownTypes()));
    }
    c_.family = *family;
    readArchitectures();
    if (const auto pruned = find("pruned_heads")) {
      if (pruned->value().fields() == nullptr || !pruned->fields().empty()) {
        refuse(*pruned, "and pruned heads are not supported");
      }
    }
    if (const auto tied = find("tie_word_embeddings")) {
      c_.tied = tied->flag() ? ModelConfig::Tied::yes : ModelConfig::Tied::no;
    }
  }

  /// Reads the names of the classes that the model was saved from.
  void readArchitectures() {
    const auto classes = find("architectures");
    if (!classes || classes->value().list() == nullptr) return;
    c_.languageModelHead = std::ranges::any_of(classes->list(), [](const Json& name) {
      const auto has = [&](const char* part) {
        return name.text() != nullptr && name.text()->find(part) != std::string::npos;
      };
      return has("LMHead") || has("ForCausalLM");
    });
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
    refuseAsked(*field, "an activation other than gelu, gelu_new, relu and silu");
  }

  void readGpt2() {
    seen_.emplace("is_decoder");  // it is always a decoder
    c_.dModel = size("n_embd", "hidden_size", Limits::kDModel);
    c_.layers = size("n_layer", "num_hidden_layers", ModelLimits::kLayers);
    c_.heads = c_.kvHeads = size("n_head", "num_attention_heads", Limits::kDModel);
    c_.positions = c_.positionRows =
        size("n_positions", "max_position_embeddings", ModelLimits::kPositions);
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
      refuseAsked(*kind, "positions other than \"absolute\" ones");
    }
    if (c_.family != Family::roberta) return;
    // positions count from the id after the padding's
    const auto pad = find("pad_token_id");
    c_.padToken = pad ? sizeOf(*pad, c_.vocabulary - 1, 0) : 1;
    c_.firstPosition = c_.padToken + 1;
    c_.positions = c_.positionRows - c_.firstPosition;
    if (c_.positions < 1) {
      refuse(at("max_position_embeddings"), "which leaves no position after pad_token_id");
    }
  }

  void readDistilBert() {
    encoder();
    c_.dModel = size("dim", "hidden_size", Limits::kDModel);
    c_.layers = size("n_layers", "num_hidden_layers", ModelLimits::kLayers);
    c_.heads = c_.kvHeads = size("n_heads", "num_attention_heads", Limits::kDModel);
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
    seen_.emplace("task");  // the learned task, for human readers
  }

  void readLlama() {
    const bool qwen = c_.family == Family::qwen2 || c_.family == Family::qwen3;
    c_.rmsNorm = c_.gated = true;
    seen_.emplace("is_decoder");
    c_.dModel = size("hidden_size", Limits::kDModel);
    c_.layers = size("num_hidden_layers", ModelLimits::kLayers);
    c_.heads = size("num_attention_heads", Limits::kDModel);
    // the default is H for Llama alone
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
      refuseAsked(at("mlp_bias"), "biases of the feed-forward network");
    }
    if (c_.tied == ModelConfig::Tied::byFile) c_.tied = ModelConfig::Tied::no;
    if (c_.family == Family::mistral) readMistralWindow();
    if (qwen) readQwenWindow();
  }

  void readMistralWindow() {
    seen_.emplace("sliding_window");
    const Json* value = root_.value().find("sliding_window");
    // the default of transformers is 4096; a missing value may mean that or no window
    if (value == nullptr || !value->isNull()) {
      c_.windows.assign(layers(), sizeOf(at("sliding_window"), ModelLimits::kPositions));
    }
  }

  void readQwenWindow() {
    // the defaults of transformers for missing fields; null means no window
    constexpr Index kUsualWindow = 4096, kUsualFirstLayer = 28;
    const bool used = flag("use_sliding_window", false);
    const auto window = find("sliding_window");
    const auto from = find("max_window_layers");
    const bool none = root_.value().find("sliding_window") != nullptr && !window;
    if (!used || none) return;
    const Index width = window ? sizeOf(*window, ModelLimits::kPositions) : kUsualWindow;
    const Index first = from ? sizeOf(*from, ModelLimits::kLayers, 0) : kUsualFirstLayer;
    c_.windows.assign(layers(), 0);
    for (std::size_t l = static_cast<std::size_t>(first); l < layers(); ++l) c_.windows[l] = width;
  }

  /// Checks that the layer types of newer files agree with the fields above.
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
    if (parameters && scaling && parameters->value().dump() != scaling->value().dump()) {
      refuse(*scaling, "and rope_parameters says something else: leave one of them out");
    }
    c_.rotary.theta = theta ? positiveOf(*theta) : Rotary::kUsualTheta;
    if (parameters) {
      readScaling(*parameters);
    } else if (scaling) {
      readScaling(*scaling);
    }
  }

  /// Reads the scaling of positions; without a kind there is none.
  void readScaling(const JsonField& field) {
    std::set<std::string, std::less<>> known{"rope_type", "type", "rope_theta"};
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
    const auto& kind = newer ? newer : older;
    const std::string name = kind ? kind->text() : "default";
    if (const auto factor = field.find("factor"); factor && !kind) {
      refuse(*factor, "and rope_type, which gives the meaning of factor, is missing");
    }
    if (name == "linear") {
      r.scaling = Rotary::Scaling::linear;
      r.factor = number("factor");
    } else if (name == "llama3") {
      r.scaling = Rotary::Scaling::llama3;
      r.factor = number("factor");
      r.lowFrequencyFactor = number("low_freq_factor");
      r.highFrequencyFactor = number("high_freq_factor");
      known.emplace("original_max_position_embeddings");
      r.originalPositions =
          sizeOf(field.at("original_max_position_embeddings"), ModelLimits::kPositions);
    } else if (name != "default") {
      refuseAsked(*kind, "a scaling of rotary positions other than \"linear\" and \"llama3\"");
    }
    if (const auto theta = field.find("rope_theta")) r.theta = positiveOf(*theta);
    for (const auto& [each, value] : field.fields()) {
      refuseContradiction(each, value);
      if (value.value().fields() != nullptr) {
        refuseAsked(value, "a rotation of its own for each kind of layer");
      }
      if (!known.contains(each)) checkOther(each, value);
    }
  }

  /// Refuses a nested field whose value differs from the top-level field of its name.
  void refuseContradiction(const std::string& name, const JsonField& nested) const {
    const auto top = root_.find(name);
    if (!top || nested.value().isNull()) return;
    const auto a = nested.value().number(), b = top->value().number();
    const bool same = a && b ? *a == *b : nested.value().dump() == top->value().dump();
    if (!same)
      refuse(nested, fmt::format("and {} at the top of the file is {}", name, top->quoted()));
  }

  void checkOthers() {
    // a window that is switched off has no effect, whatever its width
    if (const auto used = root_.find("use_sliding_window");
        used && used->value().flag() != nullptr && !used->flag()) {
      seen_.emplace("sliding_window");
    }
    for (const auto& [name, field] : root_.fields()) {
      if (!seen_.contains(name)) checkOther(name, field);
    }
  }

  /// Ignores a field without effect, notes an unknown one, and refuses one that asks for
  /// mathematics that the model's blocks do not have.
  void checkOther(const std::string& name, const JsonField& field) {
    const bool passed =
        field.value().isNull() || name.starts_with('_') || isFieldWithoutEffect(name);
    if (passed) return;
    const auto asked = mathematicsOf(name, field.value());
    if (!asked) {
      notes_.unknownFields.push_back({field.path(), field.value().dump()});
    } else if (!asked->empty()) {
      refuseAsked(field, *asked);
    }
  }

  /// Refuses a field that asks for mathematics which the model's blocks do not have.
  [[noreturn]] void refuseAsked(const JsonField& field, std::string_view asked) const {
    throw UserError(fmt::format(
        "{}: {} is {}, which asks for {}, and that is not computed here for a {} model: open {}",
        field.file(), field.path(), field.quoted(), asked, c_.typeName(),
        asked == kQuantizedWeights ? "the original model in F32, F16, BF16 or F64"
                                   : "a model without it"));
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
  ModelNotes& notes_;
  ModelConfig c_;
  std::set<std::string, std::less<>> seen_;
};

}  // namespace

ModelConfig modelConfigFrom(const JsonField& root, ModelNotes& notes) {
  return ConfigReader(root, notes).read();
}

ModelConfig readModelConfig(const std::filesystem::path& path, ModelNotes& notes) {
  const std::string text = readText(path, kMostBytes, "config.json");
  const std::string file = path.string();
  const Json json =
      downloadedJson(text, file, {.depth = 16, .keys = 1000, .bytes = std::size_t{64} << 20});
  return modelConfigFrom({json, file}, notes);
}

}  // namespace headscope::formats
