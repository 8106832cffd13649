// Help: every key and gesture that the program knows, by theme, and on its second page every term,
// over the whole window.
#pragma once

#include <string>
#include <vector>

#include "app/ui/card.h"

namespace headscope::ui {

struct HelpMemory {
  bool open = false;
  bool appearing = false;
  int page = 0;  // keys, terms
};

void openHelp(HelpMemory& memory);

/// While it is open. `?`, escape, or a click beside it close it.
void helpOverlay(const Look& look, HelpMemory& memory, const Cards& tools);

struct ShortcutGroup {
  std::string title;
  std::vector<Shortcut> shortcuts;
};

/// With the keys that open these tools, and those of their own.
std::vector<ShortcutGroup> shortcutGroups(const Cards& tools);

}  // namespace headscope::ui
