// Help: every key and gesture that the program knows, by theme, and on its second page every term,
// over the whole window.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/ui/card.h"

namespace headscope::ui {

class Help {
 public:
  void open() {
    open_ = appearing_ = true;
    page_ = 0;
  }
  /// While it is open. `?`, escape, or a click beside it close it.
  void draw(const FrameContext& look, const Cards& tools);
  /// Where to begin was asked for, once.
  bool takeStartAsked() { return std::exchange(startAsked_, false); }

 private:
  void pages(const FrameContext& look, const Cards& tools);

  bool open_ = false;
  bool appearing_ = false;
  bool startAsked_ = false;
  int page_ = 0;  // what this is, keys, terms
};

struct ShortcutGroup {
  std::string title;
  std::vector<Shortcut> shortcuts;
};

/// With the keys that open these tools, and those of their own.
std::vector<ShortcutGroup> shortcutGroups(const Cards& tools);

}  // namespace headscope::ui
