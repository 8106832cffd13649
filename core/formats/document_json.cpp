#include "core/formats/document_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <utility>

#include "core/attention/config.h"
#include "core/attention/ledger.h"
#include "core/attention/mistakes.h"
#include "core/attention/steps/step.h"
#include "core/attention/switches.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/editing/make_document.h"
#include "core/formats/setting_json.h"
#include "core/formats/source_json.h"

namespace headscope::formats {

namespace {

struct PositionsName {
  Positions positions;
  const char* name;
};
constexpr std::array kPositions{PositionsName{Positions::named, "named"},
                                PositionsName{Positions::sinusoidal, "sinusoidal"},
                                PositionsName{Positions::none, "none"}};

std::string_view nameOf(Positions positions) {
  return std::find_if(kPositions.begin(), kPositions.end(),
                      [=](const PositionsName& each) { return each.positions == positions; })
      ->name;
}

/// Lengths of the runs of equal values, row-major, allowed pairs first: drawn masks have few.
Json paintedJson(const PaintedMask& mask) {
  Json runs = Json::emptyList();
  bool allowed = true;
  Index length = 0;
  for (const std::uint8_t value : mask.allowed) {
    if ((value != 0) != allowed) {
      runs.push_back(length);
      allowed = !allowed;
      length = 0;
    }
    ++length;
  }
  runs.push_back(length);
  return {{"queries", mask.queries}, {"keys", mask.keys}, {"runs", std::move(runs)}};
}

/// Adds all settings of a pass but its sizes and mistakes.
void addSettings(Json& json, const AttentionConfig& c) {
  for (const Switch& each : allSwitches()) {
    const double value = valueOf(each, c);
    if (!each.inEveryFile && value == defaultOf(each)) continue;
    json[each.key] = each.isFlag() ? Json(value != 0.0) : Json(value);
  }
  json["causal"] = c.mask.causal;
  json["window"] = c.mask.window;
  json["lengths"] = c.mask.lengths;
  json["painted"] = c.mask.painted != nullptr ? paintedJson(*c.mask.painted) : Json();
  json["head_gains"] = c.headGains;
  json["dropout"] = {{"rate", c.dropout.rate}, {"seed", c.dropout.seed}};
  if (c.rotary.on()) json["rope"] = rotaryJson(c.rotary);
  if (c.headNorm.on()) json["head_norm"] = headNormJson(c.headNorm);
  if (!c.sinks.empty()) json["sinks"] = c.sinks;
  if (c.relative.on()) json["relative_scores"] = relativeJson(c.relative.settings());
  if (c.pairBias.on()) json["pair_bias"] = pairBiasJson(c.pairBias.settings());
  if (c.mistakes.modelHasNoScale) json["model_has_no_scale"] = true;
}

}  // namespace

Json configJson(const AttentionConfig& config) {
  Json json = {{"d_model", config.dModel},
               {"num_heads", config.numHeads},
               {"num_kv_heads", config.numKvHeads},
               {"d_k", config.dK()},
               {"seq_len", config.seqLen},
               {"memory_len", config.keys()},
               {"batch", config.batch},
               {"bias", config.switches->bias}};
  if (config.headDim > 0) json["head_dim"] = config.headDim;
  const std::string mistakes = idsOfMistakes(config);
  if (!mistakes.empty()) json["mistakes"] = mistakes;
  return json;
}

Json configJson(const Document& document) {
  Json json = configJson(document.config);
  addSettings(json, document.config);
  json["positions"] = nameOf(document.positions);
  return json;
}

std::vector<std::vector<std::string>> parseTokens(const std::string& text) {
  const std::string name = "tokens";
  try {
    const Json json = parseJson(text);
    const JsonField field(json, name);
    const auto items = field.items();
    if (items.empty() || items.front().value().list() == nullptr) return {field.texts()};
    std::vector<std::vector<std::string>> lists;
    for (const JsonField& item : items) lists.push_back(item.texts());
    return lists;
  } catch (const JsonError&) {
    return {};
  } catch (const UserError&) {
    return {};
  }
}

std::map<std::string, std::string> passMetadata(const Trace& trace) {
  const Input& input = *trace.document().input;
  std::map<std::string, std::string> metadata{{"config", configJson(trace.document()).dump()},
                                              {"tokens", Json(input.tokens).dump()}};
  if (!input.memory.empty()) metadata["memory_tokens"] = Json(input.memoryTokens).dump();
  const std::string mistakes = idsOfMistakes(trace.config());
  if (!mistakes.empty()) metadata["mistakes"] = mistakes;
  return metadata;
}

Json stepsJson(const AttentionConfig& config) {
  Json steps = Json::emptyList();
  for (const Step* step : stepsOf(config)) {
    const StepText text = step->text(config);
    Json outputs = Json::emptyList();
    for (const TensorId id : step->outputs()) outputs.push_back(info(id).name);
    steps.push_back({{"id", text.id}, {"formula", text.formula}, {"outputs", outputs}});
  }
  return steps;
}

namespace {

std::shared_ptr<const PaintedMask> paintedFrom(const JsonField& field, const AttentionConfig& c) {
  auto mask = std::make_shared<PaintedMask>();
  mask->queries = field.at("queries").whole();
  mask->keys = field.at("keys").whole();
  if (mask->queries != c.seqLen || mask->keys != c.keys()) {
    field.fail(fmt::format("is {} × {}, and the scores are {} × {}", mask->queries, mask->keys,
                           c.seqLen, c.keys()));
  }
  const Index cells = mask->queries * mask->keys;
  const JsonField runs = field.at("runs");
  Index left = cells;
  for (const Index run : runs.wholes()) {
    if (run < 0 || run > left) runs.fail(fmt::format("do not add up to {} pairs", cells));
    left -= run;
  }
  if (left != 0) runs.fail(fmt::format("do not add up to {} pairs", cells));
  mask->allowed.reserve(static_cast<std::size_t>(cells));
  std::uint8_t allowed = 1;
  for (const Index run : runs.wholes()) {
    mask->allowed.insert(mask->allowed.end(), static_cast<std::size_t>(run), allowed);
    allowed ^= 1U;
  }
  return mask;
}

Json mistakesJson(const AttentionConfig& config) {
  Json ids = Json::emptyList();
  for (const Mistake mistake : mistakesOn(config)) ids.push_back(textOf(mistake).id);
  return ids;
}

/// Throws UserError at the field where the configuration is invalid or exceeds the budget.
void requireUsable(const JsonField& field, const AttentionConfig& config, Index memoryBudget) {
  const auto problems = validate(config);
  if (!problems.empty()) field.fail("cannot be used: " + problems.front().message);
  try {
    scoresToHold(config, memoryBudget);
  } catch (const UserError& error) {
    field.fail(fmt::format("cannot be used: {}", error.what()));
  }
}

}  // namespace

Json wholeConfigJson(const AttentionConfig& c) {
  Json json = {{"d_model", c.dModel},           {"num_heads", c.numHeads},
               {"num_kv_heads", c.numKvHeads},  {"head_dim", c.headDim},
               {"seq_len", c.seqLen},           {"memory_len", c.memoryLen},
               {"memory_width", c.memoryWidth}, {"batch", c.batch}};
  addSettings(json, c);
  json["mistakes"] = mistakesJson(c);
  return json;
}

AttentionConfig wholeConfigFrom(const JsonField& field, Index memoryBudget) {
  AttentionConfig c;
  c.dModel = field.at("d_model").whole();
  c.numHeads = field.at("num_heads").whole();
  c.numKvHeads = field.at("num_kv_heads").whole();
  // files of older versions, where d_k could not be set, have none
  if (const auto headDim = field.find("head_dim")) c.headDim = headDim->whole();
  c.seqLen = field.at("seq_len").whole();
  c.memoryLen = field.at("memory_len").whole();
  c.memoryWidth = field.at("memory_width").whole();
  c.batch = field.at("batch").whole();
  for (const Switch& each : allSwitches()) {
    const auto given = each.inEveryFile ? std::optional(field.at(each.key)) : field.find(each.key);
    if (given) setValue(each, c, each.isFlag() ? given->flag() : given->number());
  }
  c.mask.causal = field.at("causal").flag();
  c.mask.window = field.at("window").whole();
  c.mask.lengths = field.at("lengths").wholes();
  c.headGains = field.at("head_gains").floats();
  // written only where they are on
  if (const auto rope = field.find("rope")) c.rotary = rotaryFrom(*rope);
  if (const auto norm = field.find("head_norm")) c.headNorm = headNormFrom(*norm);
  if (const auto sinks = field.find("sinks")) c.sinks = sinks->floats();
  if (const auto relative = field.find("relative_scores")) c.relative = relativeFrom(*relative);
  if (const auto none = field.find("model_has_no_scale")) {
    c.mistakes.modelHasNoScale = none->flag();
  }
  const JsonField dropout = field.at("dropout");
  c.dropout = {dropout.at("rate").number(), dropout.at("seed").seed()};
  for (const JsonField& id : field.at("mistakes").items()) {
    try {
      setMistake(c, mistakeFromString(id.text()), true);
    } catch (const UserError& error) {
      id.fail(fmt::format("cannot be used: {}", error.what()));
    }
  }
  requireUsable(field, c, memoryBudget);
  if (const auto bias = field.find("pair_bias")) {  // of checked sizes, since it may be drawn
    c.pairBias = pairBiasFrom(*bias, c);
    requireUsable(field, c, memoryBudget);
  }
  if (const auto painted = field.find("painted")) c.mask.painted = paintedFrom(*painted, c);
  return c;
}

namespace {

Positions positionsFrom(const JsonField& field) {
  for (const PositionsName& entry : kPositions) {
    if (field.text() == entry.name) return entry.positions;
  }
  field.fail("must be named, sinusoidal or none");
}

/// Reads an input. Tokens and their names are derived again from the source; X and the memory are
/// the saved ones, even if this version would embed the source otherwise.
std::shared_ptr<const Input> inputFrom(const JsonField& field, const Document& d,
                                       const JsonField& source, TensorsToRead& tensors) {
  Tensor x = tensorFrom(field, "x", TensorId::x, d.config, tensors);
  Tensor memory = tensorFrom(field, "memory", TensorId::memory, d.config, tensors);
  try {
    auto input = std::make_shared<Input>(makeInput(*d.source, d.positions, d.config));
    input->x = std::move(x);
    input->memory = std::move(memory);
    return input;
  } catch (const UserError& error) {
    source.fail(fmt::format("cannot be used: {}", error.what()));
  }
}

}  // namespace

Json pinsJson(const Pins& all) {
  Json pins = Json::emptyList();
  for (const Pin& pin : all.all()) {
    pins.push_back({{"cell", toString(pin.cell)}, {"value", pin.value}});
  }
  return pins;
}

Pins pinsFrom(const JsonField& field, const AttentionConfig& c) {
  std::vector<Pin> pins;
  for (const JsonField& item : field.items()) {
    const JsonField cell = item.at("cell");
    const auto found = cellFromString(cell.text());
    if (!found || !canBePinned(found->tensor) || !exists(*found, c)) {
      cell.fail("is not a cell of this session that can be pinned");
    }
    pins.push_back({*found, item.at("value").float32()});
  }
  return Pins::from(std::move(pins));
}

Json documentJson(const Document& d, const std::string& name, TensorsToSave& tensors) {
  const AddTensor add(name, tensors);
  Json weights = {{"init", toString(d.weightSource.init)},
                  {"seed", d.weightSource.seed},
                  {"loaded_from", d.weightSource.loadedFrom},
                  {"edited", d.weightsEdited}};
  for (const WeightTensor& w : kWeightTensors) {
    if (!has(d.config, w.id)) continue;
    const std::string_view tensor = info(w.id).name;
    weights[std::string(tensor)] = add(d.weights.*w.tensor, tensor);
  }
  return {{"preset", d.preset},
          {"config", wholeConfigJson(d.config)},
          {"positions", nameOf(d.positions)},
          {"source", sourceJson(*d.source, add)},
          {"input",
           {{"x", add(d.input->x, "x")},
            {"memory", add(d.input->memory, "memory")},
            {"edited", d.inputEdited}}},
          {"weights", std::move(weights)},
          {"pins", pinsJson(d.pins)}};
}

std::vector<NamedTensor> documentTensors(const Document& d, const std::string& name) {
  std::vector<NamedTensor> all;
  const auto add = [&](std::string_view what, const Tensor& tensor) {
    if (!tensor.empty()) all.push_back({fmt::format("{}.{}", name, what), tensor});
  };
  for (const WeightTensor& w : kWeightTensors) add(info(w.id).name, d.weights.*w.tensor);
  add("x", d.input->x);
  add("memory", d.input->memory);
  return all;
}

namespace {

WeightSource weightSourceFrom(const JsonField& weights) {
  WeightSource source;
  try {
    source.init = weightInitFromString(weights.at("init").text());
  } catch (const UserError& error) {
    weights.at("init").fail(fmt::format("cannot be used: {}", error.what()));
  }
  source.seed = weights.at("seed").seed();
  source.loadedFrom = weights.at("loaded_from").text();
  return source;
}

}  // namespace

DocumentPtr documentFromSeeds(const JsonField& field, TensorsToRead& tensors, Index memoryBudget,
                              const WeightMaker& make) {
  const AttentionConfig config = wholeConfigFrom(field.at("config"), memoryBudget);
  const JsonField source = field.at("source");
  const JsonField weights = field.at("weights");
  try {
    return makeDocument(field.at("preset").text(), config, sourceFrom(source, config, tensors),
                        positionsFrom(field.at("positions")), weightSourceFrom(weights),
                        memoryBudget, true, make);
  } catch (const UserError& error) {
    source.fail(fmt::format("cannot be used: {}", error.what()));
  }
}

DocumentPtr documentFrom(const JsonField& field, TensorsToRead& tensors, Index memoryBudget) {
  Document d;
  d.preset = field.at("preset").text();
  d.config = wholeConfigFrom(field.at("config"), memoryBudget);
  d.positions = positionsFrom(field.at("positions"));
  const JsonField source = field.at("source");
  d.source = std::make_shared<const InputSource>(sourceFrom(source, d.config, tensors));
  const JsonField input = field.at("input");
  d.input = inputFrom(input, d, source, tensors);
  d.inputEdited = input.at("edited").flag();
  const JsonField weights = field.at("weights");
  d.weightSource = weightSourceFrom(weights);
  d.weightsEdited = weights.at("edited").flag();
  for (const WeightTensor& w : kWeightTensors) {
    const std::string name(info(w.id).name);
    d.weights.*w.tensor = tensorFrom(weights, name.c_str(), w.id, d.config, tensors);
  }
  d.pins = pinsFrom(field.at("pins"), d.config);
  return std::make_shared<const Document>(std::move(d));
}

}  // namespace headscope::formats
