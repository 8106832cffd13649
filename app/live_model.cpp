#include "app/live_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/formats/model_directory.h"
#include "core/formats/shipped_model.h"
#include "core/formats/tokenizer_files.h"
#include "core/model/model_edits.h"
#include "core/model/prediction.h"
#include "core/model/tokenized.h"
#include "core/platform/paths.h"
#include "core/tensor/gemm.h"

namespace headscope {
namespace {

constexpr std::size_t kPredictionsKept = 10;
constexpr Index kFirstIds = 16;  // the initial number of ids without a tokenizer

/// The inputs of a requested pass, copied to the thread.
struct Asked {
  std::filesystem::path folder;  // empty: the model of `before`
  std::shared_ptr<const ModelMoment> before;
  std::string text;
  bool cut = false;
  std::vector<HeadOfLayer> off;
  model::ModelDocumentPtr edits;
  std::shared_ptr<const formats::SavedModel> kept;  // a session's edits, to be used instead
  Index budget = 0;
  std::uint64_t number = 0;
  std::uint64_t changes = 0;
  BlockStorePtr memory = nullptr;
};

std::string firstText(const model::ModelConfig& config, bool hasTokenizer) {
  if (!config.example.empty()) return config.example;
  if (hasTokenizer) return "The cat, which was very fluffy, slept by the warm fire.";
  std::string ids;
  for (Index id = 0; id < std::min(kFirstIds, config.vocabulary); ++id) {
    ids += fmt::format("{}{}", ids.empty() ? "" : ", ", id);
  }
  return ids;
}

std::vector<Index> idsIn(const std::string& text) {
  std::vector<Index> ids;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at != end) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    Index id = 0;
    const auto [rest, error] = std::from_chars(at, end, id);
    if (error != std::errc()) {
      throw UserError(
          "this folder has no tokenizer: give the ids of tokens, as 17, 4, 250; or put its "
          "tokenizer.json into the folder");
    }
    ids.push_back(id);
    at = rest;
  }
  return ids;
}

/// Cuts the moment's text to its first `most` tokens.
void cutToFit(ModelMoment& moment, Index most) {
  if (moment.tokenizer != nullptr) {
    moment.text = std::string(model::firstTokens(moment.text, *moment.tokenizer, most));
    return;
  }
  std::vector<Index> ids = idsIn(moment.text);
  ids.resize(std::min(ids.size(), static_cast<std::size_t>(most)));
  moment.text = fmt::format("{}", fmt::join(ids, ", "));
}

model::ModelInput inputFor(const ModelMoment& moment, const std::string& text,
                           const model::ModelConfig& config) {
  if (moment.tokenizer == nullptr) return {idsIn(text), {}, {}};
  return inputOf(moment.tokenizer->encode(text), *moment.tokenizer, config);
}

/// Returns the document as the model's layer, or as an edit of it.
LayersInFlow::Opened asLayer(const formats::ShownLayer& shown, const model::ModelPtr& of) {
  auto plain = makeModelDocument(of, shown.input);
  DocumentPtr opened = shown.document;
  if (formats::differs(*shown.document, *plain, shown.layer)) {
    Document own = *layerDocument(*plain, shown.layer, shown.document->input->x);
    own.source = shown.document->source;
    own.input = shown.document->input;
    opened = std::make_shared<const Document>(std::move(own));
  }
  return {std::move(plain), shown.layer, std::move(opened)};
}

/// Applies a session's edits to a model. Throws only std::bad_alloc; other failures become the
/// result's problem.
std::shared_ptr<const KeptEdits> keptEditsOn(const model::ModelPtr& of,
                                             std::shared_ptr<const formats::SavedModel> kept,
                                             const model::ModelInput& input) {
  auto made = std::make_shared<KeptEdits>();
  made->problem = whyNot([&] {
    made->edits = formats::editsOn(of, *kept->kept, input);
    for (const formats::ShownLayer& shown : kept->shown) {
      made->layers.push_back(asLayer(shown, of));
    }
  });
  made->of = std::move(kept);
  return made;
}

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

/// The number of rows whose logits form one unit of work: enough for a fast product.
constexpr Index kRowsAtOnce = 64;

/// Computes a moment, unit by unit: opens the model and passes the text through it; then computes
/// the predictions; then, where the model was changed, the same for the original model.
class MomentMaker {
 public:
  using Found = LiveModel::Found;

