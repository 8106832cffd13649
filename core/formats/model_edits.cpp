#include "core/formats/model_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/document/document.h"
#include "core/formats/document_json.h"
#include "core/model/edited_layer.h"
#include "core/model/model_trace.h"

namespace headscope::formats {
namespace {

using model::LayerWeights;
using model::ModelDocument;
using model::ModelDocumentPtr;

/// A hash of all numbers of a layer's attention.
std::uint64_t hashOf(const LayerWeights& layer) {
  std::vector<NamedTensor> tensors;
  const auto add = [&](std::string_view name, Tensor tensor) {
    if (!tensor.empty()) tensors.push_back({std::string(name), std::move(tensor)});
  };
  for (const WeightTensor& w : kWeightTensors) add(info(w.id).name, layer.attention.*w.tensor);
  if (layer.headNorm.on()) {
    const auto gains = [&](const std::vector<float>& values) {
      return Tensor::fromValues({std::ssize(values)}, values);
    };
    add("q_norm", gains(layer.headNorm.q()));
    add("k_norm", gains(layer.headNorm.k()));
  }
  const auto numbers = [&](std::string_view name, const std::vector<float>& values) {
    if (!values.empty()) add(name, Tensor::fromValues({std::ssize(values)}, values));
  };
  numbers("sinks", layer.sinks);
  if (layer.relative.on()) {
    numbers("position_keys", layer.relative.settings().positionKeys);
    numbers("position_queries", layer.relative.settings().positionQueries);
  }
  if (layer.pairBias.on()) numbers("pair_bias", layer.pairBias.settings().values);
  add("latent.queries", layer.latent.queries);
  add("latent.keys", layer.latent.keys);
  return contentHash(tensors);
}

LayerSettings settingsOf(const model::EditedLayer& edited, const Weights& own) {
  LayerSettings settings{edited.config, {}, edited.pins};
  for (const WeightTensor& w : kWeightTensors) {
    const Tensor& now = edited.weights.*w.tensor;
    const Tensor& before = own.*w.tensor;
    if (now.sameAs(before)) continue;
    LayerSettings::Changed changed;
    if (now.shape() == before.shape()) {
      changed.cells = changedCells(now, before, LayerSettings::kMostCells);
      if (changed.cells.empty()) continue;
    }
    if (changed.cells.empty() || std::ssize(changed.cells) > LayerSettings::kMostCells) {
      changed = {{}, now};
    }
    settings.weights.emplace(w.id, std::move(changed));
  }
  return settings;
}

bool sameCells(const Tensor& a, const Tensor& b) {
  return a.sameAs(b) || (a.shape() == b.shape() && changedCells(a, b, 0).empty());
}

/// Any text of so many tokens.
model::ModelInput textOf(Index tokens) {
  return {std::vector<Index>(static_cast<std::size_t>(tokens), 0), {}, {}};
}

ModelDocumentPtr withSettings(ModelDocumentPtr on, Index layer, const LayerSettings& settings) {
  if (on->tokens() != settings.config.seqLen) {
    on = withInput(*on, textOf(settings.config.seqLen));
  }
  Document edited;
  edited.config = settings.config;
  edited.weights = on->model->layer(layer)->attention;
  edited.pins = settings.pins;
  if (on->model->config().readsMemory(layer) &&
      edited.config.memoryLen != on->memory->tokens()) {  // another source text
    edited.config.memoryLen = on->memory->tokens();
    edited.config.mask.painted = nullptr;
    edited.config.mask.lengths.clear();
    edited.pins = edited.pins.fitting(edited.config);
  }
  for (const WeightTensor& w : kWeightTensors) {
    const auto changed = settings.weights.find(w.id);
    if (changed == settings.weights.end()) continue;
    Tensor& tensor = edited.weights.*w.tensor;
    tensor = changed->second.whole.empty() ? withCells(tensor, changed->second.cells)
                                           : changed->second.whole;
  }
  return withLayer(*on, layer, edited);
}

std::string hexOf(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

std::uint64_t hashFrom(const JsonField& field) {
  const std::string& text = field.text();
  std::uint64_t hash = 0;
  constexpr int kHex = 16;
  const char* end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, hash, kHex);
  if (error != std::errc() || read != end) field.fail("must be a hash in hexadecimal digits");
  return hash;
}

Json settingsJson(const LayerSettings& settings, const std::string& name, TensorsToSave& tensors) {
  Json changed = Json::emptyObject();
  for (const auto& [id, change] : settings.weights) {
    const std::string tensor(info(id).name);
    if (change.whole.empty()) {
      changed[tensor] = {{"cells", cellsJson(change.cells)}};
    } else {
      changed[tensor] = {{"whole", tensors.add(change.whole, fmt::format("{}.{}", name, tensor))}};
    }
  }
  return {{"config", wholeConfigJson(settings.config)},
          {"weights", std::move(changed)},
          {"pins", pinsJson(settings.pins)}};
}

LayerSettings settingsFrom(const JsonField& field, TensorsToRead& tensors, Index memoryBudget) {
  LayerSettings settings;
  settings.config = wholeConfigFrom(field.at("config"), memoryBudget);
  settings.pins = pinsFrom(field.at("pins"), settings.config);
  const JsonField weights = field.at("weights");
  for (const WeightTensor& w : kWeightTensors) {
    const auto change = weights.find(info(w.id).name);
    if (!change) continue;
    const Shape shape = shapeOf(w.id, settings.config);
    LayerSettings::Changed changed;
    if (const auto whole = change->find("whole")) {
      changed.whole = tensors.read(*whole, shape);
    } else {
      changed.cells = cellsFrom(change->at("cells"), elementCount(shape));
    }
    settings.weights.emplace(w.id, std::move(changed));
  }
  return settings;
}

}  // namespace

ModelEdits editsOf(const std::filesystem::path& folder, const ModelDocument& document,
                   const std::vector<HeadOfLayer>& off, const std::vector<Index>& shown,
                   model::Stack stack) {
  ModelEdits edits{folder, document.model->name(), {}, stack};
  for (const auto& [layer, edited] : document.edited) {
    edits.layers[layer].edited = settingsOf(*edited, document.model->layer(layer)->attention);
  }
  for (const HeadOfLayer& head : off) edits.layers[head.layer].headsOff.push_back(head.head);
  for (const Index layer : shown) edits.layers.try_emplace(layer);
  for (auto& [layer, of] : edits.layers) of.ownWeights = hashOf(*document.model->layer(layer));
  return edits;
}

model::StackChanges editsOn(const model::ModelPtr& model, const ModelEdits& edits,
                            const model::ModelInput& input, const model::ModelTracePtr& memory) {
  model::StackChanges made;
  ModelDocumentPtr document = makeModelDocument(model, input, memory);
  for (const auto& [layer, of] : edits.layers) {
    const bool there = layer < model->config().layers;
    if (!there || hashOf(*model->layer(layer)) != of.ownWeights) {
      throw UserError(fmt::format("{} holds another model than the one that was edited: {}",
                                  edits.folder.string(),
                                  there ? fmt::format("layer {} has other weights", layer + 1)
                                        : fmt::format("it has {} layers, and layer {} was edited",
                                                      model->config().layers, layer + 1)));
    }
    if (of.edited) document = withSettings(std::move(document), layer, *of.edited);
    for (const Index head : of.headsOff) made.off.push_back({layer, head});
  }
  withoutHeads(*document, made.off);  // throws for a head that is not there
  if (!document->edited.empty()) made.document = withInput(*document, input);
  return made;
}

bool differs(const Document& document, const ModelDocument& of, Index layer) {
  const DocumentPtr own = layerDocument(of, layer, document.input->x);
  const bool same = std::ranges::all_of(kWeightTensors, [&](const WeightTensor& w) {
    return sameCells(document.weights.*w.tensor, own->weights.*w.tensor);
  });
  return !same || document.config != own->config || document.pins != own->pins;
}

Json modelEditsJson(const ModelEdits& edits, const std::string& name, TensorsToSave& tensors) {
  Json layers = Json::emptyList();
  for (const auto& [layer, of] : edits.layers) {
    Json json = {{"layer", layer}, {"own_weights", hexOf(of.ownWeights)}};
    if (!of.headsOff.empty()) json["heads_off"] = of.headsOff;
    if (of.edited) {
      const std::string at = fmt::format("{}.layer {}", name, layer);
      json["edited"] = settingsJson(*of.edited, at, tensors);
    }
    layers.push_back(std::move(json));
  }
  Json json{{"folder", edits.folder.string()}, {"name", edits.name}, {"layers", std::move(layers)}};
  if (edits.stack == model::Stack::encoder) json["stack"] = "encoder";
  return json;
}

ModelEdits modelEditsFrom(const JsonField& field, TensorsToRead& tensors, Index memoryBudget) {
  ModelEdits edits{field.at("folder").text(), field.at("name").text(), {}};
  if (const auto stack = field.find("stack")) {
    if (stack->text() != "encoder") stack->fail("must be \"encoder\", or left out");
    edits.stack = model::Stack::encoder;
  }
  for (const JsonField& item : field.at("layers").items()) {
    const JsonField number = item.at("layer");
    const Index layer = number.whole();
    if (layer < 0) number.fail("must be 0 or more");
    const auto [place, added] = edits.layers.try_emplace(layer);
    if (!added) number.fail(fmt::format("is {}, which appears twice", layer));
    LayerEdits& of = place->second;
    of.ownWeights = hashFrom(item.at("own_weights"));
    if (const auto off = item.find("heads_off")) of.headsOff = off->wholes();
    if (const auto edited = item.find("edited")) {
      of.edited = settingsFrom(*edited, tensors, memoryBudget);
    }
  }
  return edits;
}

}  // namespace headscope::formats
