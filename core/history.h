// History: the current document, and the way back and forth again, within a budget of memory.
#pragma once

#include <deque>
#include <string>

#include "core/edit.h"

namespace headscope {

class History {
 public:
  History(DocumentPtr start, Index memoryBudgetBytes, Index historyBudgetBytes = Index{256} << 20);

  const DocumentPtr& current() const { return states_[position_].document; }

  /// Applies an edit; what was undone before it is dropped. Edits with the same non-empty
  /// `gesture` in a row (dragging, typing) make one entry. Gives apply's note. Throws as
  /// `apply` does, and then nothing has changed.
  std::string apply(const Edit& edit, const std::string& gesture = "");

  /// What comes next is an entry of its own, whatever its gesture.
  void endGesture() { states_[position_].gesture.clear(); }

  bool canUndo() const { return position_ > 0; }
  bool canRedo() const { return position_ + 1 < states_.size(); }
  void undo();
  void redo();
  std::string undoName() const;  // of the edit that undo would take back
  std::string redoName() const;

 private:
  struct State {
    DocumentPtr document;
    std::string name;  // of the edit that led here
    std::string gesture;
  };
  void trim();

  std::deque<State> states_;
  std::size_t position_ = 0;  // of the current one
  Index memoryBudget_;
  Index historyBudget_;
};

}  // namespace headscope
