#include "app/ui/shortcuts.h"

#include <algorithm>
#include <utility>

namespace headscope::ui {
namespace {

constexpr const char* kToolsGroup = "Tools";

/// The letters that open the tools.
ShortcutGroup toolKeys(const Cards& tools) {
  ShortcutGroup group{kToolsGroup, {}};
  for (const auto& tool : tools.all()) {
    group.shortcuts.push_back({std::string(1, tool->text().key), tool->text().title});
  }
  return group;
}

}  // namespace

std::vector<ShortcutGroup> shortcutGroups(const Cards& tools) {
  std::vector<ShortcutGroup> groups{
      {"Steps",
       {{"←  →", "one step back, one step on"},
        {"home  end", "the first step, the last"},
        {"page up, page down", "the same as ← → while a cell is chosen"}}},
      {"Playing",
       {{"space", "plays from the step shown, halts, goes on"},
        {"←  →", "one moment back, one moment on"},
        {"shift+←  →", "one step back, one step on"},
        {"drag the bar", "goes to any moment"},
        {"esc", "leaves the timeline"}}},
      {"Choosing a cell",
       {{"point", "shows its value and what it is made of"},
        {"click", "chooses it: its arithmetic stays"},
        {"↓", "chooses the first, where none is"},
        {"← ↑ ↓ →", "to the next cell; with shift by 8"},
        {"home  end", "along its row"},
        {"tab", "the next matrix; with shift the one before"},
        {"backspace", "one cell back on the trail"},
        {"esc", "lets go of it"}}},
      {"Changing a cell",
       {{"enter", "types a value: edits an operand, pins a result"},
        {"drag, wheel", "changes its value"},
        {"right click", "commands on its row, column, head, matrix"},
        {"shift+enter", "the same commands"},
        {"ctrl+c  ctrl+v", "copies, pastes cells as tab-separated numbers"},
        {"delete", "removes its pin"},
        {"ctrl+z", "undo"},
        {"ctrl+shift+z  ctrl+y", "redo"}}},
      toolKeys(tools),
      {"What is shown",
       {{"v", "the page: flow, heads"},
        {"h", "the next head; with shift the one before"},
        {"x  shift+x", "the head off, on; all but it off, all on"},
        {"g", "all heads, this head"},
        {"q", "Q, K or V, where a step has all three"},
        {"n", "the next sentence of the batch"},
        {"i", "inspector, history, scenes"}}},
      {"All heads",
       {{"click  enter", "opens a head; the space bar chooses it"},
        {"ctrl+click  ctrl+space", "holds it beside others"},
        {"wheel", "fewer or more tokens, about the mouse"},
        {"drag", "pans"}}},
      {"Buttons and fields without the mouse",
       {{"f2", "puts the keyboard on the open tool; again: the next card, with shift the last"},
        {"← ↑ ↓ →", "to the next button or field"},
        {"space", "presses it"},
        {"enter", "types into a field"},
        {"esc", "gives the arrows back"}}},
      {"Text and fields",
       {{"ctrl+e", "edits the text; enter takes it"},
        {"drag a token", "puts it in another place"},
        {"↑  ↓", "in a number field: the next valid value"}}},
      {"Scenes", {{"1 … 9", "recalls a scene"}, {"ctrl+1 … 9", "sets one"}}},
      {"Files",
       {{"ctrl+s", "saves the session"},
        {"ctrl+shift+s", "saves it under another name"},
        {"ctrl+o", "opens one"},
        {"ctrl+shift+e", "export: a tensor, a picture, a PyTorch script"},
        {"ctrl+shift+t", "saves every tensor of the pass"},
        {"drop a file", "a session, a series (.csv), or tensors (.safetensors)"}}},
      {"Screen",
       {{"f11", "presents the panel with the keyboard (f2), else under the mouse, in large type"},
        {"tab  f6", "while presenting: the next panel (f6 while a cell is chosen)"},
        {"esc  f11", "while presenting: back"},
        {"ctrl +  ctrl −", "larger, smaller interface"},
        {"click a block", "in the dimension flow: opens its step"},
        {"click a head", "shows it in all panels"},
        {"?  f1", "this list"}}},
  };
  const auto after = std::find_if(groups.begin(), groups.end(), [](const ShortcutGroup& group) {
    return group.title == kToolsGroup;
  });
  std::vector<ShortcutGroup> own;
  for (const auto& tool : tools.all()) {
    auto keys = tool->shortcuts();
    if (!keys.empty()) own.push_back({tool->text().title, std::move(keys)});
  }
  groups.insert(after + 1, own.begin(), own.end());
  return groups;
}

}  // namespace headscope::ui
