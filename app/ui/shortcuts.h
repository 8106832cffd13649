// Shortcuts: every key and gesture the program knows, by theme, as the help lists them.
#pragma once

#include <string>
#include <vector>

namespace headscope::ui {

struct Shortcut {
  std::string keys;  // "ctrl+z", "←  →"
  std::string does;
};

struct ShortcutGroup {
  std::string title;
  std::vector<Shortcut> shortcuts;
};

std::vector<ShortcutGroup> shortcutGroups();

}  // namespace headscope::ui
