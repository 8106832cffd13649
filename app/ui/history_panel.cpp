// History panel: every state that undo or redo can reach, and the pinned cells.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "app/ui/cells/cell_focus.h"
#include "app/ui/compat.h"
#include "app/ui/flow_page.h"
#include "app/ui/frame_commands.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/editing/history.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

/// A clickable line of a list, with a clickable word at its right end.
struct ListLine {
  Rect at;        // the whole line
  float textEnd;  // where the word begins
  bool clicked;
  bool wordClicked;
};

struct ListLineWord {
  const char* text = nullptr;  // null: none
  const char* about = "";      // its tooltip
  ImU32 lit = 0;               // its colour under the mouse
};

ListLine listLine(const FrameContext& look, float height, bool chosen, const std::string& about,
                  const ListLineWord& word) {
  const Theme& t = look.theme;
  ImFont* small = look.fonts.small;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float button =
      word.text == nullptr ? 0.0F : textSize(small, word.text).x + look.space.large;
  ListLine line{Rect::at(ImGui::GetCursorScreenPos(), {ImGui::GetContentRegionAvail().x, height}),
                0.0F, false, false};
  line.textEnd = line.at.b.x - button;
  line.clicked = ImGui::InvisibleButton("line", {line.textEnd - line.at.a.x, height});
  if (ImGui::IsItemHovered() || chosen) {
    list->AddRectFilled(line.at.a, line.at.b, chosen ? t.accentSoft : t.field, look.space.tight);
  }
  tip(look, about);
  if (word.text == nullptr) return line;
  ImGui::SameLine(0.0F, 0.0F);
  line.wordClicked = ImGui::InvisibleButton(word.text, {button, height});
  const ImU32 ink = ImGui::IsItemHovered() ? word.lit : t.textMuted;
  drawTextCentred(list, small, {line.textEnd + button * 0.5F, line.at.centre().y}, ink, word.text);
  if (word.about[0] != '\0') tip(look, word.about);
  return line;
}

/// Draws the visible lines, each `height` high, out of `count`.
void listLines(const FrameContext& look, std::size_t count, float height,
               const std::function<void(std::size_t)>& draw) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(look.space.small, 0));
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(count), height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      ImGui::PushID(i);
      draw(static_cast<std::size_t>(i));
      ImGui::PopID();
    }
  }
  ImGui::PopStyleVar();
}

// The states.

float stateHeight(const FrameContext& look) {
  return fontSize(look.fonts.regular) + look.space.medium;
}

/// Scrolls to the current state after it changed.
void scrollToCurrent(const FrameContext& look, const History& history) {
  ImGuiStorage* seen = ImGui::GetStateStorage();
  const ImGuiID id = ImGui::GetID("current state");
  const int now = static_cast<int>(history.position()) + 1;
  if (seen->GetInt(id) == now) return;
  seen->SetInt(id, now);
  const float line = stateHeight(look);
  const float at = line * static_cast<float>(now - 1);
  const float room = ImGui::GetWindowHeight();
  if (at < ImGui::GetScrollY() || at + line > ImGui::GetScrollY() + room) {
    ImGui::SetScrollY(std::max(0.0F, at - room * 0.5F));
  }
}

void stateLine(const PanelContext& panel, std::size_t index) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const History& history = *panel.history;
  const bool current = index == history.position();
  const bool undone = index > history.position();
  const std::string& name = history.nameAt(index);
  const char* about = current  ? tr("\nThe current state")
                      : undone ? tr("\nUndone: click to redo it")
                               : tr("\nClick to return to the state after this edit");
  ListLineWord compare;
  if (!current) {
    compare = {"compare", tr("Shows the differences between this state and the current one"),
               t.accentText};
  }
  const ListLine line = listLine(look, stateHeight(look), current, name + about, compare);
  if (line.clicked) panel.commands.add(JumpTo{index});
  if (line.wordClicked) panel.commands.add(CompareWith{index});
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Rect& at = line.at;
  if (current) list->AddRectFilled(at.a, {at.a.x + look.px(3), at.b.y}, t.accent);
  ImFont* mono = look.fonts.monoSmall;
  ImFont* font = current ? look.fonts.semibold : look.fonts.regular;
  const float left = at.a.x + look.space.medium;
  const float middle = at.centre().y;
  drawText(list, mono, {left, middle - fontSize(mono) * 0.5F}, t.textMuted, std::to_string(index));
  const float x = left + textSize(mono, std::to_string(history.size())).x + look.space.small;
  drawText(list, font, {x, middle - fontSize(font) * 0.5F},
           current  ? t.accentText
           : undone ? withAlpha(t.textMuted, 0.65F)
                    : t.text,
           elided(font, name, line.textEnd - x - look.space.tight));
}

