// Shortcuts: every key and gesture the program knows, by theme, as the help lists them.
#pragma once

#include <string>
#include <vector>

#include "app/ui/card.h"

namespace headscope::ui {

struct ShortcutGroup {
  std::string title;
  std::vector<Shortcut> shortcuts;
};

/// With the keys that open these tools, and those of their own.
std::vector<ShortcutGroup> shortcutGroups(const Cards& tools);

}  // namespace headscope::ui
