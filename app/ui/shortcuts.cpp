#include "app/ui/shortcuts.h"

#include "app/ui/tools/tool_card.h"

namespace headscope::ui {
namespace {

/// The tools' letters are the tabs' own.
ShortcutGroup tools() {
  ShortcutGroup group{"Tools", {}};
  for (const ToolTab& tab : toolTabs()) {
    group.shortcuts.push_back({std::string(1, tab.key), tab.title});
  }
  return group;
}

}  // namespace

std::vector<ShortcutGroup> shortcutGroups() {
  return {
      {"Steps",
       {{"←  →", "one step back, one step on"},
        {"home  end", "the first step, the last"},
        {"space", "plays the steps, halts"}}},
      {"Cells",
       {{"click", "chooses a cell: its arithmetic stays"},
        {"point", "shows a cell's value and what it is made of"},
        {"esc", "lets go of the chosen cell"}}},
      tools(),
      {"Text and fields",
       {{"ctrl+e", "edits the text; enter takes it"},
        {"drag a token", "puts it in another place"},
        {"↑  ↓", "in a number field: the next valid value"},
        {"drop a file", ".csv is a series; .safetensors holds weights, x, or both"}}},
      {"Edits", {{"ctrl+z", "undo"}, {"ctrl+shift+z  ctrl+y", "redo"}}},
      {"Files",
       {{"ctrl+s", "saves every tensor of the pass"},
        {"ctrl+shift+e", "export: a tensor, a picture, a PyTorch script"}}},
      {"Screen",
       {{"f11", "presents the panel under the mouse, in large type; again: back"},
        {"tab  f6", "while presenting: the next panel"},
        {"esc", "while presenting: back"},
        {"ctrl +  ctrl −", "larger, smaller interface"},
        {"click a block", "in the dimension flow: opens its step"},
        {"click a head", "shows it in all panels"},
        {"?  f1", "this list"}}},
  };
}

}  // namespace headscope::ui
