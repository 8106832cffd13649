// Token row: the input's tokens as chips, which are edited in place, dragged, or replaced by an
// example or a file. With cross-attention, or while the first memory text is typed, a second row
// shows the memory.
#pragma once

#include <string>

#include "app/ui/session_controls.h"
#include "core/base/index.h"

namespace headscope::ui {

struct PanelContext;

class TokenRow {
 public:
  /// Draws the rows with the session's menu at their end.
  void draw(const PanelContext& panel, const SessionMenu& session);
  /// The height of the rows.
  float height(const PanelContext& panel) const;
  /// Opens the sentence for editing and selects all of it.
  void edit(const PanelContext& panel);
  bool editing() const { return memory_.input.editing; }
  /// Draws the field of an open sentence at the cursor, where the rows are not shown.
  /// It is `width` wide, or as wide as its text up to `most`, centred on the cursor.
  void field(const PanelContext& panel, float width, float most);
  /// Replaces the open sentence and ends the edit.
  void replace(const PanelContext& panel, const std::string& text);

  struct Row {
    bool editing = false;
    bool focus = false;   // take the keyboard in this frame
    Index item = 0;       // batch item whose text is edited
    std::string text;     // as typed
    std::string problem;  // why the text cannot be used
    Index dragged = -1;
  };
  struct Memory {
    Row input, memory;
  };

 private:
  Memory memory_;
};

}  // namespace headscope::ui