// The pins: the computed cells that have a set value, with the values they would have otherwise.

float pinHeight(const FrameContext& look) {
  return fontSize(look.fonts.regular) + fontSize(look.fonts.monoSmall) + look.space.medium;
}

/// The height of the pins, at most `most`; 0 where nothing is pinned.
float pinsHeight(const PanelContext& panel, float most) {
  const auto count = static_cast<float>(panel.document.pins.all().size());
  if (count == 0.0F) return 0.0F;
  const float head = ImGui::GetFrameHeight() + panel.look.px(10);
  return std::min(most, head + count * pinHeight(panel.look) + panel.look.space.tight);
}

void pinLine(const PanelContext& panel, const Pin& pin) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const bool there = exists(pin.cell, panel.trace.config());  // the trace may be older
  const bool chosen = panel.selection.cell && *panel.selection.cell == pin.cell;
  const ListLine line =
      listLine(look, pinHeight(look), chosen, toString(pin) + tr("\nClick to go to the cell"),
               {"remove", "", t.bad});
  if (line.clicked && there) {
    lookAt(panel.view, panel.trace.config(), pin.cell);
    panel.selection.scope = StepViewScope::thisHead;
  }
  if (line.wordClicked) panel.commands.push(RemovePin{pin.cell});
  std::string name = there ? cellName(panel.trace, pin.cell) : toString(pin.cell);
  name += trFormat(" · head {}", pin.cell.head + 1);
  if (panel.document.config.batch > 1) name += trFormat(" · item {}", pin.cell.item + 1);
  std::string values = number(pin.value, 6);
  if (there) {
    values += trFormat(", computed {}", number(explainCell(panel.trace, pin.cell).computed(), 6));
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = look.fonts.regular;
  ImFont* mono = look.fonts.monoSmall;
  const ImVec2 pen(line.at.a.x + look.space.small, line.at.a.y + look.space.thin);
  const float room = line.textEnd - line.at.a.x - look.px(10);
  drawText(list, font, pen, t.text, elided(font, name, room));
  drawText(list, mono, {pen.x, pen.y + fontSize(font) + look.px(3)}, t.textMuted,
           elided(mono, values, room));
}

void pinsList(const PanelContext& panel, float height) {
  const FrameContext& look = panel.look;
  const std::vector<Pin>& pins = panel.document.pins.all();
  beginPart("pins", {0, height}, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  const Rect rest = Rect::rest();
  ImGui::GetWindowDrawList()->AddLine(rest.a, {rest.b.x, rest.a.y}, look.theme.divider);
  ImGui::SetCursorScreenPos({rest.a.x, rest.a.y + look.space.small});
  inlineLabel(look, look.fonts.semibold, look.theme.text,
              counted(std::ssize(pins), tr("{} pinned cell"), tr("{} pinned cells")));
  ImGui::SameLine(0.0F, look.px(10));
  if (pill(look, tr("remove all"))) panel.commands.push(RemoveAllPins{});
  tip(look, tr("Removes all pins, so that the cells are computed again; undo restores the pins"));
  beginPart("pinned", {0, 0});
  listLines(look, pins.size(), pinHeight(look), [&](std::size_t i) { pinLine(panel, pins[i]); });
  ImGui::EndChild();
  ImGui::EndChild();
}

std::string megabytes(Index bytes, int decimals) {
  return fmt::format("{:.{}f}", static_cast<double>(bytes) / static_cast<double>(Index{1} << 20),
                     decimals);
}

}  // namespace

void historyPanel(const PanelContext& panel) {
  const FrameContext& look = panel.look;
  const History& history = *panel.history;
  const std::size_t count = history.size() - 1;
  const std::string held = trFormat(
      "{} · {} of {} MB held", counted(static_cast<Index>(count), tr("{} edit"), tr("{} edits")),
      megabytes(history.bytesHeld(), 1), megabytes(history.budget(), 0));
  const ImVec2 room = ImGui::GetContentRegionAvail();
  label(look.fonts.small, look.theme.textMuted, elided(look.fonts.small, held, room.x));
  tip(look, tr("Earlier states are stored as differences. When they need more memory than this, "
               "the oldest "
               "are dropped."));
  const float left = ImGui::GetContentRegionAvail().y;
  const float pins = pinsHeight(panel, left * 0.45F);
  beginPart("states", {0, left - pins - (pins > 0.0F ? ImGui::GetStyle().ItemSpacing.y : 0.0F)});
  scrollToCurrent(look, history);
  listLines(look, history.size(), stateHeight(look), [&](std::size_t i) { stateLine(panel, i); });
  ImGui::EndChild();
  if (pins > 0.0F) pinsList(panel, pins);
}

}  // namespace headscope::ui
