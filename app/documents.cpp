#include "app/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <vector>

#include "core/formats/learned_weights.h"
#include "core/formats/safetensors.h"
#include "core/formats/state_dict.h"
#include "core/formats/tables.h"

namespace headscope {
namespace {

SetInput asInput(InputSource source) {
  return {std::make_shared<const InputSource>(std::move(source))};
}

bool holdsWeights(const formats::SafetensorsFile& file) {
  const auto names = file.names();
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.ends_with("in_proj_weight") || name.ends_with("q_proj.weight") ||
           name.ends_with("q_proj_weight");
  });
}

/// How many heads a file is for, which it does not say: as many as have room in W_Q at the head
/// width that is set; else as many as there are, or the nearest count that its keys can be shared
/// out to.
Index headsOf(const formats::LoadedWeights& loaded, const AttentionConfig& config) {
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

SetWeights asWeights(const formats::SafetensorsFile& file, const AttentionConfig& config) {
  formats::LoadedWeights loaded = formats::loadWeights(file);
  const std::string name = file.path().filename().string();
  const Index heads = headsOf(loaded, config);
  const Index kvHeads = formats::kvHeadsFor(loaded, heads, name);
  return {name, std::move(loaded.weights), loaded.bias, heads, kvHeads};
}

/// A .csv gives the input; a .safetensors its `x` (and `memory`), its weights, or both. The edits
/// are to be applied in order. A file does not say how many heads its weights are for: the
/// document's head width, where it is given by itself, or its heads decide. Throws UserError naming
/// the file and what is wrong with it.
std::vector<Edit> editsToOpen(const std::filesystem::path& path, const Document& document) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".csv") return {asInput(SeriesSource{{formats::readSeries(path)}})};
  if (ending != ".safetensors") {
    throw UserError(
        fmt::format("{}: only .csv (a series), .safetensors (input or weights) and .headscope.json "
                    "(a session) can "
                    "be opened",
                    path.string()));
  }
  const formats::SafetensorsFile file(path);
  std::vector<Edit> edits;
  if (file.has("x")) edits.emplace_back(asInput(formats::loadInput(file)));
  if (holdsWeights(file)) edits.emplace_back(asWeights(file, document.config));
  if (edits.empty()) {
    throw UserError(fmt::format(
        "{}: neither an input (x) nor weights (in_proj_weight, or q_proj.weight …) are in it",
        path.string()));
  }
  return edits;
}

}  // namespace

Documents::Documents(History history, TracePtr trace, Index memoryBudget, int threads)
    : memoryBudget_(memoryBudget),
      history_(std::move(history)),
      trace_(std::move(trace)),
      worker_(threads) {}

void Documents::start() {
  if (isComputed()) return;
  trace_ = nullptr;
  worker_.request(newest());
}

std::optional<TracePtr> Documents::takeResult() {
  auto update = worker_.take();
  if (!update) return std::nullopt;
  if (update->trace) return std::exchange(trace_, std::move(update->trace));
  if (trace_ == nullptr) {
    say(update->error, true);
    return std::nullopt;
  }
  if (newest() == update->document && history_.canUndo()) {
    history_.undo();
    worker_.request(newest());
  }
  say(update->error + " (taken back: the last good result stays)", true);
  return std::nullopt;
}

bool Documents::learnsFirst(const Edit& edit) const {
  const auto* drawn = std::get_if<DrawWeights>(&edit);
  const WeightSource& now = newest()->weightSource;
  const bool learned = drawn != nullptr ? drawn->init == WeightInit::learned
                                        : now.drawn() && now.init == WeightInit::learned;
  if (!learned) return false;
  struct LearnsFirst {};
  const WeightMaker atOnce = [](const Document& d, WeightInit init, std::uint64_t seed) {
    if (init != WeightInit::learned) return drawWeightsFor(d, init, seed);
    auto asset = formats::learnedAsset(d.config, materialOf(d), seed);
    if (!asset) throw LearnsFirst{};
    return *asset;
  };
  try {
    headscope::apply(*newest(), edit, memoryBudget_, atOnce);
  } catch (const LearnsFirst&) {
    return true;
  }
  return false;
}

void Documents::learnBeside(const Edit& edit) {
  *learnedSteps_ = 0;
  learning_.request([before = newest(), edit, budget = memoryBudget_, steps = learnedSteps_](
                        const std::atomic<bool>& cancelled) -> std::optional<Learned> {
    Execution execution;
    execution.cancelled = &cancelled;
    struct Cancelled {};
    const WeightMaker learn = [&](const Document& d, WeightInit init, std::uint64_t seed) {
      if (init != WeightInit::learned) return drawWeightsFor(d, init, seed);
      auto weights = formats::learnedWeights(
          d.config, materialOf(d), seed, execution,
          [&](const training::LayerLearner& learner) { *steps = learner.stepsDone(); });
      if (!weights) throw Cancelled{};
      return *weights;
    };
    try {
      Applied applied = headscope::apply(*before, edit, budget, learn);
      return Learned{before, std::move(applied.document), nameOf(edit, *before),
                     std::move(applied.note)};
    } catch (const Cancelled&) {
      return std::nullopt;
    }
  });
}

void Documents::takeLearned() {
  if (auto outcome = learning_.take()) {
    if (!outcome->error.empty()) return say(outcome->error, true);
    if (!outcome->result) return;
    const Learned& learned = *outcome->result;
    if (learned.before != newest()) return say("the learning was left off: something else changed");
    open(learned.document, learned.name);
    say(learned.note.empty() ? "learned: " + learned.name : learned.note);
  } else if (learning_.busy()) {
    say(fmt::format("learning heads of this size: step {} of {}",
                    static_cast<Index>(*learnedSteps_), training::LearningSettings{}.steps));
  }
}

void Documents::apply(const Edit& edit, const std::string& gesture) {
  attempt([&] {
    if (learnsFirst(edit)) return learnBeside(edit);
    say(history_.apply(edit, gesture));
    worker_.request(newest());
  });
}

void Documents::undo() {
  if (!history_.canUndo()) return;
  say("undone: " + history_.undoName());
  history_.undo();
  worker_.request(newest());
}

void Documents::redo() {
  if (!history_.canRedo()) return;
  say("redone: " + history_.redoName());
  history_.redo();
  worker_.request(newest());
}

void Documents::jumpTo(std::size_t index) {
  if (index >= history_.size() || index == history_.position()) return;
  attempt([&] {
    history_.jumpTo(index);
    say("back to: " + history_.nameAt(index));
    worker_.request(newest());
  });
}

void Documents::open(DocumentPtr document, const std::string& name) {
  history_.apply(Open{std::move(document), name});
  worker_.request(newest());
}

/// Its edits are applied aside and taken over as one.
void Documents::openFile(const std::filesystem::path& path) {
  attempt([&] {
    DocumentPtr opened = newest();
    std::string notes;
    for (const Edit& edit : editsToOpen(path, *opened)) {
      Applied applied = headscope::apply(*opened, edit, memoryBudget_);
      opened = std::move(applied.document);
      if (!applied.note.empty()) notes += "; " + applied.note;
    }
    open(std::move(opened), "open " + path.filename().string());
    say("opened " + path.string() + notes);
  });
}

}  // namespace headscope
