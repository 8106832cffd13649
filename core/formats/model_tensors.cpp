#include "core/formats/model_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "core/attention/ledger.h"
#include "core/attention/steps/linear.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/document/trace.h"
#include "core/formats/csv_table.h"
#include "core/formats/numpy_files.h"
#include "core/model/model_edits.h"
#include "core/model/model_gradients.h"
#include "core/tensor/safetensors.h"

namespace headscope::formats {
namespace {

using model::ModelTrace;

/// The layer of a pass whose weights stand at a place of (cross_)attentions.
Index layerAt(ModelTensor tensor, Index place, const ModelTrace& trace) {
  if (!trace.config().crossAttention) return place;
  return 2 * place + (tensor == ModelTensor::crossAttentions ? 1 : 0);
}

/// The layers' weights (T, M) per head, one layer after the other.
Tensor attentionsOf(ModelTensor tensor, const ModelTrace& trace) {
  const Shape shape = shapeOf(tensor, trace);
  Tensor all = Tensor::uninitialised(shape);
  for (Index place = 0; place < shape.front(); ++place) {
    const Tensor weights =
        trace.layer(layerAt(tensor, place, trace))->materialise(TensorId::weights);
    std::copy_n(weights.data(), weights.size(), all.mutableData() + place * weights.size());
  }
  return all;
}

Tensor hiddenStatesOf(const ModelTrace& trace) {
  Tensor all = Tensor::uninitialised(shapeOf(ModelTensor::hiddenStates, trace));
  for (Index layer = 0; layer <= trace.config().depth(); ++layer) {
    const Tensor state = trace.hiddenState(layer);
    std::copy_n(state.data(), state.size(), all.mutableData() + layer * state.size());
  }
  return all;
}

Tensor valuesOf(ModelTensor tensor, const ModelTrace& trace) {
  switch (tensor) {
    case ModelTensor::attentions:
    case ModelTensor::crossAttentions:
      return attentionsOf(tensor, trace);
    case ModelTensor::hiddenStates:
      return hiddenStatesOf(trace);
    case ModelTensor::lastHiddenState:
      return trace.lastHiddenState().reshaped(shapeOf(tensor, trace));
    case ModelTensor::logits:
      break;
  }
  return trace.logits(0, trace.logitRows()).reshaped(shapeOf(ModelTensor::logits, trace));
}

TensorToWrite toWrite(ModelTensor tensor, const ModelTrace& trace, const std::string& name) {
  return {name, shapeOf(tensor, trace), [tensor, &trace] { return valuesOf(tensor, trace); }};
}

/// The last hidden state behind the projection to a narrower embedding (OPT), as transformers gives
/// it: (1, T, E); empty for a model without one.
Tensor projectedState(const ModelTrace& trace) {
  const model::Model& model = *trace.document().model;
  if (!model.hasReadout() || model.readout()->transform.empty()) return {};
  if (!model.readout()->transformNorm.gain.empty()) return {};  // of a masked-word head
  return linear(trace.last(), model.readout()->transform, model.readout()->transformBias, {});
}

/// Hidden states of different widths, one by one: "hidden_states.0", …
std::vector<TensorToWrite> singleStates(const ModelTrace& trace, const Tensor& last) {
  std::vector<TensorToWrite> states;
  const Index depth = trace.config().depth();
  for (Index layer = 0; layer <= depth; ++layer) {
    const Tensor state = layer == depth ? last : trace.hiddenState(layer);
    const Shape shape{trace.tokens(), state.dim(2)};
    states.push_back({fmt::format("{}.{}", nameOf(ModelTensor::hiddenStates, trace), layer), shape,
                      [state, shape] { return state.reshaped(shape); }});
  }
  return states;
}

/// Adds which heads are off and which layers are edited.
void addChanges(std::map<std::string, std::string>& metadata, const model::ModelDocument& document,
                const std::string& prefix) {
  const model::ModelConfig& c = document.model->config();
  Json off = Json::emptyList();
  for (const HeadOfLayer& head : headsOff(document)) {
    if (!c.crossAttention) {
      off.push_back(std::vector<Index>{head.layer, head.head});
      continue;
    }
    Json one = Json::emptyObject();
    addLayer(one, head.layer, c);
    one["head"] = head.head;
    off.push_back(std::move(one));
  }
  if (!off.list()->empty()) metadata[prefix + "heads_off"] = off.dump();
  Json edited = Json::emptyList();
  for (const Index layer : layersEdited(document)) {
    if (!c.crossAttention) {
      edited.push_back(layer);
      continue;
    }
    Json one = Json::emptyObject();
    addLayer(one, layer, c);
    edited.push_back(std::move(one));
  }
  if (!edited.list()->empty()) metadata[prefix + "edited_layers"] = edited.dump();
}

std::map<std::string, std::string> metadataOf(const ModelTrace& trace) {
  const model::ModelDocument& document = trace.document();
  std::map<std::string, std::string> metadata{{"model", document.model->name()},
                                              {"config", configJson(*document.model).dump()},
                                              {"ids", Json(document.input.ids).dump()}};
  if (document.input.pixels != nullptr) metadata.erase("ids");  // places say nothing
  if (!document.input.tokens.empty()) metadata["tokens"] = Json(document.input.tokens).dump();
  addChanges(metadata, document, "");
  if (document.memory == nullptr) return metadata;
  const model::ModelDocument& source = document.memory->document();
  metadata["decoder_ids"] = metadata["ids"];
  metadata["ids"] = Json(source.input.ids).dump();
  addChanges(metadata, source, "encoder_");
  return metadata;
}

void requireRoom(const std::filesystem::path& path, const ModelTrace& trace, std::string_view name,
                 const Shape& shape) {
  const Index bytes = elementCount(shape) * static_cast<Index>(sizeof(float));
  if (bytes <= defaultMemoryBudget() / 2) return;
  throw UserError(fmt::format("{}: {} of {} tokens need {} of memory: give fewer tokens",
                              path.string(), name, withThousands(trace.tokens()),
                              bytesInWords(bytes)));
}

/// Every second of the first axis, from `first` on: the layers of a decoder with one attention.
Tensor everySecond(const Tensor& all, Index first) {
  Shape shape = all.shape();
  shape[0] /= 2;
  Tensor some = Tensor::uninitialised(shape);
  const Index each = all.size() / all.dim(0);
  for (Index i = 0; i < shape[0]; ++i) {
    std::copy_n(all.data() + (2 * i + first) * each, each, some.mutableData() + i * each);
  }
  return some;
}

/// The tensors of all layers, (1, …) each, as one: (L, …). The first one has the shape of all.
Tensor stacked(const std::vector<Tensor>& layers) {
  Shape shape = layers.front().shape();
  shape[0] = std::ssize(layers);
  Tensor all = Tensor::uninitialised(shape);
  float* to = all.mutableData();
  for (const Tensor& layer : layers) to = std::copy_n(layer.data(), layer.size(), to);
  return all;
}

/// The values of a site that stand in one tensor: of a decoder those of its self-attention
/// ("decoder_q"), of its cross-attention, whose keys are of the source, or of its networks.
struct SiteTensor {
  std::string name;
  model::Site site;
  Index first = 0, step = 1;  // the layers
};

std::vector<SiteTensor> siteTensors(model::Site site, const model::ModelConfig& c) {
  const std::string name(nameOf(site));
  if (!c.crossAttention) return {{name, site}};
  if (isOfNetwork(site)) return {{"decoder_" + name, site, 1, 2}};
  return {{"decoder_" + name, site, 0, 2}, {"cross_" + name, site, 1, 2}};
}

Shape shapeOf(const SiteTensor& of, const ModelTrace& trace) {
  Shape shape = shapeOf(of.site, trace);
  shape[0] /= of.step;
  const bool ofKeys = of.site == model::Site::k || of.site == model::Site::v;
  if (ofKeys && of.first == 1) shape[2] = trace.document().memory->tokens();
  return shape;
}

Tensor valuesOf(const SiteTensor& of, const ModelTrace& trace) {
  if (of.step == 1) return valuesOf(of.site, trace, {});
  Tensor all = Tensor::uninitialised(shapeOf(of, trace));
  float* to = all.mutableData();
  for (Index layer = of.first; layer < trace.layers(); layer += of.step) {
    const Tensor values = valuesInLayer(of.site, trace, layer);
    to = std::copy_n(values.data(), values.size(), to);
  }
  return all;
}

void addSites(const std::filesystem::path& path, const ModelTrace& trace,
              const std::vector<model::Site>& sites, const char* prefix,
              std::vector<TensorToWrite>& tensors) {
  for (const model::Site site : sites) {
    for (const SiteTensor& of : siteTensors(site, trace.config())) {
      const Shape shape = shapeOf(of, trace);
      requireRoom(path, trace, prefix + of.name, shape);
      tensors.push_back({prefix + of.name, shape, [of, &trace] { return valuesOf(of, trace); }});
    }
  }
}

/// Adds the gradients of heads, streams and further sites; a decoder's are parted by its two
/// attentions.
void addGradients(const model::ModelGradients& gradients, const ModelTrace& trace,
                  const char* prefix, std::vector<TensorToWrite>& tensors) {
  const auto add = [&](const std::string& name, const Tensor& values) {
    tensors.push_back(
        {fmt::format("grad.{}{}", prefix, name), values.shape(), [values] { return values; }});
  };
  if (trace.config().crossAttention) {
    add("decoder_heads", everySecond(gradients.heads, 0));
    add("cross_heads", everySecond(gradients.heads, 1));
    add("residual", everySecond(gradients.residual, 0));
  } else {
    add("heads", gradients.heads);
    add("residual", gradients.residual);
  }
  for (const auto& [site, layers] : gradients.others) {
    for (const SiteTensor& of : siteTensors(site, trace.config())) {
      std::vector<Tensor> own;
      for (Index layer = of.first; layer < std::ssize(layers); layer += of.step) {
        own.push_back(layers[static_cast<std::size_t>(layer)]);
      }
      add(of.name, stacked(own));
    }
  }
}

/// The tensors of a trace's file.
std::vector<TensorToWrite> traceTensors(const std::filesystem::path& path, const ModelTrace& trace,
                                        const TraceExtras& extras) {
  std::vector<TensorToWrite> tensors;
  if (const model::ModelTracePtr& memory = trace.document().memory) {
    for (const ModelTensor tensor : tensorsOf(*memory)) {
      if (tensor == ModelTensor::lastHiddenState) continue;  // the last of the hidden states
      const std::string name = "encoder_" + nameOf(tensor, *memory);
      requireRoom(path, *memory, name, shapeOf(tensor, *memory));
      tensors.push_back(toWrite(tensor, *memory, name));
    }
    addSites(path, *memory, extras.sites, "encoder_", tensors);
  }
  for (const ModelTensor tensor : tensorsOf(trace)) {
    const std::string name = nameOf(tensor, trace);
    requireRoom(path, trace, name, shapeOf(tensor, trace));
    const Tensor last = tensor == ModelTensor::hiddenStates ? projectedState(trace) : Tensor();
    if (last.empty()) {
      tensors.push_back(toWrite(tensor, trace, name));
    } else {
      for (TensorToWrite& state : singleStates(trace, last)) tensors.push_back(std::move(state));
    }
  }
  addSites(path, trace, extras.sites, "", tensors);
  for (const NamedTensor& other : extras.others) {
    tensors.push_back(
        {other.name, other.tensor.shape(), [values = other.tensor] { return values; }});
  }
  if (extras.gradients != nullptr) addGradients(*extras.gradients, trace, "", tensors);
  if (extras.encoderGradients != nullptr) {
    addGradients(*extras.encoderGradients, *trace.document().memory, "encoder_", tensors);
  }
  return tensors;
}

/// Each layer's rows are read when they are written, so that not all have to be held at once.
CsvTable tableOf(ModelTensor tensor, const ModelTrace& trace) {
  const model::ModelDocument& document = trace.document();
  const bool cross = tensor == ModelTensor::crossAttentions;
  const std::vector<std::string>& tokens =
      cross ? document.memory->document().input.tokens : document.input.tokens;
  const Shape shape = shapeOf(tensor, trace);
  CsvTable table;
  table.columns = shape.back();
  if (!tokens.empty()) {
    table.token = [&tokens](CsvTable::At at) {
      return tokens[static_cast<std::size_t>(at.back())];
    };
  }
  const auto copy = [columns = table.columns](const Tensor& of, Index row, std::span<float> into) {
    std::copy_n(of.data() + row * columns, columns, into.begin());
  };
  switch (tensor) {
    case ModelTensor::attentions:
    case ModelTensor::crossAttentions:
      table.axes = {{"layer", shape[0]}, {"head", shape[1]}, {"row", shape[2]}};
      table.row = [&trace, tensor](CsvTable::At at, std::span<float> values) {
        trace.layer(layerAt(tensor, at[0], trace))
            ->tile(TensorId::weights, 0, at[1], at[2], 1, 0, static_cast<Index>(values.size()),
                   values.data());
      };
      break;
    case ModelTensor::hiddenStates:
      table.axes = {{"layer", shape[0]}, {"row", shape[1]}};
      table.row = [&trace, copy, layer = Index{-1}, state = Tensor()](
                      CsvTable::At at, std::span<float> values) mutable {
        if (layer != at[0]) state = trace.hiddenState(layer = at[0]);
        copy(state, at[1], values);
      };
      break;
    case ModelTensor::lastHiddenState:
      table.axes = {{"row", shape[0]}};
      table.row = [copy, state = trace.lastHiddenState()](
                      CsvTable::At at, std::span<float> values) { copy(state, at[0], values); };
      break;
    case ModelTensor::logits:
      table.axes = {{"row", trace.logitRows()}};
      table.row = [&trace, copy](CsvTable::At at, std::span<float> values) {
        copy(trace.logits(at[0], 1), 0, values);
      };
      break;
  }
  return table;
}

}  // namespace

std::string_view toString(ModelTensor tensor) {
  switch (tensor) {
    case ModelTensor::attentions:
      return "attentions";
    case ModelTensor::crossAttentions:
      return "cross_attentions";
    case ModelTensor::hiddenStates:
      return "hidden_states";
    case ModelTensor::lastHiddenState:
      return "last_hidden_state";
    case ModelTensor::logits:
      break;
  }
  return "logits";
}

std::string nameOf(ModelTensor tensor, const ModelTrace& trace) {
  const bool ofBoth = tensor == ModelTensor::attentions || tensor == ModelTensor::hiddenStates;
  return fmt::format("{}{}", trace.config().crossAttention && ofBoth ? "decoder_" : "",
                     toString(tensor));
}

Shape shapeOf(ModelTensor tensor, const ModelTrace& trace) {
  const model::ModelConfig& c = trace.config();
  const Index tokens = trace.tokens();
  switch (tensor) {
    case ModelTensor::attentions:
      return {c.depth(), c.heads, tokens, tokens};
    case ModelTensor::crossAttentions:
      return {c.depth(), c.heads, tokens, trace.document().memory->tokens()};
    case ModelTensor::hiddenStates:
      return {c.depth() + 1, tokens, c.dModel};
    case ModelTensor::lastHiddenState:
      return {tokens, c.dModel};
    case ModelTensor::logits:
      break;
  }
  return c.image.on() ? Shape{c.vocabulary} : Shape{tokens, c.vocabulary};
}

std::vector<ModelTensor> tensorsOf(const ModelTrace& trace) {
  std::vector<ModelTensor> tensors{ModelTensor::attentions};
  if (trace.config().crossAttention) tensors.push_back(ModelTensor::crossAttentions);
  tensors.push_back(ModelTensor::hiddenStates);
  const bool logits = trace.document().model->hasReadout();
  tensors.push_back(logits ? ModelTensor::logits : ModelTensor::lastHiddenState);
  return tensors;
}

Json configJson(const model::Model& model) {
  const model::ModelConfig& c = model.config();
  Json json{{"model_type", c.typeName()},
            {"layers", c.depth()},
            {"d_model", c.dModel},
            {"num_heads", c.heads},
            {"num_kv_heads", c.kvHeads},
            {"d_k", c.headDim},
            {"d_ff", c.ffWidth},
            {"causal", c.causal},
            {"parameters", model.parameters()}};
  if (c.image.on()) {
    const model::ImageInput& image = c.image;
    json["image_size"] = Json::List{image.size.height, image.size.width};
    json["patch_size"] = Json::List{image.patch.height, image.patch.width};
    json["channels"] = image.channels;
    json["labels"] = model.hasReadout() ? c.vocabulary : Index{0};
  } else {
    json["vocab_size"] = c.vocabulary;
    json["positions"] = c.positions;
  }
  if (model.encoder() != nullptr) json["encoder"] = configJson(*model.encoder());
  return json;
}

void addLayer(Json& json, Index layer, const model::ModelConfig& config, model::Stack stack) {
  const bool ofEncoder = stack == model::Stack::encoder;
  json["layer"] = ofEncoder ? layer : config.depthOf(layer);
  if (ofEncoder) {
    json["attention"] = "encoder";
    return;
  }
  if (config.crossAttention) json["attention"] = config.readsMemory(layer) ? "cross" : "decoder";
}

void saveTrace(const std::filesystem::path& path, const ModelTrace& trace,
               const TraceExtras& extras) {
  const std::vector<TensorToWrite> tensors = traceTensors(path, trace, extras);
  if (isNpz(path)) return writeNpz(path, tensors);
  std::map<std::string, std::string> metadata = metadataOf(trace);
  if (!extras.gradOf.empty()) metadata["grad_of"] = extras.gradOf;
  writeSafetensors(path, tensors, metadata);
}

void exportTensor(const std::filesystem::path& path, const ModelTrace& trace, ModelTensor tensor,
                  TensorFormat format) {
  if (format == TensorFormat::csv) return writeCsv(path, tableOf(tensor, trace));
  requireRoom(path, trace, nameOf(tensor, trace), shapeOf(tensor, trace));
  if (format == TensorFormat::npy) return writeNpy(path, valuesOf(tensor, trace));
  writeSafetensors(path, std::vector<TensorToWrite>{toWrite(tensor, trace, nameOf(tensor, trace))},
                   metadataOf(trace));
}

}  // namespace headscope::formats
