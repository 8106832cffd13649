#include "app/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

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

SetWeights asWeights(const formats::SafetensorsFile& file, Index heads) {
  formats::LoadedWeights loaded = formats::loadWeights(file);
  const std::string name = file.path().filename().string();
  if (loaded.queryFeatures % heads != 0) {
    heads = nearestHeadCounts(loaded.queryFeatures, heads, 1).front();
  }
  const Index kvHeads = formats::kvHeadsFor(loaded, heads, name);
  return {name, std::move(loaded.weights), loaded.bias, heads, kvHeads};
}

/// A .csv gives the input; a .safetensors its `x` (and `memory`), its weights, or both. The edits
/// are to be applied in order. Throws UserError naming the file and what is wrong with it.
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
  if (holdsWeights(file)) edits.emplace_back(asWeights(file, document.config.numHeads));
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

void Documents::apply(const Edit& edit, const std::string& gesture) {
  attempt([&] {
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
