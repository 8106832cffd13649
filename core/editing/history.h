// History: the current document with undo and redo, within a memory budget.
//
// The current document is whole; from each state to the next there is one delta (document_delta.h),
// pointing away from the current state. An edit of one cell costs that cell, not its matrix.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "core/document/fwd.h"
#include "core/editing/document_delta.h"
#include "core/editing/edit.h"

namespace headscope {

class History {
 public:
  History(DocumentPtr start, Index memoryBudgetBytes, Index historyBudgetBytes = Index{256} << 20);

  const DocumentPtr& current() const { return current_; }

  /// Applies an edit and drops all undone ones. Consecutive edits with an equal, non-empty
  /// `gesture` (dragging, typing) make one entry. Returns apply's note. Throws as `apply` does and
  /// then changes nothing.
  std::string apply(const Edit& edit, const std::string& gesture = "");

  /// Attaches a caller-defined tag to the current state (for example which file is open). States
  /// that later edits lead to inherit it; undo brings back the tag of the earlier state.
  void setMark(int mark);
  int mark() const { return position_ == 0 ? startMark_ : entries_[position_ - 1].mark; }
  /// Returns whether any state has the tag.
  bool hasMark(int mark) const;

  /// Ends the current gesture: the next edit is an entry of its own.
  void endGesture();
  /// Returns whether an edit of the same gesture would still be added to the newest entry.
  bool gestureContinues() const { return !gesture_.empty(); }

  bool canUndo() const { return position_ > 0; }
  bool canRedo() const { return position_ < entries_.size(); }
  void undo();
  void redo();
  std::string undoName() const;  // the edit that undo would revert
  std::string redoName() const;

  /// The states as a list: 0 is the oldest kept, `position()` the current one.
  std::size_t size() const { return entries_.size() + 1; }
  std::size_t position() const { return position_; }
  /// The name of the edit that led to a state; "start" for the first state.
  const std::string& nameAt(std::size_t index) const;
  /// Makes a state the current one. Tensors that both share stay the same objects.
  void jumpTo(std::size_t index);
  /// A state's document. It is rebuilt unless it is the current one, so callers keep it and do not
  /// ask in every frame.
  DocumentPtr at(std::size_t index) const;

  /// Bytes that all states but the current one take. An edit that exceeds the budget drops the
  /// oldest.
  Index bytesHeld() const;
  Index budget() const { return historyBudget_; }

 private:
  struct Entry {  // from state i to state i + 1
    std::string name;
    DocumentDelta way;  // to i where i is before the current state, else to i + 1
    int mark = 0;       // of state i + 1
  };
  struct Journey {
    DocumentPtr arrival;
    std::deque<Entry> turned;  // the entries crossed, oldest first, leading back
  };
  Journey travelTo(std::size_t index) const;
  static Index bytesOf(const Entry& entry);
  void trim();

  DocumentPtr current_;
  std::deque<Entry> entries_;
  std::size_t position_ = 0;
  std::string startName_ = "start";
  int startMark_ = 0;
  std::string gesture_;        // of the newest edit while it may go on
  DocumentPtr beforeGesture_;  // whole, since every part of the gesture is compared with it
  Index memoryBudget_;
  Index historyBudget_;
};

}  // namespace headscope
