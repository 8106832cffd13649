// Train history: undo and redo of what the page Train asks for, which is the task and the model
// that is trained on it. The steps of a run are no edits: one goes back along its curves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/train/train_view.h"

namespace headscope {

class TrainHistory {
 public:
  /// Notes a change of the view. Call it once a frame while the page is shown; `held`: a control is
  /// still being dragged or typed into.
  void follow(const ui::TrainView& view, bool held);
  /// Forgets all changes, since the view comes from elsewhere: a session, a link, a lesson.
  void reset();

  bool canUndo() const { return !undo_.empty(); }
  bool canRedo() const { return !redo_.empty(); }
  /// Names what undo and redo would change: "the task"; empty: nothing.
  std::string undoName() const;
  std::string redoName() const;
  void undo(ui::TrainView& view) { move(view, undo_, redo_); }
  void redo(ui::TrainView& view) { move(view, redo_, undo_); }

 private:
  void move(ui::TrainView& view, std::vector<ui::TrainView>& from, std::vector<ui::TrainView>& to);

  std::optional<ui::TrainView> now_;  // as it was noted last
  std::vector<ui::TrainView> undo_, redo_;
};

}  // namespace headscope
