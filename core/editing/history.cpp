#include "core/editing/history.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace headscope {

History::History(DocumentPtr start, Index memoryBudgetBytes, Index historyBudgetBytes)
    : current_(std::move(start)),
      memoryBudget_(memoryBudgetBytes),
      historyBudget_(historyBudgetBytes) {}

std::string History::apply(const Edit& edit, const std::string& gesture) {
  EditResult applied = headscope::apply(*current_, edit, memoryBudget_);
  const bool continues = !gesture.empty() && gesture == gesture_ && canUndo();
  DocumentPtr before = continues ? beforeGesture_ : current_;
  Entry entry{nameOf(edit, *before), DocumentDelta(*applied.document, before), mark()};
  gesture_ = gesture;
  beforeGesture_ = gesture.empty() ? nullptr : std::move(before);
  if (continues) {
    entries_.back() = std::move(entry);
  } else {
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(position_), entries_.end());
    entries_.push_back(std::move(entry));
    ++position_;
  }
  current_ = std::move(applied.document);
  trim();
  return std::move(applied.note);
}

void History::setMark(int mark) {
  (position_ == 0 ? startMark_ : entries_[position_ - 1].mark) = mark;
}

bool History::hasMark(int mark) const {
  return startMark_ == mark || std::any_of(entries_.begin(), entries_.end(),
                                           [mark](const Entry& e) { return e.mark == mark; });
}

void History::endGesture() {
  gesture_.clear();
  beforeGesture_.reset();
}

void History::undo() {
  if (canUndo()) jumpTo(position_ - 1);
}

void History::redo() {
  if (canRedo()) jumpTo(position_ + 1);
}

std::string History::undoName() const { return canUndo() ? nameAt(position_) : ""; }

std::string History::redoName() const { return canRedo() ? nameAt(position_ + 1) : ""; }

const std::string& History::nameAt(std::size_t index) const {
  assert(index < size());
  return index == 0 ? startName_ : entries_[index - 1].name;
}

/// Works on copies of the entries, so that nothing changes where memory runs out.
History::Journey History::travelTo(std::size_t index) const {
  assert(index < size());
  const auto [first, last] = std::minmax(index, position_);
  Journey journey;
  journey.turned.assign(entries_.begin() + static_cast<std::ptrdiff_t>(first),
                        entries_.begin() + static_cast<std::ptrdiff_t>(last));
  DocumentWalk walk(current_);
  if (index < position_) {
    std::for_each(journey.turned.rbegin(), journey.turned.rend(),
                  [&](Entry& entry) { walk.cross(entry.way); });
  } else {
    for (Entry& entry : journey.turned) walk.cross(entry.way);
  }
  journey.arrival = walk.document();
  return journey;
}

void History::jumpTo(std::size_t index) {
  endGesture();
  if (index == position_) return;
  Journey journey = travelTo(index);
  std::move(journey.turned.begin(), journey.turned.end(),
            entries_.begin() + static_cast<std::ptrdiff_t>(std::min(index, position_)));
  current_ = std::move(journey.arrival);
  position_ = index;
}

DocumentPtr History::at(std::size_t index) const {
  return index == position_ ? current_ : travelTo(index).arrival;
}

Index History::bytesOf(const Entry& entry) {
  return static_cast<Index>(sizeof(Entry) - sizeof(DocumentDelta) + entry.name.capacity()) +
         entry.way.bytes();
}

Index History::bytesHeld() const {
  Index bytes = 0;
  for (const Entry& entry : entries_) bytes += bytesOf(entry);
  return bytes;
}

void History::trim() {
  for (Index held = bytesHeld(); held > historyBudget_ && canUndo(); --position_) {
    held -= bytesOf(entries_.front());
    startName_ = std::move(entries_.front().name);
    startMark_ = entries_.front().mark;
    entries_.pop_front();
  }
}

}  // namespace headscope
