// The changes of a live model that the page and Flow make: heads that are off and edited layers, in
// the decoder or the only stack and in the encoder; undo and redo of them.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/live_model.h"
#include "core/attention/steps/step.h"
#include "core/base/error.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/model/edited_layer.h"
#include "core/model/model_edits.h"

namespace headscope {

using model::ModelDocumentPtr;
using model::Stack;
using model::StackChanges;

namespace {

/// The edits on the text of another document, of a decoder on its memory too.
ModelDocumentPtr onInputOf(const model::ModelDocument& edits, const model::ModelDocument& other) {
  const auto on = withInput(edits, other.input);
  return other.memory != nullptr ? withMemory(*on, other.memory) : on;
}

}  // namespace

std::vector<Stack> LiveModel::stacks() const {
  return moment_ != nullptr ? stacksOf(*moment_->trace) : std::vector<Stack>{Stack::decoder};
}

const ModelDocumentPtr& LiveModel::present(Stack stack) const {
  return passOf(*moment_->trace, stack).documentPtr();
}

std::optional<Stack> LiveModel::stackOf(const model::ModelDocument& document) const {
  if (moment_ == nullptr) return std::nullopt;
  for (const Stack stack : stacks()) {
    if (present(stack)->model == document.model) return stack;
  }
  return std::nullopt;
}

Stack LiveModel::stackInFlow() const {
  return inFlow_ ? stackOf(*inFlow_->of).value_or(Stack::decoder) : Stack::decoder;
}

float LiveModel::gainOf(HeadOfLayer head, Stack stack) const {
  const StackChanges& of = edits_.of(stack);
  if (of.edits(head.layer)) return of.document->edited.at(head.layer)->config.gain(head.head);
  return std::ranges::find(of.off, head) == of.off.end() ? 1.0F : 0.0F;
}

std::vector<HeadOfLayer> LiveModel::headsOff(Stack stack) const {
  const StackChanges& of = edits_.of(stack);
  std::vector<HeadOfLayer> heads = of.off;
  if (of.document != nullptr) {
    const std::vector<HeadOfLayer> inEdited = model::headsOff(*of.document);
    heads.insert(heads.end(), inEdited.begin(), inEdited.end());
  }
  std::ranges::sort(heads, {}, [](const HeadOfLayer& h) { return std::pair(h.layer, h.head); });
  return heads;
}

std::vector<Index> LiveModel::layersEdited(Stack stack) const {
  std::vector<Index> layers;
  const ModelDocumentPtr& edits = edits_.of(stack).document;
  if (edits == nullptr) return layers;
  for (const auto& [layer, edited] : edits->edited) layers.push_back(layer);
  return layers;
}

bool LiveModel::differs(Index layer, Stack stack) const {
  const StackChanges& of = edits_.of(stack);
  return of.edits(layer) || std::ranges::find(of.off, layer, &HeadOfLayer::layer) != of.off.end();
}

std::string LiveModel::layerInWords(Index layer, Stack stack) const {
  if (moment_ == nullptr) return trFormat("layer {}", layer + 1);
  return model::layerInWords(moment_->config(), stack, layer);
}

void LiveModel::switchHead(HeadOfLayer head, Stack stack) {
  const float gain = gainOf(head, stack);
  make({.name = trFormat("{}, head {} {}", layerInWords(head.layer, stack), head.head + 1,
                         gain == 0.0F ? "on" : "off"),
        .gains = {{head, gain, gain == 0.0F ? 1.0F : 0.0F, stack}}});
}

void LiveModel::switchAllOn() {
  Change change{.name = tr("all heads on")};
  for (const Stack stack : stacks()) {
    for (const HeadOfLayer& head : headsOff(stack)) {
      change.gains.push_back({head, 0.0F, 1.0F, stack});
    }
  }
  if (!change.gains.empty()) make(std::move(change));
}

void LiveModel::setHeadsOff(const std::vector<HeadOfLayer>& heads) {
  Change change{.name = tr("another choice of heads off")};
  const std::vector<HeadOfLayer> now = headsOff();
  for (const HeadOfLayer& head : now) {
    if (std::ranges::find(heads, head) == heads.end()) change.gains.push_back({head, 0.0F, 1.0F});
  }
  for (const HeadOfLayer& head : heads) {
    if (std::ranges::find(now, head) == now.end()) change.gains.push_back({head, 1.0F, 0.0F});
  }
  if (!change.gains.empty()) make(std::move(change));
}

void LiveModel::resetLayer(Index layer, Stack stack) {
  if (!edits_.of(stack).edits(layer)) return;
  make({.name = trFormat("{} as loaded", layerInWords(layer, stack)),
        .layers = {{layer, stack}},
        .before = edits_});
}

void LiveModel::undoChanges() {
  if (!changed()) return;
  Change change{.name = tr("the model as loaded"), .before = edits_};
  for (const Stack stack : stacks()) {
    for (const Index layer : layersEdited(stack)) change.layers.push_back({layer, stack});
    for (const HeadOfLayer& head : edits_.of(stack).off) {
      change.gains.push_back({head, 0.0F, 1.0F, stack});
    }
  }
  make(std::move(change));
}

void LiveModel::make(Change change) {
  apply(change, true);
  undo_.push_back(std::move(change));
  redo_.clear();
}

void LiveModel::undo() {
  if (undo_.empty()) return;
  apply(undo_.back(), false);
  redo_.push_back(std::move(undo_.back()));
  undo_.pop_back();
}

void LiveModel::redo() {
  if (redo_.empty()) return;
  apply(redo_.back(), true);
  undo_.push_back(std::move(redo_.back()));
  redo_.pop_back();
}

void LiveModel::apply(const Change& change, bool forward) {
  for (const Change::Reset& reset : change.layers) {
    setLayer(reset, forward ? nullptr : change.before.of(reset.stack).document, change.name);
  }
  for (const Change::Gain& gain : change.gains) {
    setGain(gain, forward ? gain.after : gain.before);
  }
  if (change.adapters) {
    adapter_ = forward ? change.adapters->second : change.adapters->first;
    folder_ = moment_->folder;  // opens the model with it
  }
  ++changes_;
  compute();
}

/// Sets a head's gain; where Flow shows the layer, by an edit of Flow's document, which the model
/// follows.
void LiveModel::setGain(const Change::Gain& gain, float value) {
  const HeadOfLayer head = gain.head;
  StackChanges& of = edits_.of(gain.stack);
  if (inFlow_ && inFlow_->layer == head.layer && stackInFlow() == gain.stack) {
    flowEdits_.emplace_back(SetHeadGain{head.head, value});
  } else if (of.edits(head.layer)) {
    auto next = std::make_shared<model::ModelDocument>(*of.document);
    std::shared_ptr<const model::EditedLayer>& layer = next->edited.at(head.layer);
    model::EditedLayer edited = *layer;
    edited.config.headGains.resize(static_cast<std::size_t>(next->model->config().heads), 1.0F);
    edited.config.headGains[static_cast<std::size_t>(head.head)] = value;
    layer = std::make_shared<const model::EditedLayer>(std::move(edited));
    of.document = std::move(next);
  } else {
    std::erase(of.off, head);
    if (value == 0.0F) of.off.push_back(head);
  }
}

/// Sets a layer to its edits in `edits`; null: to the original. Also updates Flow if it shows the
/// layer.
void LiveModel::setLayer(const Change::Reset& reset, const ModelDocumentPtr& edits,
                         const std::string& name) {
  const Index layer = reset.layer;
  ModelDocumentPtr& own = edits_.of(reset.stack).document;
  if (own == nullptr && edits == nullptr) return;
  const ModelDocumentPtr now =
      own != nullptr ? own : makeModelDocument(edits->model, edits->input, edits->memory);
  auto next = std::make_shared<model::ModelDocument>(*model::withoutEdits(*now, layer));
  if (edits != nullptr) {
    const auto fitting = onInputOf(*edits, *now);
    next->edited.insert_or_assign(layer, fitting->edited.at(layer));
  }
  own = std::move(next);
  const bool shown = inFlow_ && inFlow_->layer == layer && stackInFlow() == reset.stack;
  if (!shown || flow_ == nullptr) return;
  const DocumentPtr made = layerDocument(*onInputOf(*own, *inFlow_->of), layer, flow_->input->x);
  Document document = *flow_;
  document.config = made->config;
  document.weights = made->weights;
  document.weightsEdited = made->weightsEdited;
  document.pins = made->pins;
  flowEdits_.emplace_back(Open{std::make_shared<const Document>(std::move(document)), name});
}

void LiveModel::openedInFlow(Index layer, const DocumentPtr& document, Stack stack) {
  layers_.opened({present(stack), layer, document});
}

void LiveModel::followDocument(const DocumentPtr& newest) {
  flow_ = newest;
  const LayersInFlow::Opened* edited = layers_.changed(newest);
  const LayersInFlow::Opened* shown = layers_.layerOf(*newest);
  const std::optional<Stack> stack = shown != nullptr ? stackOf(*shown->of) : std::nullopt;
  inFlow_ = stack ? std::optional(*shown) : std::nullopt;
  if (edited == nullptr || !stack) return;
  const std::string problem = whyNot([&] {
    const model::ModelDocument& of = *shown->of;
    StackChanges& own = edits_.of(*stack);
    const auto on = own.document != nullptr ? onInputOf(*own.document, of)
                                            : makeModelDocument(of.model, of.input, of.memory);
    const auto next = withLayer(*on, shown->layer, *newest);
    std::erase_if(own.off, [&](const HeadOfLayer& head) { return head.layer == shown->layer; });
    if (model::isEdited(*next, shown->layer)) {
      own.document = next;
    } else {  // except for heads that are off
      own.document = withoutEdits(*on, shown->layer);
      for (const HeadOfLayer& head : model::headsOff(*next)) {
        if (head.layer == shown->layer) own.off.push_back(head);
      }
    }
  });
  ++changes_;
  if (problem.empty()) return compute();
  problem_ = problem;
  inFlow_.reset();
}

}  // namespace headscope
