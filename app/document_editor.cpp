#include "app/document_editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/state_dict.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/editing/make_document.h"
#include "core/formats/pass_files.h"
#include "core/input/tables.h"
#include "core/tensor/safetensors.h"
#include "core/training/learned_layer.h"

namespace headscope {
namespace {

SetInput asInput(InputSource source) {
  return {std::make_shared<const InputSource>(std::move(source))};
}

bool holdsWeights(const SafetensorsFile& file) {
  const auto names = file.names();
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.ends_with("in_proj_weight") || name.ends_with("q_proj.weight") ||
           name.ends_with("q_proj_weight");
  });
}

/// The number of heads of a file. The norms of queries determine it; otherwise W_Q and the explicit
/// head width; otherwise the present number of heads, or the nearest one that suits the keys.
Index headsOf(const formats::LoadedWeights& loaded, const AttentionConfig& config) {
  if (const Index heads = formats::headsOfNorm(loaded); heads > 0) return heads;
  const Index rows = loaded.queryFeatures;
  if (config.headDim > 0 && rows % config.headDim == 0) return rows / config.headDim;
  constexpr std::size_t kTried = 64;
  auto counts = nearestHeadCounts(rows, config.numHeads, kTried);
  std::stable_sort(counts.begin(), counts.end(), [&](Index a, Index b) {
    return std::abs(a - config.numHeads) < std::abs(b - config.numHeads);
  });
  const auto found = std::find_if(counts.begin(), counts.end(),
                                  [&](Index heads) { return formats::keysFit(loaded, heads); });
  return found != counts.end() ? *found : counts.front();
}

SetWeights asWeights(const SafetensorsFile& file, const AttentionConfig& config) {
  formats::LoadedWeights loaded = formats::loadWeights(file);
  const std::string name = file.path().filename().string();
  const Index heads = headsOf(loaded, config);
  const Index kvHeads = formats::kvHeadsFor(loaded, heads, name);
  return {name, std::move(loaded.weights), loaded.bias, heads, kvHeads, std::move(loaded.headNorm)};
}

/// Returns the edits that open a file, to be applied in order. A .csv gives the input; a
/// .safetensors its `x` (and `memory`), its weights, or both. A file does not give the number of
/// heads: the document's explicit head width or its heads decide. Throws UserError naming the file
/// and the error.
std::vector<Edit> editsToOpen(const std::filesystem::path& path, const Document& document) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".csv") return {asInput(SeriesSource{{readSeries(path)}})};
  if (ending != ".safetensors") {
    throw UserError(
        trFormat("{}: only .csv (a series), .safetensors (input or weights) and .headscope.json "
                 "(a session) can "
                 "be opened",
                 path.string()));
  }
  const SafetensorsFile file(path);
  std::vector<Edit> edits;
  if (file.has("x")) edits.emplace_back(asInput(formats::loadInput(file)));
  if (holdsWeights(file)) edits.emplace_back(asWeights(file, document.config));
  if (edits.empty()) {
    throw UserError(trFormat(
        "{}: neither an input (x) nor weights (in_proj_weight, or q_proj.weight …) are in it",
        path.string()));
  }
  return edits;
}

/// Weights of zeros, where none are learned yet.
Weights weightsOfZero(const AttentionConfig& config) {
  const auto zeros = [&](TensorId id) { return Tensor::zeros(shapeOf(id, config)); };
  return {zeros(TensorId::wQ), zeros(TensorId::wK), zeros(TensorId::wV), zeros(TensorId::wO),
          zeros(TensorId::bQ), zeros(TensorId::bK), zeros(TensorId::bV), zeros(TensorId::bO)};
}

}  // namespace

DocumentEditor::DocumentEditor(Scheduler& scheduler, History history, TracePtr trace,
                               Index memoryBudget, int threads,
                               std::shared_ptr<LearnedLayers> layers)
    : memoryBudget_(memoryBudget),
      history_(std::move(history)),
      trace_(std::move(trace)),
      layers_(layers != nullptr ? std::move(layers) : std::make_shared<LearnedLayers>()),
      learning_(scheduler),
      worker_(scheduler, Priority::edit, threads) {}

bool DocumentEditor::isComputed() const {
  return trace_ != nullptr && trace_->documentPtr() == newest();
}

bool DocumentEditor::ownIsComputed() const {
  const TracePtr& trace = own_ ? own_->trace : trace_;
  return trace != nullptr && trace->documentPtr() == ownNewest();
}

void DocumentEditor::start() {
  if (isComputed()) return;
  trace_ = nullptr;
  worker_.request(newest());
}

