#include "core/formats/families/config_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/attention/config.h"
#include "core/attention/limits.h"
#include "core/base/error.h"
#include "core/formats/config_fields.h"
#include "core/formats/families/family.h"
#include "core/formats/families/rope_fields.h"

namespace headscope::formats {

using model::Activation;
using model::ModelConfig;
using model::ModelLimits;

std::optional<JsonField> ConfigReader::find(std::string_view name) {
  seen_.emplace(name);
  return root_.find(name);
}

std::optional<JsonField> ConfigReader::findInGenerationConfig(std::string_view name) {
  auto own = find(name);
  const bool there = generation_ != nullptr && generation_->value().find(name) != nullptr;
  return there ? generation_->find(name) : own;
}

JsonField ConfigReader::at(std::string_view name) {
  seen_.emplace(name);
  return root_.at(name);
}

void ConfigReader::refuse(const JsonField& field, const std::string& what) {
  field.fail(fmt::format("is {}, {}", field.quoted(), what));
}

void ConfigReader::refuseAsked(const JsonField& field, std::string_view asked) const {
  throw UserError(fmt::format(
      "{}: {} is {}, which asks for {}, and that is not computed here for a {} model: open {}",
      field.file(), field.path(), field.quoted(), asked, config.typeName(),
      asked == kQuantizedWeights ? "the original model in F32, F16, BF16 or F64"
                                 : "a model without it"));
}

void ConfigReader::refuseIfAsked(std::string_view name) {
  if (const auto field = find(name)) checkOther(std::string(name), *field);
}

Index ConfigReader::sizeOf(const JsonField& field, Index most, Index least) {
  const Index value = field.whole();
  if (value < least || value > most) {
    field.fail(fmt::format("is {}, and must be {} to {}", value, least, most));
  }
  return value;
}

Index ConfigReader::size(std::string_view name, Index most) { return sizeOf(at(name), most); }

Index ConfigReader::size(std::string_view name, Index most, Index otherwise) {
  const auto field = find(name);
  return field ? sizeOf(*field, most) : otherwise;
}

Index ConfigReader::eitherSize(std::string_view name, std::string_view alias, Index most) {
  const auto own = find(name);
  const auto other = find(alias);
  if (!other) return size(name, most);
  const Index value = sizeOf(*other, most);
  if (own && own->whole() != value) {
    refuse(*other, fmt::format("and {} is {}", name, own->quoted()));
  }
  return value;
}

bool ConfigReader::flag(std::string_view name, bool otherwise) {
  const auto field = find(name);
  return field ? field->flag() : otherwise;
}

double ConfigReader::positiveOf(const JsonField& field) {
  const double value = field.number();
  if (!(value > 0.0) || !std::isfinite(value)) refuse(field, "and must be a number above 0");
  return value;
}

double ConfigReader::positive(std::string_view name, double otherwise) {
  const auto field = find(name);
  return field ? positiveOf(*field) : otherwise;
}

double ConfigReader::epsilon(std::string_view name, double otherwise) {
  const auto field = find(name);
  if (!field) return otherwise;
  const double value = field->number();
  if (!(value >= 0.0 && value < 1.0)) refuse(*field, "and must be at least 0 and below 1");
  return value;
}

Activation ConfigReader::activation(std::string_view name, const char* otherwise) {
  const auto field = find(name);
  return activationOf(field.value_or(root_), field ? field->text() : otherwise);
}

Activation ConfigReader::activationOf(const JsonField& field, std::string_view text) const {
  if (text == "gelu") return Activation::geluErf;
  if (text == "gelu_new" || text == "gelu_pytorch_tanh" || text == "gelu_fast") {
    return Activation::geluTanh;
  }
  if (text == "quick_gelu") return Activation::geluQuick;
  if (text == "relu") return Activation::relu;
  if (text == "silu" || text == "swish") return Activation::silu;
  refuseAsked(field, "an activation other than gelu, gelu_new, quick_gelu, relu and silu");
}

bool ConfigReader::isNull(std::string_view name) {
  seen_.emplace(name);
  const Json* value = root_.value().find(name);
  return value != nullptr && value->isNull();
}

void ConfigReader::refuseIfAsked(std::string_view name, std::string_view mathematics) {
  const auto field = find(name);
  if (!field) return;
  const bool* flag = field->value().flag();
  const auto number = field->value().number();
  if ((flag != nullptr && *flag) || (number && *number != 0.0)) refuseAsked(*field, mathematics);
}

void ConfigReader::gated(std::string_view activationField, const char* otherwise) {
  config.gated = true;
  config.activation = activation(activationField, otherwise);
}

double ConfigReader::softCap(std::string_view name, double otherwise) {
  if (isNull(name)) return 0.0;
  const auto field = find(name);
  if (!field) return otherwise;
  return field->number() == 0.0 ? 0.0 : positiveOf(*field);
}

void ConfigReader::absolutePositions() {
  config.positionRows = config.positions;
  if (const auto kind = find("position_embedding_type"); kind && kind->text() != "absolute") {
    refuseAsked(*kind, "positions other than \"absolute\" ones");
  }
}

void ConfigReader::rmsNorm(std::string_view epsilonField, double otherwise) {
  config.rmsNorm = true;
  config.normBias = false;
  config.normEpsilon = epsilon(epsilonField, otherwise);
}

void ConfigReader::layerNorm(std::string_view epsilonField, double otherwise, bool bias) {
  config.rmsNorm = false;
  config.normBias = bias;
  config.normEpsilon = epsilon(epsilonField, otherwise);
}

void ConfigReader::twoStacks() {
  flag("is_encoder_decoder", true);
  flag("is_decoder", false);
  config.tied = config.tied == ModelConfig::Tied::byFile ? ModelConfig::Tied::yes : config.tied;
  encoderStack = Stack{config, names};
  encoderStack->config.causal = false;
  encoderStack->names.decoder = nullptr;
  config.crossAttention = true;
}

void ConfigReader::encoder() { config.causal = config.preNorm = false; }

void ConfigReader::biases(bool queryKeyValue, bool output, bool feedForward) {
  config.queryKeyValueBias = queryKeyValue;
  config.outputBias = output;
  config.feedForwardBias = feedForward;
}

void ConfigReader::untiedByDefault() {
  if (config.tied == ModelConfig::Tied::byFile) config.tied = ModelConfig::Tied::no;
}

void ConfigReader::sizes(const SizeFields& fields) {
  ModelConfig& c = config;
  c.dModel = eitherSize(fields.width, "hidden_size", Limits::kDModel);
  c.layers = eitherSize(fields.layers, "num_hidden_layers", ModelLimits::kLayers);
  c.heads = eitherSize(fields.heads, "num_attention_heads", Limits::kDModel);
  c.kvHeads = c.heads;
  if (fields.kvHeads != nullptr) {
    c.kvHeads = fields.kvHeadsRequired ? size(fields.kvHeads, c.heads)
                                       : size(fields.kvHeads, c.heads, c.heads);
  }
  c.headDim = fields.headDimOtherwise;
  if (fields.headDim != nullptr) {
    c.headDim = size(fields.headDim, Limits::kDModel, fields.headDimOtherwise);
  }
  if (c.headDim == 0) {
    if (c.dModel % c.heads != 0) {
      root_.fail(fmt::format("cannot be used: a width of {} does not divide into {} heads",
                             c.dModel, c.heads));
    }
    c.headDim = c.dModel / c.heads;
  }
  c.ffWidth = fields.fourfold ? 4 * c.dModel : 0;
  if (fields.ffWidth != nullptr) {
    c.ffWidth = fields.fourfold ? size(fields.ffWidth, ModelLimits::kFfWidth, c.ffWidth)
                                : size(fields.ffWidth, ModelLimits::kFfWidth);
  }
  if (fields.vocabulary != nullptr) {
    c.vocabulary = size(fields.vocabulary, ModelLimits::kVocabulary);
  }
  if (fields.positions != nullptr) {
    c.positions = eitherSize(fields.positions, "max_position_embeddings", ModelLimits::kPositions);
  } else {
    c.positions = Limits::kTokens;  // nothing in the model limits the length of a text
  }
}

void ConfigReader::windows(Index width, const std::function<bool(Index layer)>& sliding) {
  config.windows.assign(layers(), 0);
  layerTypesRead_ = true;
  if (const auto types = find("layer_types")) {
    const std::vector<JsonField> items = types->items();
    if (items.size() != layers()) {
      types->fail(fmt::format("has {} entries for {} layers", items.size(), layers()));
    }
    for (std::size_t l = 0; l < items.size(); ++l) {
      const std::string& type = items[l].text();
      if (type != "sliding_attention" && type != "full_attention") {
        refuseAsked(items[l], "attention that is neither full nor within a window");
      }
      if (type == "sliding_attention") config.windows[l] = width;
    }
    return;
  }
  for (std::size_t l = 0; l < layers(); ++l) {
    if (sliding(static_cast<Index>(l))) config.windows[l] = width;
  }
}

void ConfigReader::slidingWindow(Index otherwise, const std::function<bool(Index layer)>& sliding) {
  const auto field = find("sliding_window");
  if (!field && has("sliding_window")) return;  // null: none
  windows(field ? sizeOf(*field, ModelLimits::kPositions) : otherwise, sliding);
}

void ConfigReader::readCommon() {
  const auto type = find("model_type");
  if (!type) {
    throw UserError(
        fmt::format("{} has no model_type, so it is not the config.json of a model saved by "
                    "transformers: open a model of one of the kinds {}",
                    root_.file(), knownTypes()));
  }
  config.modelType = type->text();
  const Family* family = familyOf(config.modelType);
  if (family == nullptr) {
    const std::string_view lacks = mathematicsOfType(config.modelType);
    throw UserError(fmt::format(
        "{}: model_type is {}, {}: open a model of one of the kinds {}", root_.file(),
        type->quoted(),
        lacks.empty() ? "a kind of model that this program does not know"
                      : fmt::format("which needs {}, and that is not computed here", lacks),
        knownTypes()));
  }
  readArchitectures();
  if (const auto example = find("example")) config.example = example->text();
  if (const auto pruned = find("pruned_heads")) {
    if (pruned->value().fields() == nullptr || !pruned->fields().empty()) {
      refuse(*pruned, "and pruned heads are not supported");
    }
  }
  if (const auto tied = find("tie_word_embeddings")) {
    config.tied = tied->flag() ? ModelConfig::Tied::yes : ModelConfig::Tied::no;
  }
  names = family->names;
  family->read(*this);
}

bool ConfigReader::savedFrom(std::string_view part) const {
  const Json* classes = root_.value().find("architectures");
  if (classes == nullptr || classes->list() == nullptr) return false;
  return std::ranges::any_of(*classes->list(), [part](const Json& name) {
    return name.text() != nullptr && name.text()->find(part) != std::string::npos;
  });
}

/// Reads the names of the classes that the model was saved from.
void ConfigReader::readArchitectures() {
  const auto classes = find("architectures");
  if (!classes || classes->value().list() == nullptr) return;
  config.languageModelHead = savedFrom("LMHead") || savedFrom("ForCausalLM") ||
                             savedFrom("ForConditionalGeneration") || savedFrom("MTModel");
}

/// Reads how the decoder of two stacks begins and ends a text.
void ConfigReader::readTarget() {
  const auto token = [&](std::string_view name) {
    const auto field = findInGenerationConfig(name);
    return field ? sizeOf(*field, config.vocabulary - 1, 0) : Index{-1};
  };
  config.target.forcedFirst = token("forced_bos_token_id");
  config.target.forcedEnd = token("forced_eos_token_id");
  for (const char* name : {"decoder_start_token_id", "bos_token_id", "pad_token_id"}) {
    if (config.target.start < 0) config.target.start = token(name);
  }
  const auto bad = findInGenerationConfig("bad_words_ids");
  if (!bad) return;
  for (const JsonField& word : bad->items()) {  // of words of several tokens none is left out
    const std::vector<Index> ids = word.wholes();
    if (ids.size() == 1) config.target.never.push_back(ids.front());
  }
}

/// Reads one id, several, or null. An id that is no token of the model has no effect.
void ConfigReader::readEnds() {
  const auto field = findInGenerationConfig("eos_token_id");
  if (!field) return;
  const auto add = [&](const Json& id) {
    const auto token = id.whole();
    if (token && *token >= 0 && *token < config.vocabulary) config.endTokens.push_back(*token);
  };
  add(field->value());
  if (const Json::List* several = field->value().list()) std::ranges::for_each(*several, add);
}

/// Checks that the layer types of newer files agree with the other fields.
void ConfigReader::checkLayerTypes() {
  if (layerTypesRead_) return;
  const auto types = find("layer_types");
  if (!types) return;
  const std::vector<JsonField> items = types->items();
  if (items.size() != layers()) {
    types->fail(fmt::format("has {} entries for {} layers", items.size(), layers()));
  }
  for (std::size_t l = 0; l < items.size(); ++l) {
    const bool sliding = !config.windows.empty() && config.windows[l] > 0;
    const char* expected = sliding ? "sliding_attention" : "full_attention";
    if (items[l].text() != expected) {
      refuse(items[l], fmt::format("where the other fields say \"{}\"", expected));
    }
  }
}

void ConfigReader::refuseContradiction(const std::string& name, const JsonField& nested) const {
  const auto top = root_.find(name);
  if (!top || nested.value().isNull()) return;
  const auto a = nested.value().number(), b = top->value().number();
  const bool same = a && b ? *a == *b : nested.value().dump() == top->value().dump();
  if (!same) {
    refuse(nested, fmt::format("and {} at the top of the file is {}", name, top->quoted()));
  }
}

void ConfigReader::checkOthers() {
  // a window that is switched off has no effect, whatever its width
  if (const auto used = root_.find("use_sliding_window");
      used && used->value().flag() != nullptr && !used->flag()) {
    seen_.emplace("sliding_window");
  }
  for (const auto& [name, field] : root_.fields()) {
    if (!seen_.contains(name)) checkOther(name, field);
  }
}

void ConfigReader::checkOther(const std::string& name, const JsonField& field) {
  const bool passed = field.value().isNull() || name.starts_with('_') || isFieldWithoutEffect(name);
  if (passed) return;
  const auto asked = mathematicsOf(name, field.value());
  if (!asked) {
    notes_.unknownFields.push_back({field.path(), field.value().dump()});
  } else if (!asked->empty()) {
    refuseAsked(field, *asked);
  }
}

void ConfigReader::finish() {
  readEnds();
  if (encoderStack) readTarget();
  checkLayerTypes();
  checkOthers();
  const auto check = [&](const ModelConfig& stack) {
    for (Index layer = 0; layer < stack.layers; ++layer) {
      const auto problems = validate(stack.attention(layer, 1));
      if (!problems.empty()) root_.fail("cannot be used: " + problems.front().message);
    }
  };
  check(config);
  if (encoderStack) check(encoderStack->config);
}

}  // namespace headscope::formats
