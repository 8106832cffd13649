#include "app/train_history.h"

#include <tuple>
#include <utility>

#include "core/base/translation.h"

namespace headscope {
namespace {

using ui::TrainView;

constexpr std::size_t kMostChanges = 100;

/// The model that a view asks for.
auto modelOf(const TrainView& view) {
  return std::tie(view.layers, view.dModel, view.heads, view.kvHeads, view.networks, view.norms,
                  view.rotary);
}

/// The text that a language model learns from.
auto learnedTextOf(const TrainView& view) {
  return std::tie(view.text, view.cutInto, view.vocabulary);
}

bool asksTheSame(const TrainView& a, const TrainView& b) {
  return a.task == b.task && a.kept == b.kept && a.seed == b.seed && modelOf(a) == modelOf(b) &&
         learnedTextOf(a) == learnedTextOf(b);
}

/// Returns a view with what another asks for. What is shown of a run stays.
TrainView asking(TrainView view, const TrainView& for_) {
  view.task = for_.task;
  view.kept = for_.kept;
  view.seed = for_.seed;
  std::tie(view.layers, view.dModel, view.heads, view.kvHeads, view.networks, view.norms,
           view.rotary) = modelOf(for_);
  std::tie(view.text, view.cutInto, view.vocabulary) = learnedTextOf(for_);
  view.example = view.relation = 0;  // those of another task do not exist here
  return view;
}

std::string nameOfChange(const TrainView& a, const TrainView& b) {
  if (a.task != b.task || a.kept != b.kept) return tr("the choice of the task");
  if (modelOf(a) != modelOf(b)) return tr("the change of the model");
  if (learnedTextOf(a) != learnedTextOf(b)) return tr("the change of the text");
  return tr("the change of the seed");
}

}  // namespace

void TrainHistory::follow(const TrainView& view, bool held) {
  if (held) return;
  if (now_ && !asksTheSame(*now_, view)) {
    undo_.push_back(*now_);
    if (undo_.size() > kMostChanges) undo_.erase(undo_.begin());
    redo_.clear();
  }
  now_ = view;
}

void TrainHistory::reset() { *this = {}; }

std::string TrainHistory::undoName() const {
  return canUndo() ? nameOfChange(undo_.back(), *now_) : std::string();
}

std::string TrainHistory::redoName() const {
  return canRedo() ? nameOfChange(redo_.back(), *now_) : std::string();
}

void TrainHistory::move(TrainView& view, std::vector<TrainView>& from, std::vector<TrainView>& to) {
  if (from.empty()) return;
  to.push_back(*now_);
  view = asking(std::move(view), from.back());
  from.pop_back();
  now_ = view;
}

}  // namespace headscope