std::optional<TracePtr> DocumentEditor::takeResult() {
  auto update = worker_.take();
  if (!update) return std::nullopt;
  if (update->trace) return std::exchange(trace_, std::move(update->trace));
  if (trace_ == nullptr) {
    say(update->error, true);
    return std::nullopt;
  }
  if (change_) {
    leaveChange();
    worker_.request(newest());
  } else if (newest() == update->document && history_.canUndo()) {
    history_.undo();
    worker_.request(newest());
  }
  say(update->error + tr(" (undone: the last good result stays)"), true);
  return std::nullopt;
}

struct DocumentEditor::Outcome {
  DocumentPtr document;
  std::string note;
  std::optional<LearnedSizes> learns;  // the sizes for which weights have to be learned
  AttentionConfig config;              // the configuration of these sizes
};

/// Applies all edits of a change, with the weights learned so far, or zeros before the first.
DocumentEditor::Outcome DocumentEditor::outcomeOf(const Change& change) const {
  Outcome outcome{newest(), {}, {}, {}};
  const WeightMaker make = [&](const Document& d, WeightInit init, std::uint64_t seed) {
    outcome.learns.reset();
    if (init != WeightInit::learned) return drawWeightsFor(d, init, seed);
    if (auto ready = layers_->find(d.config, trainingDomainOf(d), seed)) return *ready;
    outcome.learns = LearnedSizes(d.config, trainingDomainOf(d), seed);
    outcome.config = d.config;
    if (change.weights && change.sizes == outcome.learns) return *change.weights;
    return weightsOfZero(d.config);  // never shown
  };
  for (const Edit& edit : change.edits) {
    if (std::holds_alternative<Open>(edit) || std::holds_alternative<SetWeights>(edit)) {
      outcome.learns.reset();
    }
    EditResult applied = headscope::apply(*outcome.document, edit, memoryBudget_, make);
    outcome.document = std::move(applied.document);
    if (!applied.note.empty()) outcome.note = std::move(applied.note);
  }
  return outcome;
}

/// Returns whether the change itself asks for learned weights, regardless of its sizes.
bool DocumentEditor::asksForLearned(const Change& change) const {
  return std::any_of(change.edits.begin(), change.edits.end(), [](const Edit& edit) {
    const auto* drawn = std::get_if<DrawWeights>(&edit);
    return drawn != nullptr && drawn->init == WeightInit::learned;
  });
}

void DocumentEditor::commit(const Change& change, Outcome outcome) {
  leaveChange();
  open(std::move(outcome.document), change.name);
  if (change.onlyOpens) opened_ = newest();
  say(outcome.note.empty() ? change.name : outcome.note);
}

/// Continues a change, or commits it where no weights have to be learned.
void DocumentEditor::follow(Change change) {
  Outcome outcome = outcomeOf(change);
  const bool learns = outcome.learns.has_value();
  const bool quick = learns && training::learnsQuickly(outcome.config);
  if (learns && !asksForLearned(change) && (!learnsAtNewSizes_ || !quick)) {
    change.edits.emplace_back(DrawWeights{WeightInit::designed, outcome.learns->seed});
    outcome = outcomeOf(change);
    outcome.note = learnsAtNewSizes_ ? tr("heads of this size take long to learn, so designed ones "
                                          "are used: more, weights offers learned ones")
                                     : tr("designed heads: learning at new sizes is off");
  }
  if (!outcome.learns) return commit(change, std::move(outcome));
  if (!learning_.isOf(*outcome.learns)) {
    change.forming = nullptr;
    change.weights.reset();
    change.sizes = outcome.learns;
    learning_.begin(outcome.config, outcome.learns->domain, outcome.learns->seed);
  } else if (change.weights) {
    change.forming = std::move(outcome.document);
    worker_.request(change.forming);
  }
  change_ = std::move(change);
}

void DocumentEditor::takeLearned() {
  if (!change_) return;
  attempt([&] {
    auto news = learning_.take();
    if (!news) {
      if (!busy()) learning_.ask();
      return;
    }
    if (!news->weights) {
      say(trFormat("{}: designed heads are used instead", news->error), true);
      return stopLearning();
    }
    change_->weights = std::move(news->weights);
    if (news->done) {
      layers_->keep(*change_->sizes, *change_->weights);
      const Change change = *std::exchange(change_, std::nullopt);
      return commit(change, outcomeOf(change));
    }
    change_->forming = outcomeOf(*change_).document;
    worker_.request(change_->forming);
  });
}