  /// `publish` receives the pass of a new text before its predictions.
  MomentMaker(Asked asked, std::function<void(Found, const std::atomic<bool>&)> publish)
      : asked_(std::move(asked)), publish_(std::move(publish)) {}

  /// Runs the next unit. Returns true after the last one; `found` stays empty if cancelled.
  bool runUnit(const std::atomic<bool>& cancelled, std::optional<Found>& found) {
    execution_.cancelled = &cancelled;
    return cancelled || step(found);
  }

 private:
  /// Returns true where no work is left.
  bool step(std::optional<Found>& found) {
    if (pass_ == nullptr) return !begin(found);
    if (moment_.trace == nullptr) return takePass(found);
    const Index said = std::ssize(moment_.predictions);
    if (said < moment_.trace->tokens()) {
      predict(said);
    } else if (moment_.trace->document().edited.empty()) {
      found = finished();
    } else if (unedited_.trace == nullptr) {
      if (uneditedPass_->runUnit()) unedited_.trace = uneditedPass_->trace();
    } else if (const Index compared = std::ssize(unedited_.best); compared < said) {
      compare(compared);
    } else {
      moment_.unedited = std::make_shared<const UneditedModel>(std::move(unedited_));
      found = finished();
    }
    return found.has_value();
  }

  /// Returns false where the text is too long; `found` then has the token counts.
  bool begin(std::optional<Found>& found) {
    moment_.number = asked_.number;
    moment_.changes = asked_.changes;
    model::ModelPtr of;
    if (asked_.folder.empty()) {
      of = asked_.before->trace->document().model;
      moment_.folder = asked_.before->folder;
      moment_.tokenizer = asked_.before->tokenizer;
      moment_.tokenizerProblem = asked_.before->tokenizerProblem;
    } else {
      moment_.folder = asked_.folder;
      of = formats::openModel(asked_.folder, asked_.budget / 2);
      if (formats::hasTokenizer(asked_.folder)) {
        moment_.tokenizerProblem =
            whyNot([&] { moment_.tokenizer = formats::openTokenizer(asked_.folder); });
      }
    }
    const model::ModelConfig& config = of->config();
    moment_.text =
        asked_.text.empty() ? firstText(config, moment_.tokenizer != nullptr) : asked_.text;
    model::ModelInput input = inputFor(moment_, moment_.text, config);
    if (const Index most = mostTokens(config); std::ssize(input.ids) > most) {
      if (!asked_.cut) {
        found = Found{{}, std::ssize(input.ids), most, of->name()};
        return false;
      }
      moment_.wholeTokens = std::ssize(input.ids);
      cutToFit(moment_, most);
      input = inputFor(moment_, moment_.text, config);
    }
    if (asked_.kept != nullptr) {
      made_ = keptEditsOn(of, asked_.kept, input);
      if (made_->problem.empty()) {
        asked_.edits = made_->edits.document;
        asked_.off = made_->edits.off;
      }
    }
    const auto plain = makeModelDocument(of, input);
    const bool edited = asked_.edits != nullptr && asked_.edits->model == of;
    auto document = edited ? withInput(*asked_.edits, std::move(input)) : plain;
    if (!asked_.off.empty()) document = withoutHeads(*document, asked_.off);
    prepareGemm();
    const ModelMoment* before = asked_.folder.empty() ? asked_.before.get() : nullptr;
    newText_ = before == nullptr || before->trace->document().input != document->input;
    ExecutionContext inKeptMemory = execution_;
    inKeptMemory.memory = asked_.memory;
    pass_ = std::make_unique<model::ModelPass>(
        document, before != nullptr ? before->trace : nullptr, inKeptMemory, asked_.budget / 2);
    if (document->edited.empty()) return true;
    model::ModelTracePtr previous;
    if (asked_.before != nullptr) {
      const auto& unedited = asked_.before->unedited;
      previous = unedited != nullptr ? unedited->trace : asked_.before->trace;
    }
    // reuses most of the previous pass; beside the other pass it gets less memory
    uneditedPass_ =
        std::make_unique<model::ModelPass>(plain, previous, execution_, asked_.budget / 4);
    return true;
  }

