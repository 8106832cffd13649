#include "core/formats/document_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace headscope::formats {
namespace {

struct PositionsName {
  Positions positions;
  const char* name;
};
constexpr std::array kPositions{PositionsName{Positions::named, "named"},
                                PositionsName{Positions::sinusoidal, "sinusoidal"},
                                PositionsName{Positions::none, "none"}};

struct WeightTensor {
  TensorId id;
  Tensor Weights::*tensor;
};
constexpr std::array kWeights{
    WeightTensor{TensorId::wQ, &Weights::wQ}, WeightTensor{TensorId::wK, &Weights::wK},
    WeightTensor{TensorId::wV, &Weights::wV}, WeightTensor{TensorId::wO, &Weights::wO},
    WeightTensor{TensorId::bQ, &Weights::bQ}, WeightTensor{TensorId::bK, &Weights::bK},
    WeightTensor{TensorId::bV, &Weights::bV}, WeightTensor{TensorId::bO, &Weights::bO}};

/// Adds a tensor under "NAME.what"; null for one that is not there.
class Adding {
 public:
  Adding(const std::string& name, TensorsToSave& tensors) : name_(name), tensors_(tensors) {}
  Json operator()(const Tensor& tensor, std::string_view what) const {
    if (tensor.empty()) return nullptr;
    return tensors_.add(tensor, fmt::format("{}.{}", name_, what));
  }

 private:
  const std::string& name_;
  TensorsToSave& tensors_;
};

struct SourceJson {
  const Adding& add;

  Json operator()(const TextSource& s) const {
    return {{"kind", "text"}, {"texts", s.texts}, {"memory_texts", s.memoryTexts}};
  }
  Json operator()(const SeriesSource& s) const {
    Json items = Json::array();
    for (const auto& series : s.items) {
      items.push_back({{"name", series->name},
                       {"channels", series->channels},
                       {"values", add(series->values, fmt::format("series.{}", items.size()))}});
    }
    return {{"kind", "series"}, {"items", std::move(items)}};
  }
  Json operator()(const TensorSource& s) const {
    return {{"kind", "tensors"},         {"name", s.name},
            {"x", add(s.x, "source.x")}, {"memory", add(s.memory, "source.memory")},
            {"tokens", s.tokens},        {"memory_tokens", s.memoryTokens}};
  }
};

std::shared_ptr<const Series> seriesFrom(const JsonField& field, TensorsOnDisk& tensors) {
  Series series{field.at("name").text(), field.at("channels").texts(), {}};
  if (series.channels.empty()) field.at("channels").fail("is empty: a series has at least one");
  series.values =
      tensors.read(field.at("values"), {-1, static_cast<Index>(series.channels.size())});
  return std::make_shared<const Series>(std::move(series));
}

Tensor tensorFrom(const JsonField& field, const char* name, TensorId id, const AttentionConfig& c,
                  TensorsOnDisk& tensors) {
  if (id == TensorId::memory && !c.crossAttention()) return {};
  return tensors.read(field.at(name), shapeOf(id, c));
}

InputSource sourceFrom(const JsonField& field, const AttentionConfig& c, TensorsOnDisk& tensors) {
  const JsonField kind = field.at("kind");
  if (kind.text() == "text") {
    return TextSource{field.at("texts").texts(), field.at("memory_texts").texts()};
  }
  if (kind.text() == "series") {
    SeriesSource source;
    for (const JsonField& item : field.at("items").items()) {
      source.items.push_back(seriesFrom(item, tensors));
    }
    return source;
  }
  if (kind.text() != "tensors") kind.fail("must be text, series or tensors");
  return TensorSource{field.at("name").text(), tensorFrom(field, "x", TensorId::x, c, tensors),
                      tensorFrom(field, "memory", TensorId::memory, c, tensors),
                      field.at("tokens").texts(), field.at("memory_tokens").texts()};
}

Positions positionsFrom(const JsonField& field) {
  for (const PositionsName& entry : kPositions) {
    if (field.text() == entry.name) return entry.positions;
  }
  field.fail("must be named, sinusoidal or none");
}

/// Tokens and their names are made of the source again; X and the memory are those that were saved,
/// whatever this program would make of it.
std::shared_ptr<const Input> inputFrom(const JsonField& field, const Document& d,
                                       const JsonField& source, TensorsOnDisk& tensors) {
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

Pins pinsFrom(const JsonField& field, const AttentionConfig& c) {
  std::vector<Pin> pins;
  for (const JsonField& item : field.items()) {
    const JsonField cell = item.at("cell");
    const auto found = cellFromString(cell.text());
    if (!found || !canBePinned(found->tensor) || !exists(*found, c)) {
      cell.fail("is no cell of this session that can be pinned");
    }
    const auto value = static_cast<float>(item.at("value").number());
    if (!std::isfinite(value)) item.at("value").fail("is too large for a float");
    pins.push_back({*found, value});
  }
  return Pins::from(std::move(pins));
}

}  // namespace

Json documentJson(const Document& d, const std::string& name, TensorsToSave& tensors) {
  const Adding add(name, tensors);
  Json weights = {{"init", toString(d.weightSource.init)},
                  {"seed", d.weightSource.seed},
                  {"loaded_from", d.weightSource.loadedFrom},
                  {"edited", d.weightsEdited}};
  for (const WeightTensor& w : kWeights) {
    const std::string_view tensor = info(w.id).name;
    weights[std::string(tensor)] = add(d.weights.*w.tensor, tensor);
  }
  Json pins = Json::array();
  for (const Pin& pin : d.pins.all()) {
    pins.push_back({{"cell", toString(pin.cell)}, {"value", pin.value}});
  }
  const auto named = std::find_if(kPositions.begin(), kPositions.end(),
                                  [&](const auto& p) { return p.positions == d.positions; });
  return {{"preset", d.preset},
          {"config", wholeConfigJson(d.config)},
          {"positions", named->name},
          {"source", std::visit(SourceJson{add}, *d.source)},
          {"input",
           {{"x", add(d.input->x, "x")},
            {"memory", add(d.input->memory, "memory")},
            {"edited", d.inputEdited}}},
          {"weights", std::move(weights)},
          {"pins", std::move(pins)}};
}

DocumentPtr documentFrom(const JsonField& field, TensorsOnDisk& tensors, Index memoryBudget) {
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
  try {
    d.weightSource.init = weightInitFromString(weights.at("init").text());
  } catch (const UserError& error) {
    weights.at("init").fail(fmt::format("cannot be used: {}", error.what()));
  }
  d.weightSource.seed = weights.at("seed").seed();
  d.weightSource.loadedFrom = weights.at("loaded_from").text();
  d.weightsEdited = weights.at("edited").flag();
  for (const WeightTensor& w : kWeights) {
    const std::string name(info(w.id).name);
    d.weights.*w.tensor = tensorFrom(weights, name.c_str(), w.id, d.config, tensors);
  }
  d.pins = pinsFrom(field.at("pins"), d.config);
  return std::make_shared<const Document>(std::move(d));
}

}  // namespace headscope::formats
