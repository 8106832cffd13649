// Token row: the input's tokens as chips, edited in place, dragged to other places, or exchanged
// for an example or a file. With cross-attention, or while a first memory text is typed, a second
// row shows the memory.
#pragma once

#include <string>

#include "app/ui/panel.h"
#include "app/ui/session_controls.h"

namespace headscope::ui {

class TokenRow {
 public:
  /// Draws the rows, the session's menu at their end; gives a file's path where one was asked for,
  /// else "".
  std::string draw(const PanelContext& panel, SessionMenu& session);
  /// What the rows take.
  float height(const PanelContext& panel) const;
  /// Opens the sentence for editing, all of it selected.
  void edit(const PanelContext& panel);

  struct Row {
    bool editing = false;
    bool focus = false;   // take the keyboard in this frame
    Index item = 0;       // whose text is edited
    std::string text;     // as typed
    std::string problem;  // why it cannot be used
    Index dragged = -1;
  };
  struct Memory {
    Row input, memory;
    std::string path;  // typed into "open file"
  };

 private:
  Memory memory_;
};

}  // namespace headscope::ui