  /// Returns true where the model makes no predictions.
  bool takePass(std::optional<Found>& found) {
    if (!pass_->runUnit()) return false;
    moment_.trace = pass_->trace();
    if (moment_.trace == nullptr) return false;  // cancelled
    if (!moment_.trace->document().model->hasReadout()) {
      found = finished();
      return true;
    }
    moment_.trace->document().model->readout();  // throws where it is refused
    if (newText_) publish_({moment_, 0, 0, {}, made_}, *execution_.cancelled);
    return false;
  }

  /// The number of rows, from this one on, that one unit reads.
  Index rowsFrom(Index row) const { return std::min(moment_.trace->tokens() - row, kRowsAtOnce); }

  void predict(Index row) {
    auto said = moment_.trace->predictions(row, rowsFrom(row), kPredictionsKept, execution_);
    if (execution_.stop()) return;
    std::move(said.begin(), said.end(), std::back_inserter(moment_.predictions));
  }

  void compare(Index row) {
    const Index rows = rowsFrom(row);
    unedited_.sames.resize(static_cast<std::size_t>(row + rows));
    unedited_.best.resize(static_cast<std::size_t>(row + rows));
    const auto each = [&](Index place, std::span<const float> logits) {
      const auto at = static_cast<std::size_t>(place);
      const model::RowProbabilities probabilities(logits);
      for (const model::TokenProbability& said : moment_.predictions[at]) {
        unedited_.sames[at].push_back(probabilities(said.id).probability);
      }
      unedited_.best[at] = model::mostProbable(logits, 1).front();
    };
    unedited_.trace->overLogits(row, rows, execution_, each);
  }

  Found finished() { return {std::move(moment_), 0, 0, {}, made_}; }

  Asked asked_;
  std::function<void(Found, const std::atomic<bool>&)> publish_;
  ExecutionContext execution_;
  std::unique_ptr<model::ModelPass> pass_, uneditedPass_;
  bool newText_ = false;
  std::shared_ptr<const KeptEdits> made_;
  ModelMoment moment_;
  UneditedModel unedited_;
};

}  // namespace

model::ModelInput inputOfText(const ModelMoment& moment, const std::string& text) {
  return inputFor(moment, text, moment.config());
}

std::string ModelMoment::nameOf(Index id) const {
  if (tokenizer == nullptr) return std::to_string(id);
  return tokenizer->inWords(static_cast<tokenizer::TokenId>(id));
}

std::vector<std::string> ModelMoment::tokenNames() const {
  std::vector<std::string> names;
  for (const Index id : trace->document().input.ids) names.push_back(nameOf(id));
  return names;
}

void LiveModel::open(const std::filesystem::path& folder, std::string text) {
  folder_ = formats::isShipped(folder) ? folder : platform::absolutePath(folder);
  text_ = std::move(text);
  cut_ = false;
  off_.clear();
  edits_ = nullptr;
  undo_.clear();
  redo_.clear();
  ++changes_;
  compute();
}

void LiveModel::reload() {
  if (moment_ != nullptr) open(moment_->folder, text_);
}

void LiveModel::setText(std::string text) {
  text_ = std::move(text);
  cut_ = false;
  compute();
}

void LiveModel::cutText() {
  cut_ = true;
  compute();
}

