#include "core/model/model_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/attention/limits.h"
#include "core/attention/switches.h"
#include "core/attention/weight_tensors.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/model/edited_layer.h"
#include "core/model/image_embedding.h"
#include "core/model/model_trace.h"

namespace headscope::model {
namespace {

void checkPixels(const Model& model, const Tensor& pixels) {
  const ImageInput& image = model.config().image;
  if (pixels.rank() != 3 || pixels.dim(0) != image.channels) {
    throw UserError(
        trFormat("the pixels have the shape {}, and {} takes ({}, height, width): give them so",
                 toString(pixels.shape()), model.name(), image.channels));
  }
  const Extent given = extentOf(pixels);
  if (image.gridOf(given).area() == 0) {
    throw UserError(trFormat(
        "an image of {} × {} pixels is smaller than one patch of {} ({} × {}): give a larger one",
        given.width, given.height, model.name(), image.patch.width, image.patch.height));
  }
  if (image.tokensOf(given) <= Limits::kTokens) return;
  throw UserError(trFormat(
      "an image of {} × {} pixels gives {} patches, and at most {} tokens are computed: give a "
      "smaller one",
      given.width, given.height, withThousands(image.gridOf(given).area()),
      withThousands(Limits::kTokens)));
}

/// Throws UserError where a model that reads texts has an image, or one that reads images has none.
void checkKind(const Model& model, const ModelInput& input) {
  const bool takesImage = model.config().image.on();
  if (takesImage == (input.pixels != nullptr)) return;
  throw UserError(takesImage
                      ? trFormat("{} reads images, and this is a text: give an image", model.name())
                      : trFormat("{} reads texts, not images: give it a text", model.name()));
}

void checkInput(const Model& model, const ModelInput& input) {
  const ModelConfig& c = model.config();
  checkKind(model, input);
  if (input.pixels != nullptr) return;
  if (input.ids.empty()) throw UserError(tr("there are no tokens: give at least one"));
  const Index most = mostTokens(c);
  if (std::ssize(input.ids) > most) {
    throw UserError(
        trFormat("the text has {} tokens, and {} takes at most {}: cut it to its first {}",
                 withThousands(std::ssize(input.ids)), model.name(), withThousands(most),
                 withThousands(most)));
  }
  for (std::size_t i = 0; i < input.ids.size(); ++i) {
    if (input.ids[i] >= 0 && input.ids[i] < c.vocabulary) continue;
    throw UserError(trFormat(
        "the token at position {} has the id {}, and {} has the ids 0 to {}: give one of them",
        i + 1, input.ids[i], model.name(), c.vocabulary - 1));
  }
  if (!input.types.empty() && input.types.size() != input.ids.size()) {
    throw UserError(trFormat("{} token types are given for {} tokens: give one for each token",
                             input.types.size(), withThousands(std::ssize(input.ids))));
  }
  for (const Index type : input.types) {
    if (type == 0 || (type > 0 && type < c.tokenTypes)) continue;
    throw UserError(trFormat("{1} has no token type {0}: {2}", type, model.name(),
                             c.tokenTypes < 2 ? std::string(tr("it has none but 0"))
                                              : trFormat("give 0 to {}", c.tokenTypes - 1)));
  }
  if (!input.tokens.empty() && input.tokens.size() != input.ids.size()) {
    throw UserError(trFormat("{} names are given for {} tokens: give one for each token, or none",
                             input.tokens.size(), withThousands(std::ssize(input.ids))));
  }
}

void checkMemory(const Model& model, const ModelTracePtr& memory) {
  if (!model.config().crossAttention) return;
  if (memory == nullptr || memory->document().model != model.encoder()) {
    throw UserError(trFormat("{} reads a source text before it writes: give one", model.name()));
  }
}

/// The tokens that the cross-attention of a document attends to.
Index memoryTokens(const ModelDocument& document) {
  return document.memory == nullptr ? 0 : document.memory->tokens();
}

/// The names of tokens; their ids where they have none.
std::vector<std::string> namesOf(const ModelInput& input) {
  if (!input.tokens.empty()) return input.tokens;
  std::vector<std::string> names;
  for (const Index id : input.ids) names.push_back(fmt::format("{}", id));
  return names;
}

std::shared_ptr<ModelDocument> copyOf(const ModelDocument& document) {
  return std::make_shared<ModelDocument>(document);
}

void requireLayer(const Model& model, Index layer) {
  if (layer >= 0 && layer < model.config().layers) return;
  throw UserError(trFormat("there is no layer {}: {} has the layers 0 to {}", layer, model.name(),
                           model.config().layers - 1));
}

/// The layer as the model has it, without edits.
EditedLayer ownLayer(const ModelDocument& document, Index layer) {
  return {ownSettings(document, layer), document.model->layer(layer)->attention, {}};
}

EditedLayer presentLayer(const ModelDocument& document, Index layer) {
  const auto found = document.edited.find(layer);
  return found != document.edited.end() ? *found->second : ownLayer(document, layer);
}

/// "gpt2, layer 3"; of a decoder "t5, decoder layer 2, cross-attention".
std::string layerName(const Model& model, Index layer) {
  const ModelConfig& c = model.config();
  if (!c.crossAttention) return trFormat("{}, layer {}", model.name(), layer + 1);
  return trFormat("{}, decoder layer {}, {}-attention", model.name(), c.depthOf(layer) + 1,
                  c.readsMemory(layer) ? "cross" : "self");
}

/// Rows (1, T, D) several times: (copies, T, D).
Tensor inCopies(const Tensor& rows, Index copies) {
  if (copies == 1) return rows;
  Tensor all = Tensor::uninitialised({copies, rows.dim(1), rows.dim(2)});
  for (Index i = 0; i < copies; ++i) {
    std::copy_n(rows.data(), rows.size(), all.mutableData() + i * rows.size());
  }
  return all;
}

/// Drops what an edited layer has of pairs that are no longer there.
void dropPairs(EditedLayer& layer) {
  layer.config.mask.painted = nullptr;
  layer.config.mask.lengths.clear();
  layer.pins = layer.pins.fitting(layer.config);
}

/// The pins of batch item 0 in each of several items.
Pins inEveryItem(const Pins& pins, Index items) {
  if (items == 1 || pins.empty()) return pins;
  std::vector<Pin> all;
  for (Index item = 0; item < items; ++item) {
    for (Pin pin : pins.all()) {
      pin.cell.item = item;
      all.push_back(pin);
    }
  }
  return Pins::from(std::move(all));
}

}  // namespace

AttentionConfig ownSettings(const ModelDocument& document, Index layer) {
  AttentionConfig config =
      document.model->config().attention(layer, document.tokens(), memoryTokens(document));
  document.model->layer(layer)->complete(config);
  return config;
}

Index mostTokens(const ModelConfig& config) { return std::min(config.positions, Limits::kTokens); }

ModelInput imageInput(const Model& model, Tensor pixels) {
  checkPixels(model, pixels);
  const Extent given = extentOf(pixels);
  ModelInput input;
  input.tokens = tokenNames(model.config().image, given);
  input.ids.resize(input.tokens.size());
  std::iota(input.ids.begin(), input.ids.end(), Index{0});
  input.pixels = std::make_shared<const Tensor>(std::move(pixels));
  return input;
}

ModelDocumentPtr makeModelDocument(ModelPtr model, ModelInput input, ModelTracePtr memory) {
  checkInput(*model, input);
  checkMemory(*model, memory);
  return std::make_shared<const ModelDocument>(
      ModelDocument{std::move(model), std::move(input), {}, {}, std::move(memory)});
}

ModelDocumentPtr withInput(const ModelDocument& document, ModelInput input) {
  checkInput(*document.model, input);
  const auto next = copyOf(document);
  next->input = std::move(input);
  if (next->tokens() == document.tokens()) return next;
  std::erase_if(next->steering, [&](const Steering& each) { return each.place >= next->tokens(); });
  const ModelConfig& c = document.model->config();
  for (auto& [layer, edited] : next->edited) {
    EditedLayer fitted = *edited;
    fitted.config.seqLen = next->tokens();
    // a rotation that depends on the length follows it, unless it was edited
    if (fitted.config.rotary == c.rotaryAt(layer, document.tokens())) {
      fitted.config.rotary = c.rotaryAt(layer, next->tokens());
    }
    dropPairs(fitted);
    edited = std::make_shared<const EditedLayer>(std::move(fitted));
  }
  return next;
}

ModelDocumentPtr withMemory(const ModelDocument& document, ModelTracePtr memory) {
  checkMemory(*document.model, memory);
  const auto next = copyOf(document);
  next->memory = std::move(memory);
  if (memoryTokens(*next) == memoryTokens(document)) return next;
  for (auto& [layer, edited] : next->edited) {
    if (!document.model->config().readsMemory(layer)) continue;
    EditedLayer fitted = *edited;
    fitted.config.memoryLen = memoryTokens(*next);
    dropPairs(fitted);
    edited = std::make_shared<const EditedLayer>(std::move(fitted));
  }
  return next;
}

DocumentPtr layerDocument(const ModelDocument& document, Index layer, Tensor x, ScoreStorage held,
                          const Tensor& memory) {
  requireLayer(*document.model, layer);
  EditedLayer present = presentLayer(document, layer);
  TensorSource source;
  source.name = layerName(*document.model, layer);
  source.x = x;
  source.tokens = namesOf(document.input);
  if (document.input.pixels != nullptr) {
    const ImageInput& image = document.model->config().image;
    const Extent grid = image.gridOf(extentOf(*document.input.pixels));
    source.patches = {image.firstPatch(), grid.height, grid.width};
  }
  const Index copies = x.dim(0);
  Input input;
  input.x = std::move(x);
  input.patches = source.patches;
  input.tokens.assign(static_cast<std::size_t>(copies), source.tokens);
  if (document.model->config().readsMemory(layer)) {
    source.memory = memory.empty() ? inCopies(document.memory->last(), copies) : memory;
    source.memoryTokens = namesOf(document.memory->document().input);
    input.memory = source.memory;
    input.memoryTokens.assign(static_cast<std::size_t>(copies), source.memoryTokens);
  }
  Document made;
  made.config = std::move(present.config);
  made.config.batch = copies;
  std::vector<Index>& lengths = made.config.mask.lengths;
  if (!lengths.empty()) lengths.assign(static_cast<std::size_t>(copies), lengths.front());
  made.positions = Positions::none;
  // a softmax down the columns needs all rows at once
  made.scoreStorage = made.config.mistakes.softmaxOverQueries ? ScoreStorage::all : held;
  made.weightSource.loadedFrom = source.name;
  made.weightsEdited = document.edited.contains(layer);
  made.source = std::make_shared<const InputSource>(std::move(source));
  made.input = std::make_shared<const Input>(std::move(input));
  made.weights = std::move(present.weights);
  made.pins = inEveryItem(present.pins, copies);
  return std::make_shared<const Document>(std::move(made));
}

ModelDocumentPtr withLayer(const ModelDocument& document, Index layer, const Document& edited) {
  requireLayer(*document.model, layer);
  const AttentionConfig own = ownSettings(document, layer);
  const AttentionConfig& c = edited.config;
  const bool fits = c.dModel == own.dModel && c.numHeads == own.numHeads &&
                    c.numKvHeads == own.numKvHeads && c.dK() == own.dK() &&
                    c.seqLen == own.seqLen && c.batch == 1 && c.memoryLen == own.memoryLen;
  if (!fits) {
    throw UserError(trFormat(
        "{} of {} has d_model {}, {} heads, {} key/value heads and {} tokens, and a layer within a "
        "model keeps its size: open the layer by itself to change that",
        document.model->config().layerInWords(layer), document.model->name(), own.dModel,
        own.numHeads, own.numKvHeads, withThousands(own.seqLen)));
  }
  if (c.switches->gate || (c.pairBias.ofPairs() && c.pairBias != own.pairBias)) {
    throw UserError(trFormat(
        "{} of {} has no {}, and a layer within a model gets no new parameters: open the layer by "
        "itself to add it",
        document.model->config().layerInWords(layer), document.model->name(),
        c.switches->gate ? tr("gate") : tr("bias of pairs")));
  }
  const auto next = copyOf(document);
  next->edited.insert_or_assign(
      layer, std::make_shared<const EditedLayer>(EditedLayer{c, edited.weights, edited.pins}));
  return next;
}

ModelDocumentPtr onModel(const ModelDocument& document, const ModelPtr& model) {
  const auto next = copyOf(document);
  next->model = model;
  for (auto& [layer, edited] : next->edited) {
    EditedLayer moved = *edited;
    const LayerWeightsPtr before = document.model->layer(layer), now = model->layer(layer);
    for (const WeightTensor& each : kWeightTensors) {
      const Tensor& own = before->attention.*each.tensor;
      if (own.empty()) continue;  // a layer of a model has no gate
      Tensor& weight = moved.weights.*each.tensor;
      const Tensor typed = weight.contiguous() ? weight : weight.clone();
      weight = (now->attention.*each.tensor).clone();
      const Tensor from = own.contiguous() ? own : own.clone();
      for (Index i = 0; i < weight.size(); ++i) {
        if (typed.data()[i] != from.data()[i]) weight.mutableData()[i] = typed.data()[i];
      }
    }
    edited = std::make_shared<const EditedLayer>(std::move(moved));
  }
  return next;
}

ModelDocumentPtr withoutEdits(const ModelDocument& document, Index layer) {
  const auto next = copyOf(document);
  next->edited.erase(layer);
  return next;
}

void requireHead(const Model& model, const HeadOfLayer& head) {
  const ModelConfig& c = model.config();
  if (head.layer >= 0 && head.layer < c.layers && head.head >= 0 && head.head < c.heads) return;
  throw UserError(
      trFormat("there is no layer {}, head {}: {} has the layers 0 to {} with heads 0 to {} each",
               head.layer, head.head, model.name(), c.layers - 1, c.heads - 1));
}

ModelDocumentPtr withoutHeads(const ModelDocument& document,
                              const std::vector<HeadOfLayer>& heads) {
  const auto next = copyOf(document);
  for (const HeadOfLayer& off : heads) {
    requireLayer(*document.model, off.layer);
    const Index count = document.model->config().heads;
    if (off.head < 0 || off.head >= count) {
      throw UserError(trFormat("there is no head {}: each layer of {} has the heads 0 to {}",
                               off.head, document.model->name(), count - 1));
    }
    EditedLayer layer = presentLayer(*next, off.layer);
    layer.config.headGains.resize(static_cast<std::size_t>(count), 1.0F);
    layer.config.headGains[static_cast<std::size_t>(off.head)] = 0.0F;
    next->edited.insert_or_assign(off.layer, std::make_shared<const EditedLayer>(std::move(layer)));
  }
  return next;
}

}  // namespace headscope::model
