#include "app/live_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/kept_edits.h"
#include "core/attention/steps/step.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/document/document.h"
#include "core/formats/model_directory.h"
#include "core/formats/model_edits.h"
#include "core/formats/model_name.h"
#include "core/formats/shipped_model.h"
#include "core/formats/tokenizer_files.h"
#include "core/model/edited_layer.h"
#include "core/model/model_edits.h"
#include "core/platform/paths.h"

namespace headscope {

namespace {

/// Returns the edits of the open model in their saved form.
std::shared_ptr<const formats::SavedModel> asKept(
    std::shared_ptr<const formats::SavedModel> model) {
  if (model->kept != nullptr) return model;
  std::vector<Index> layers;
  for (const formats::ShownLayer& shown : model->shown) layers.push_back(shown.layer);
  auto kept = std::make_shared<formats::SavedModel>(*model);
  kept->kept = std::make_shared<const formats::ModelEdits>(
      formats::editsOf(model->folder, *model->document, model->off, layers));
  return kept;
}

/// The edits on the text of another document, of a decoder on its memory too.
model::ModelDocumentPtr onInputOf(const model::ModelDocument& edits,
                                  const model::ModelDocument& other) {
  const auto on = withInput(edits, other.input);
  return other.memory != nullptr ? withMemory(*on, other.memory) : on;
}

}  // namespace

void LiveModel::open(const std::filesystem::path& folder, std::string text,
                     const formats::AdapterChoice& adapter, std::string target) {
  const auto [model, onto] = formats::adaptedFolder(folder, adapter);
  folder_ = formats::isShipped(model) ? model : platform::absolutePath(model);
  adapter_ = onto;
  if (moment_ != nullptr && moment_->folder != folder_ && changed()) {
    // the edits stay in the session, and are applied when their model is opened again
    keptProblem_ = whyNot([&] { kept_.push_back(asKept(saved().back())); });
  }
  text_ = std::move(text);
  target_ = std::move(target);
  writeAnew_ = false;
  cut_ = false;
  off_.clear();
  edits_ = nullptr;
  undo_.clear();
  redo_.clear();
  ++changes_;
  compute();
}

void LiveModel::reload() {
  if (moment_ != nullptr) open(moment_->folder, text_, adapter_, target_);
}

void LiveModel::setAdapter(const formats::AdapterChoice& adapter) {
  if (moment_ == nullptr || adapter == adapter_) return;
  const bool other = adapter.folder != adapter_.folder;
  const std::string name =
      formats::modelName(other && adapter.folder.empty() ? adapter_.folder : adapter.folder);
  make({.name = adapter.folder.empty() ? fmt::format("without {}", name)
                : other                ? fmt::format("adapter {}", name)
                                       : fmt::format("{} at {:g}", name, adapter.strength),
        .adapters = std::pair(adapter_, adapter)});
}

void LiveModel::setText(std::string text) {
  text_ = std::move(text);
  target_.clear();
  writeAnew_ = false;
  cut_ = false;
  compute();
}

void LiveModel::setTarget(std::string target) {
  target_ = std::move(target);
  writeAnew_ = target_.empty();
  compute();
}

void LiveModel::cutText() {
  cut_ = true;
  compute();
}

float LiveModel::gainOf(HeadOfLayer head) const {
  if (isEdited(head.layer)) return edits_->edited.at(head.layer)->config.gain(head.head);
  return std::ranges::find(off_, head) == off_.end() ? 1.0F : 0.0F;
}

std::vector<HeadOfLayer> LiveModel::headsOff() const {
  std::vector<HeadOfLayer> heads = off_;
  if (edits_ != nullptr) {
    const std::vector<HeadOfLayer> inEdited = model::headsOff(*edits_);
    heads.insert(heads.end(), inEdited.begin(), inEdited.end());
  }
  std::ranges::sort(heads, {}, [](const HeadOfLayer& h) { return std::pair(h.layer, h.head); });
  return heads;
}

std::vector<Index> LiveModel::layersEdited() const {
  std::vector<Index> layers;
  if (edits_ == nullptr) return layers;
  for (const auto& [layer, edited] : edits_->edited) layers.push_back(layer);
  return layers;
}

bool LiveModel::differs(Index layer) const {
  return isEdited(layer) || std::ranges::find(off_, layer, &HeadOfLayer::layer) != off_.end();
}

std::string LiveModel::layerInWords(Index layer) const {
  return moment_ != nullptr ? moment_->config().layerInWords(layer)
                            : fmt::format("layer {}", layer + 1);
}

void LiveModel::switchHead(HeadOfLayer head) {
  const float gain = gainOf(head);
  make({.name = fmt::format("{}, head {} {}", layerInWords(head.layer), head.head + 1,
                            gain == 0.0F ? "on" : "off"),
        .gains = {{head, gain, gain == 0.0F ? 1.0F : 0.0F}}});
}

void LiveModel::switchAllOn() {
  Change change{.name = "all heads on"};
  for (const HeadOfLayer& head : headsOff()) change.gains.push_back({head, 0.0F, 1.0F});
  if (!change.gains.empty()) make(std::move(change));
}

void LiveModel::setHeadsOff(const std::vector<HeadOfLayer>& heads) {
  Change change{.name = "another choice of heads off"};
  const std::vector<HeadOfLayer> now = headsOff();
  for (const HeadOfLayer& head : now) {
    if (std::ranges::find(heads, head) == heads.end()) change.gains.push_back({head, 0.0F, 1.0F});
  }
  for (const HeadOfLayer& head : heads) {
    if (std::ranges::find(now, head) == now.end()) change.gains.push_back({head, 1.0F, 0.0F});
  }
  if (!change.gains.empty()) make(std::move(change));
}

void LiveModel::setAside() {
  formats::SavedModels asSaved = saved();
  own_ = Own{std::move(moment_),
             text_,
             target_,
             adapter_,
             std::exchange(off_, {}),
             std::exchange(edits_, nullptr),
             std::exchange(undo_, {}),
             std::exchange(redo_, {}),
             std::exchange(kept_, {}),
             std::move(asSaved)};
  moment_ = nullptr;
  folder_.clear();
  task_.stop();
  problem_.clear();
  ++changes_;
}

bool LiveModel::bringBack() {
  if (!own_) return false;
  Own own = *std::exchange(own_, std::nullopt);
  task_.stop();
  moment_ = std::move(own.moment);
  folder_.clear();
  text_ = std::move(own.text);
  target_ = std::move(own.target);
  adapter_ = std::move(own.adapter);
  off_ = std::move(own.off);
  edits_ = std::move(own.edits);
  undo_ = std::move(own.undo);
  redo_ = std::move(own.redo);
  kept_ = std::move(own.kept);
  problem_.clear();
  tooLong_.reset();
  ++changes_;
  return true;
}

void LiveModel::resetLayer(Index layer) {
  if (!isEdited(layer)) return;
  make({.name = fmt::format("{} as loaded", layerInWords(layer)),
        .layers = {layer},
        .edits = edits_});
}

void LiveModel::undoChanges() {
  if (!changed()) return;
  Change change{.name = "the model as loaded", .layers = layersEdited(), .edits = edits_};
  for (const HeadOfLayer& head : off_) change.gains.push_back({head, 0.0F, 1.0F});
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
  for (const Index layer : change.layers) {
    setLayer(layer, forward ? nullptr : change.edits, change.name);
  }
  for (const Change::Gain& gain : change.gains) {
    setGain(gain.head, forward ? gain.after : gain.before);
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
void LiveModel::setGain(HeadOfLayer head, float gain) {
  if (inFlow_ && inFlow_->layer == head.layer) {
    flowEdits_.emplace_back(SetHeadGain{head.head, gain});
  } else if (isEdited(head.layer)) {
    auto next = std::make_shared<model::ModelDocument>(*edits_);
    std::shared_ptr<const model::EditedLayer>& layer = next->edited.at(head.layer);
    model::EditedLayer edited = *layer;
    edited.config.headGains.resize(static_cast<std::size_t>(next->model->config().heads), 1.0F);
    edited.config.headGains[static_cast<std::size_t>(head.head)] = gain;
    layer = std::make_shared<const model::EditedLayer>(std::move(edited));
    edits_ = std::move(next);
  } else {
    std::erase(off_, head);
    if (gain == 0.0F) off_.push_back(head);
  }
}

/// Sets a layer to its edits in `edits`; null: to the original. Also updates Flow if it shows the
/// layer.
void LiveModel::setLayer(Index layer, const model::ModelDocumentPtr& edits,
                         const std::string& name) {
  if (edits_ == nullptr && edits == nullptr) return;
  const model::ModelDocumentPtr now =
      edits_ != nullptr ? edits_
                        : model::makeModelDocument(edits->model, edits->input, edits->memory);
  auto next = std::make_shared<model::ModelDocument>(*model::withoutEdits(*now, layer));
  if (edits != nullptr) {
    const auto fitting = onInputOf(*edits, *now);
    next->edited.insert_or_assign(layer, fitting->edited.at(layer));
  }
  edits_ = std::move(next);
  if (!inFlow_ || inFlow_->layer != layer || flow_ == nullptr) return;
  const DocumentPtr made = layerDocument(*onInputOf(*edits_, *inFlow_->of), layer, flow_->input->x);
  Document document = *flow_;
  document.config = made->config;
  document.weights = made->weights;
  document.weightsEdited = made->weightsEdited;
  document.pins = made->pins;
  flowEdits_.emplace_back(Open{std::make_shared<const Document>(std::move(document)), name});
}

void LiveModel::openedInFlow(Index layer, const DocumentPtr& document) {
  layers_.opened({moment_->trace->documentPtr(), layer, document});
}

void LiveModel::followDocument(const DocumentPtr& newest) {
  flow_ = newest;
  const LayersInFlow::Opened* edited = layers_.changed(newest);
  const LayersInFlow::Opened* shown = layers_.layerOf(*newest);
  const bool ofThis = shown != nullptr && moment_ != nullptr &&
                      shown->of->model == moment_->trace->document().model;
  inFlow_ = ofThis ? std::optional(*shown) : std::nullopt;
  if (edited == nullptr || !ofThis) return;
  const std::string problem = whyNot([&] {
    const model::ModelDocument& of = *shown->of;
    const auto on = edits_ != nullptr ? onInputOf(*edits_, of)
                                      : makeModelDocument(of.model, of.input, of.memory);
    const auto next = withLayer(*on, shown->layer, *newest);
    std::erase_if(off_, [&](const HeadOfLayer& head) { return head.layer == shown->layer; });
    if (model::isEdited(*next, shown->layer)) {
      edits_ = next;
    } else {  // except for heads that are off
      edits_ = withoutEdits(*on, shown->layer);
      for (const HeadOfLayer& head : model::headsOff(*next)) {
        if (head.layer == shown->layer) off_.push_back(head);
      }
    }
  });
  ++changes_;
  if (problem.empty()) return compute();
  problem_ = problem;
  inFlow_.reset();
}

void LiveModel::compute() {
  if (folder_.empty() && moment_ == nullptr) return;
  const auto kept = folder_.empty() ? nullptr : keptOf(folder_);
  task_.requestUnits(momentUnits({folder_, adapter_, moment_, text_, target_, writeAnew_, cut_,
                                  off_, edits_, kept, budget_, ++computed_, changes_, memory_},
                                 [this](FoundMoment early, const std::atomic<bool>& cancelled) {
                                   task_.publishEarly(std::move(early), cancelled);
                                 }));
}

/// Checks the files on a thread, because a file system may be slow.
void LiveModel::watchFiles(double now) {
  constexpr double kSecondsBetween = 1.0;
  const auto shown = moment_ != nullptr ? moment_->trace->document().model : nullptr;
  if (watched_.lock() != shown) {
    watched_ = shown;
    weightsChanged_ = false;
    nextLook_ = 0.0;
  }
  if (const auto outcome = files_.take(); outcome && outcome->result) {
    weightsChanged_ = outcome->result->first == shown && outcome->result->second;
  }
  if (shown == nullptr || now < nextLook_ || files_.busy()) return;
  nextLook_ = now + kSecondsBetween;
  files_.request([shown](const std::atomic<bool>&) -> std::optional<LookedAt> {
    return LookedAt{shown, shown->changedOnDisk()};
  });
}

void LiveModel::follow() {
  auto outcome = task_.take();
  if (!outcome) return;
  nextLook_ = 0.0;
  problem_ = outcome->error;
  tooLong_.reset();
  if (outcome->result && !outcome->result->moment) {
    const FoundMoment& found = *outcome->result;
    tooLong_ = found.most;
    problem_ = fmt::format("the text has {} tokens, and {} takes at most {}",
                           withThousands(found.tokens), found.model, withThousands(found.most));
    return;  // the request stays, so that its text can be cut
  }
  if (!outcome->result) {
    if (!folder_.empty() && keptOf(folder_) != nullptr) keptProblem_ = problem_;
    folder_.clear();
    if (moment_ == nullptr) return;
    text_ = moment_->given();
    if (!undo_.empty() && undo_.back().adapters && undo_.back().adapters->second == adapter_) {
      undo_.pop_back();  // an adapter that does not fit
    }
    adapter_ = moment_->adapter;
    return;
  }
  moment_ = std::make_shared<const ModelMoment>(std::move(*outcome->result->moment));
  if (!moment_->writing) writeAnew_ = false;
  if (edits_ != nullptr && edits_->model != moment_->trace->document().model) {
    edits_ = outcome->result->moved;
  }
  if (const auto& made = outcome->result->made) takeMade(*made);
  folder_.clear();
}

void LiveModel::take(const formats::SavedModels& models, DocumentPtr document) {
  keptWith_ = std::move(document);
  own_.reset();
  const bool changedBefore = changed();
  off_.clear();
  edits_ = nullptr;
  kept_.clear();
  undo_.clear();
  redo_.clear();
  for (const auto& model : models) {
    if (!model->edited() && model->shown.empty()) continue;
    const std::string problem = whyNot([&] { kept_.push_back(asKept(model)); });
    if (!problem.empty()) keptProblem_ = problem;
  }
  if (changedBefore) compute();
}

std::shared_ptr<const formats::SavedModel> LiveModel::keptOf(
    const std::filesystem::path& folder) const {
  const auto found = std::find_if(kept_.rbegin(), kept_.rend(),
                                  [&](const auto& kept) { return kept->folder == folder; });
  return found == kept_.rend() ? nullptr : *found;
}

void LiveModel::takeMade(const KeptEdits& made) {
  if (std::erase(kept_, made.of) == 0) return;  // already taken with the pass
  if (!made.problem.empty()) {
    kept_.push_back(made.of);
    keptProblem_ = made.problem;
    return;
  }
  edits_ = made.edits.document;
  off_ = made.edits.off;
  for (const LayersInFlow::Opened& layer : made.layers) layers_.opened(layer);
  // the model runs the edits made before it was open
  if (layers_.followed() != keptWith_) layers_.followAgain();
  live_ = nullptr;
  auto same = *saved().back();
  same.version = made.of->version;
  live_ = std::make_shared<const formats::SavedModel>(std::move(same));
}

formats::SavedModels LiveModel::saved() {
  if (own_) return own_->saved;
  formats::SavedModels all = kept_;
  if (moment_ == nullptr) return all;
  const model::ModelDocumentPtr& present = moment_->trace->documentPtr();
  const bool sameModel = live_ != nullptr && live_->document->model == present->model;
  const bool sameEdits = sameModel && live_->off == off_ && liveEdits_ == edits_;
  if (!sameEdits || liveLayers_ != layers_.count()) {
    formats::SavedModel now{moment_->folder};
    now.document = edits_ != nullptr
                       ? edits_
                       : makeModelDocument(present->model, present->input, present->memory);
    now.off = off_;
    for (const LayersInFlow::Opened& layer : layers_.all()) {
      if (layer.of->model != present->model) continue;
      now.shown.push_back({layer.document, layer.layer, layer.of->input});
    }
    now.version = sameEdits ? live_->version : std::make_shared<const int>(0);
    live_ = std::make_shared<const formats::SavedModel>(std::move(now));
    liveEdits_ = edits_;
    liveLayers_ = layers_.count();
  }
  all.push_back(live_);
  return all;
}

}  // namespace headscope