void DocumentEditor::stopLearning() {
  if (!change_) return;
  attempt([&] {
    Change change = *change_;
    leaveChange();
    // the change asked for learned weights only: nothing changes without them
    if (change.edits.size() == 1 && asksForLearned(change)) return worker_.request(newest());
    change.edits.emplace_back(DrawWeights{WeightInit::designed, 1});
    Outcome outcome = outcomeOf(change);
    outcome.note = tr("designed heads instead of learned ones");
    commit(change, std::move(outcome));
  });
}

void DocumentEditor::finish() {
  while (learning()) {
    learning_.wait();
    takeLearned();
  }
  wait();
}

/// Cancels the pending change.
void DocumentEditor::leaveChange() {
  learning_.stop();
  change_.reset();
}

void DocumentEditor::apply(const Edit& edit, const std::string& gesture) {
  attempt([&] {
    if (change_) {
      Change change = *change_;
      change.edits.push_back(edit);
      change.onlyOpens = false;
      return follow(std::move(change));
    }
    const WeightSource& now = newest()->weightSource;
    const bool learned = now.drawn() && now.init == WeightInit::learned;
    Change change{{edit}, {}};
    if ((learned || asksForLearned(change)) && outcomeOf(change).learns) {
      change.name = nameOf(edit, *newest());
      return follow(std::move(change));
    }
    say(history_.apply(edit, gesture));
    worker_.request(newest());
  });
}

void DocumentEditor::applyTogether(const std::vector<Edit>& edits, const std::string& name) {
  attempt([&] {
    leaveChange();
    follow({edits, name});
  });
}

void DocumentEditor::undo() {
  if (change_) {
    say("undone: " + change_->name);
    leaveChange();
    return worker_.request(newest());
  }
  if (!history_.canUndo()) return;
  say("undone: " + history_.undoName());
  history_.undo();
  worker_.request(newest());
}

void DocumentEditor::redo() {
  if (change_ || !history_.canRedo()) return;
  say("redone: " + history_.redoName());
  history_.redo();
  worker_.request(newest());
}

void DocumentEditor::jumpTo(std::size_t index) {
  if (index >= history_.size() || (index == history_.position() && !change_)) return;
  attempt([&] {
    leaveChange();
    history_.jumpTo(index);
    say(tr("back to: ") + history_.nameAt(index));
    worker_.request(newest());
  });
}

void DocumentEditor::open(DocumentPtr document, const std::string& name) {
  leaveChange();
  if (message_.isError) say({});  // the error concerned another document
  if (document == newest()) {     // only what was being learned is dropped
    if (!isComputed() || busy()) worker_.request(newest());
    return;
  }
  history_.apply(Open{std::move(document), name});
  worker_.request(newest());
}

void DocumentEditor::setOwnAside() {
  if (own_) return;
  own_.emplace(Own{std::move(history_), trace_, change_});
  leaveChange();
  history_ = History(own_->history.current(), memoryBudget_);
  if (!isComputed()) worker_.request(newest());
}

void DocumentEditor::returnToOwn() {
  if (!own_) return;
  leaveChange();
  worker_.stop();
  worker_.wait();  // a pass that was just finished is not the own document's
  static_cast<void>(worker_.take());
  Own own = *std::exchange(own_, std::nullopt);
  history_ = std::move(own.history);
  if (own.trace != nullptr) trace_ = std::move(own.trace);
  if (own.change) return attempt([&] { follow(*own.change); });
  if (!isComputed()) worker_.request(newest());
}

void DocumentEditor::learnAtStart() {
  attempt([&] {
    const Edit edit = DrawWeights{WeightInit::learned, 1};
    Change change{{edit}, nameOf(edit, *newest())};
    change.onlyOpens = true;
    follow(std::move(change));
  });
}

/// Applies the file's edits to a copy and takes them over as one entry of the history.
void DocumentEditor::openFile(const std::filesystem::path& path) {
  attempt([&] {
    Change change{editsToOpen(path, *newest()), "open " + path.filename().string()};
    change.onlyOpens = true;
    if (outcomeOf(change).learns) {
      leaveChange();
      return follow(change);
    }
    DocumentPtr opened = newest();
    std::string notes;
    for (const Edit& edit : change.edits) {
      EditResult applied = headscope::apply(*opened, edit, memoryBudget_);
      opened = std::move(applied.document);
      if (!applied.note.empty()) notes += "; " + applied.note;
    }
    open(std::move(opened), change.name);
    opened_ = newest();
    say("opened " + path.string() + notes);
  });
}

}  // namespace headscope
