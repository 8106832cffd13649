#include "core/history.h"

namespace headscope {

History::History(DocumentPtr start, Index memoryBudgetBytes, Index historyBudgetBytes)
    : memoryBudget_(memoryBudgetBytes), historyBudget_(historyBudgetBytes) {
  states_.push_back({std::move(start), {}, {}});
}

std::string History::apply(const Edit& edit, const std::string& gesture) {
  Applied applied = headscope::apply(*current(), edit, memoryBudget_);
  std::string name = nameOf(edit, *current());
  states_.resize(position_ + 1);
  const bool goesOn = !gesture.empty() && position_ > 0 && states_.back().gesture == gesture;
  if (goesOn) {
    states_.back() = {std::move(applied.document), std::move(name), gesture};
  } else {
    states_.push_back({std::move(applied.document), std::move(name), gesture});
    ++position_;
  }
  trim();
  return applied.note;
}

void History::undo() {
  if (!canUndo()) return;
  endGesture();
  --position_;
  endGesture();
}

void History::redo() {
  if (!canRedo()) return;
  ++position_;
  endGesture();
}

std::string History::undoName() const { return canUndo() ? states_[position_].name : ""; }

std::string History::redoName() const { return canRedo() ? states_[position_ + 1].name : ""; }

void History::trim() {
  Index held = 0;
  for (std::size_t i = states_.size() - 1; i-- > 0;) {
    held += bytesNotShared(*states_[i].document, *states_[i + 1].document);
    if (held <= historyBudget_) continue;
    states_.erase(states_.begin(), states_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    position_ = states_.size() - 1;
    return;
  }
}

}  // namespace headscope