float LiveModel::gainOf(HeadOfLayer head) const {
  if (isEdited(head.layer)) return edits_->edited.at(head.layer).config.gain(head.head);
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

void LiveModel::switchHead(HeadOfLayer head) {
  const float gain = gainOf(head);
  make({.name = fmt::format("layer {}, head {} {}", head.layer + 1, head.head + 1,
                            gain == 0.0F ? "on" : "off"),
        .gains = {{head, gain, gain == 0.0F ? 1.0F : 0.0F}}});
}

void LiveModel::switchAllOn() {
  Change change{.name = "all heads on"};
  for (const HeadOfLayer& head : headsOff()) change.gains.push_back({head, 0.0F, 1.0F});
  if (!change.gains.empty()) make(std::move(change));
}

void LiveModel::resetLayer(Index layer) {
  if (!isEdited(layer)) return;
  make({.name = fmt::format("layer {} as loaded", layer + 1), .layers = {layer}, .edits = edits_});
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
  ++changes_;
  compute();
}

/// Sets a head's gain; where Flow shows the layer, by an edit of Flow's document, which the model
/// follows.
void LiveModel::setGain(HeadOfLayer head, float gain) {
  if (inFlow_ != nullptr && inFlow_->layer == head.layer) {
    flowEdits_.emplace_back(SetHeadGain{head.head, gain});
  } else if (isEdited(head.layer)) {
    auto next = std::make_shared<model::ModelDocument>(*edits_);
    std::vector<float>& gains = next->edited.at(head.layer).config.headGains;
    gains.resize(static_cast<std::size_t>(next->model->config().heads), 1.0F);
    gains[static_cast<std::size_t>(head.head)] = gain;
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
      edits_ != nullptr ? edits_ : model::makeModelDocument(edits->model, edits->input);
  auto next = std::make_shared<model::ModelDocument>(*model::withoutEdits(*now, layer));
  if (edits != nullptr) {
    const auto fitting = model::withInput(*edits, now->input);
    next->edited.insert_or_assign(layer, fitting->edited.at(layer));
  }
  edits_ = std::move(next);
  if (inFlow_ == nullptr || inFlow_->layer != layer || flow_ == nullptr) return;
  const DocumentPtr made =
      layerDocument(*withInput(*edits_, inFlow_->of->input), layer, flow_->input->x);
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
  inFlow_ = ofThis ? shown : nullptr;
  if (edited == nullptr || !ofThis) return;
  const std::string problem = whyNot([&] {
    const auto on = edits_ != nullptr ? withInput(*edits_, shown->of->input)
                                      : makeModelDocument(shown->of->model, shown->of->input);
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
  inFlow_ = nullptr;
}

void LiveModel::compute() {
  if (folder_.empty() && moment_ == nullptr) return;
  const auto kept = folder_.empty() ? nullptr : keptOf(folder_);
  Asked asked{folder_, moment_, text_,       cut_,     off_,   edits_,
              kept,    budget_, ++computed_, changes_, memory_};
  const auto maker = std::make_shared<MomentMaker>(
      std::move(asked), [this](Found early, const std::atomic<bool>& cancelled) {
        task_.publishEarly(std::move(early), cancelled);
      });
  task_.requestUnits([maker](const std::atomic<bool>& cancelled, std::optional<Found>& found) {
    return maker->runUnit(cancelled, found);
  });
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
    const Found& found = *outcome->result;
    tooLong_ = found.most;
    problem_ = fmt::format("the text has {} tokens, and {} takes at most {}",
                           withThousands(found.tokens), found.model, withThousands(found.most));
    return;  // the request stays, so that its text can be cut
  }
  if (!outcome->result) {
    if (!folder_.empty() && keptOf(folder_) != nullptr) keptProblem_ = problem_;
    folder_.clear();
    if (moment_ != nullptr) text_ = moment_->text;
    return;
  }
  moment_ = std::make_shared<const ModelMoment>(std::move(*outcome->result->moment));
  if (edits_ != nullptr && edits_->model != moment_->trace->document().model) edits_ = nullptr;
  if (const auto& made = outcome->result->made) takeMade(*made);
  folder_.clear();
}

void LiveModel::take(const formats::SavedModels& models, DocumentPtr document) {
  keptWith_ = std::move(document);
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
  formats::SavedModels all = kept_;
  if (moment_ == nullptr) return all;
  const model::ModelDocumentPtr& present = moment_->trace->documentPtr();
  const bool sameModel = live_ != nullptr && live_->document->model == present->model;
  const bool sameEdits = sameModel && live_->off == off_ && liveEdits_ == edits_;
  if (!sameEdits || liveLayers_ != layers_.all().size()) {
    formats::SavedModel now{moment_->folder};
    now.document = edits_ != nullptr ? edits_ : makeModelDocument(present->model, present->input);
    now.off = off_;
    for (const LayersInFlow::Opened& layer : layers_.all()) {
      if (layer.of->model != present->model) continue;
      now.shown.push_back({layer.document, layer.layer, layer.of->input});
    }
    now.version = sameEdits ? live_->version : std::make_shared<const int>(0);
    live_ = std::make_shared<const formats::SavedModel>(std::move(now));
    liveEdits_ = edits_;
    liveLayers_ = layers_.all().size();
  }
  all.push_back(live_);
  return all;
}

}  // namespace headscope
