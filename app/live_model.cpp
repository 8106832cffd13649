#include "app/live_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/kept_edits.h"
#include "app/read_as.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/formats/model_directory.h"
#include "core/formats/model_edits.h"
#include "core/formats/model_name.h"
#include "core/formats/shipped_model.h"
#include "core/formats/tokenizer_files.h"
#include "core/platform/paths.h"

namespace headscope {

using model::Stack;

namespace {

/// Returns the edits of the open model in their saved form.
std::shared_ptr<const formats::SavedModel> asKept(
    std::shared_ptr<const formats::SavedModel> model) {
  if (model->kept != nullptr) return model;
  std::vector<Index> layers;
  for (const formats::ShownLayer& shown : model->shown) layers.push_back(shown.layer);
  auto kept = std::make_shared<formats::SavedModel>(*model);
  kept->kept = std::make_shared<const formats::ModelEdits>(
      formats::editsOf(model->folder, *model->document, model->off, layers, model->stack));
  return kept;
}

}  // namespace

void LiveModel::open(const std::filesystem::path& folder, std::string text,
                     const formats::AdapterChoice& adapter, std::string target) {
  const auto [model, onto] = formats::adaptedFolder(folder, adapter);
  folder_ = formats::isShipped(model) ? model : platform::absolutePath(model);
  adapter_ = onto;
  if (moment_ != nullptr && moment_->folder != folder_ && changed()) {
    // the edits stay in the session, and are applied when their model is opened again
    keptProblem_ = whyNot([&] {
      const formats::SavedModels all = saved();
      for (const auto& each : all) {
        const bool open = each->kept == nullptr;
        if (open && (each->edited() || each->stack == Stack::decoder)) {
          kept_.push_back(asKept(each));
        }
      }
    });
  }
  text_ = std::move(text);
  target_ = std::move(target);
  rewriteTarget_ = false;
  cut_ = false;
  edits_ = {};
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
  make({.name = adapter.folder.empty() ? trFormat("without {}", name)
                : other                ? trFormat("adapter {}", name)
                                       : trFormat("{} at {:g}", name, adapter.strength),
        .adapters = std::pair(adapter_, adapter)});
}

void LiveModel::setText(std::string text) {
  // the other encoder of a CLIP's folder is another model
  const bool other = moment_ != nullptr && folder_.empty() && readsPictures(*moment_) &&
                     moment_->ofImage() == readsAsText(moment_->folder, text);
  if (other) return open(moment_->folder, std::move(text));
  text_ = std::move(text);
  target_.clear();
  rewriteTarget_ = false;
  cut_ = false;
  compute();
}

void LiveModel::setTarget(std::string target) {
  target_ = std::move(target);
  rewriteTarget_ = target_.empty();
  compute();
}

void LiveModel::cutText() {
  cut_ = true;
  compute();
}

void LiveModel::setAside() {
  formats::SavedModels asSaved = saved();
  own_ = Own{std::move(moment_),
             text_,
             target_,
             adapter_,
             std::exchange(edits_, {}),
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
  edits_ = std::move(own.edits);
  undo_ = std::move(own.undo);
  redo_ = std::move(own.redo);
  kept_ = std::move(own.kept);
  problem_.clear();
  tooLong_.reset();
  ++changes_;
  return true;
}

void LiveModel::compute() {
  if (folder_.empty() && moment_ == nullptr) return;
  const formats::SavedModels kept = folder_.empty() ? formats::SavedModels() : keptOf(folder_);
  task_.requestUnits(momentUnits({folder_, adapter_, moment_, text_, target_, rewriteTarget_, cut_,
                                  edits_, kept, budget_, ++computed_, changes_, memory_},
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
    problem_ = trFormat("the text has {} tokens, and {} takes at most {}",
                        withThousands(found.tokens), found.model, withThousands(found.most));
    return;  // the request stays, so that its text can be cut
  }
  if (!outcome->result) {
    if (!folder_.empty() && !keptOf(folder_).empty()) keptProblem_ = problem_;
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
  if (!moment_->writing) rewriteTarget_ = false;
  if (moment_->ofImage() && moment_->text.empty() && !text_.empty()) {
    problem_ = trFormat(
        "{}: the picture cannot be read: open it again from where it is now. "
        "Our own picture is shown in its place.",
        text_);
    text_.clear();
  }
  for (const Stack stack : stacks()) {
    model::ModelDocumentPtr& edits = edits_.of(stack).document;
    if (edits == nullptr || edits->model == present(stack)->model) continue;
    const auto& moved = outcome->result->moved;
    edits = moved ? moved->of(stack).document : nullptr;
  }
  for (const auto& made : outcome->result->made) takeMade(*made);
  folder_.clear();
}

void LiveModel::take(const formats::SavedModels& models, DocumentPtr document) {
  keptWith_ = std::move(document);
  own_.reset();
  const bool changedBefore = changed();
  edits_ = {};
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

/// The newest kept edits of each stack of a folder's model.
formats::SavedModels LiveModel::keptOf(const std::filesystem::path& folder) const {
  formats::SavedModels found;
  for (const Stack stack : {Stack::decoder, Stack::encoder}) {
    const auto newest = std::find_if(kept_.rbegin(), kept_.rend(), [&](const auto& kept) {
      return kept->folder == folder && kept->stack == stack;
    });
    if (newest != kept_.rend()) found.push_back(*newest);
  }
  return found;
}

void LiveModel::takeMade(const KeptEdits& made) {
  if (std::erase(kept_, made.of) == 0) return;  // already taken with the pass
  if (!made.problem.empty()) {
    kept_.push_back(made.of);
    keptProblem_ = made.problem;
    return;
  }
  const Stack stack = made.of->stack;
  edits_.of(stack) = made.changes;
  for (const LayersInFlow::Opened& layer : made.layers) layers_.opened(layer);
  // the model runs the edits made before it was open
  if (layers_.followed() != keptWith_) layers_.followAgain();
  live_ = {};
  auto same = *savedOf(stack);
  same.version = made.of->version;
  live_[static_cast<std::size_t>(stack)].form =
      std::make_shared<const formats::SavedModel>(std::move(same));
}

formats::SavedModels LiveModel::saved() {
  if (own_) return own_->saved;
  formats::SavedModels all = kept_;
  if (moment_ == nullptr) return all;
  for (const Stack stack : stacks()) all.push_back(savedOf(stack));
  return all;
}

std::shared_ptr<const formats::SavedModel> LiveModel::savedOf(Stack stack) {
  Saved& live = live_[static_cast<std::size_t>(stack)];
  const model::ModelDocumentPtr& now = present(stack);
  const model::StackChanges& changes = edits_.of(stack);
  const bool sameModel = live.form != nullptr && live.form->document->model == now->model;
  const bool sameEdits =
      sameModel && live.form->off == changes.off && live.edits == changes.document;
  if (sameEdits && live.layers == layers_.count()) return live.form;
  formats::SavedModel form{moment_->folder, stack};
  form.document = changes.document != nullptr
                      ? changes.document
                      : makeModelDocument(now->model, now->input, now->memory);
  form.off = changes.off;
  for (const LayersInFlow::Opened& layer : layers_.all()) {
    if (layer.of->model != now->model) continue;
    form.shown.push_back({layer.document, layer.layer, layer.of->input});
  }
  form.version = sameEdits ? live.form->version : std::make_shared<const int>(0);
  live = {std::make_shared<const formats::SavedModel>(std::move(form)), changes.document,
          layers_.count()};
  return live.form;
}

}  // namespace headscope
