#include "app/ui/token_row.h"

#include <fmt/format.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "app/ui/parts/axis_labels.h"
#include "app/ui/compat.h"
#include "app/ui/widgets.h"
#include "core/presets.h"

namespace headscope::ui {
namespace {

float rowHeight(const Look& look) { return look.px(48); }

/// One row: the tokens of the input, or of the memory.
class Tokens {
 public:
  Tokens(const Panel& panel, TokenRowMemory::Row& row, bool memory)
      : panel_(panel), look_(panel.look), row_(row), memory_(memory) {}

  const std::vector<std::string>& tokens() const {
    const Input& input = *panel_.document.input;
    const auto& all = memory_ ? input.memoryTokens : input.tokens;
    const auto item =
        static_cast<std::size_t>(panel_.view.item) % std::max<std::size_t>(1, all.size());
    static const std::vector<std::string> kNone;
    return all.empty() ? kNone : all[item];
  }

  /// Opens the sentence behind the chips, as it was given. A first memory text is every item's.
  void startEditing() {
    static const std::vector<std::string> kNone;
    const auto* text = std::get_if<TextSource>(panel_.document.source.get());
    const auto& all = text == nullptr ? kNone : memory_ ? text->memoryTexts : text->texts;
    const auto item = static_cast<std::size_t>(panel_.view.item);
    row_.editing = true;
    row_.focus = true;
    row_.item = memory_ && all.empty() ? 0 : panel_.view.item;
    row_.text = all.empty() ? std::string() : all[item % all.size()];
    row_.problem.clear();
  }

  /// The sentence as an input field; every change that can be used goes to the document at once.
  void field(float width) {
    const Theme& t = look_.theme;
    if (row_.focus) focusNextItem();
    ImGui::SetNextItemWidth(width);
    ImGui::PushStyleColor(ImGuiCol_FrameBg, row_.problem.empty() ? t.field : t.badSoft);
    const bool entered = ImGui::InputTextWithHint(
        memory_ ? "##memory text" : "##text",
        memory_ && !cross() ? "type the text that gives keys and values; empty: self-attention"
                            : "",
        &row_.text,
        ImGuiInputTextFlags_EnterReturnsTrue |
            (row_.focus ? ImGuiInputTextFlags_AutoSelectAll : 0));
    ImGui::PopStyleColor();
    const bool edited = ImGui::IsItemEdited();
    const bool active = ImGui::IsItemActive();
    if (edited) use();
    if (!row_.problem.empty()) {
      ImGui::SetTooltip("%s", row_.problem.c_str());
    }
    if (entered || keyPressed(Key::escape) || (!active && !row_.focus && !ImGui::IsItemFocused())) {
      row_.editing = false;
    }
    row_.focus = row_.focus && !active;
  }

  void chips(float right) {
    const auto& all = tokens();
    beginPart(memory_ ? "memory chips" : "chips",
              {right - ImGui::GetCursorPosX(), rowHeight(look_)},
              ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoBackground);
    if (ImGui::IsWindowHovered() && ImGui::GetIO().MouseWheel != 0.0F) {
      ImGui::SetScrollX(ImGui::GetScrollX() - ImGui::GetIO().MouseWheel * look_.px(120));
    }
    const float height = ImGui::GetFrameHeight();
    const float y = std::round((rowHeight(look_) - height) * 0.5F);
    const float gap = look_.px(7);
    const float pad = look_.px(14);
    const float first = ImGui::GetScrollX();
    const float last = first + ImGui::GetWindowWidth();
    float x = 0.0F;
    for (Index i = 0; i < static_cast<Index>(all.size()); ++i) {
      const std::string_view token = shownToken(all[static_cast<std::size_t>(i)]);
      const float width = textSize(look_.fonts.regular, token).x + 2 * pad;
      if (x + width >= first && x <= last) chip(i, token, {x, y}, {width, height});
      x += width + gap;
    }
    ImGui::SetCursorPos({std::max(0.0F, x - gap), y});
    ImGui::Dummy({1, height});
    dragging(x);
    ImGui::EndChild();
  }

 private:
  void use() {
    row_.problem.clear();
    try {
      if (memory_ && row_.text.empty() && !cross()) return;
      if (memory_ && row_.text.empty()) {  // would drop weights made for the memory's width
        row_.problem = "memory text is empty: type a word, or press remove for self-attention";
        return;
      }
      tokenize(row_.text, memory_ ? "memory text" : "text");
      panel_.edits.push(SetText{row_.item, memory_, row_.text}, memory_ ? "memory" : "text");
    } catch (const UserError& error) {
      row_.problem = error.what();
    }
  }

  bool cross() const { return panel_.document.config.crossAttention(); }

  bool lit(Index i) const {
    const auto& hovered = panel_.view.hovered;
    const Lane lane = memory_ ? Lane::key : Lane::query;
    if (hovered) {
      if (hovered->rowLane == lane && hovered->row == i) return true;
      if (hovered->colLane == lane && hovered->col == i) return true;
      return false;
    }
    const auto& selected = panel_.view.selected;
    return selected && !memory_ && info(selected->tensor).rows == Axis::query && selected->row == i;
  }

  void chip(Index i, std::string_view token, ImVec2 at, ImVec2 size) {
    const Theme& t = look_.theme;
    ImGui::SetCursorPos(at);
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::InvisibleButton("token", size)) chooseRow(i);
    const bool hovered = ImGui::IsItemHovered();
    const ImVec2 a = ImGui::GetItemRectMin();
    const ImVec2 b = ImGui::GetItemRectMax();
    if (ImGui::IsItemActive() && ImGui::IsMouseDragging(0)) row_.dragged = i;
    if (row_.dragged < 0) {
      tip(look_,
          fmt::format("{} {} · drag it to another place", memory_ ? "memory token" : "token", i));
    }
    ImGui::PopID();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool on = lit(i) || row_.dragged == i;
    list->AddRectFilled(a, b, on ? t.accentSoft : hovered ? t.fieldHover : t.panel, size.y * 0.5F);
    list->AddRect(a, b, on ? t.query : t.panelBorder, size.y * 0.5F, 0, look_.px(1));
    drawTextCentred(list, look_.fonts.regular, {(a.x + b.x) * 0.5F, (a.y + b.y) * 0.5F},
                    on ? t.queryText : t.text, token);
  }

  /// A click on a token chooses its row of the step's result.
  void chooseRow(Index i) {
    if (memory_ || row_.dragged >= 0) return;
    CellRef cell{TensorId::weights, panel_.view.item, panel_.view.head, i, 0};
    if (panel_.view.selected && panel_.view.selected->tensor == TensorId::weights) {
      cell.col = panel_.view.selected->col;
    }
    if (i < panel_.trace.config().seqLen) panel_.view.selected = cell;
  }

  /// Shows where a dragged token would go and, on release, asks for it.
  void dragging(float end) {
    if (row_.dragged < 0) return;
    const auto& all = tokens();
    const ImVec2 origin = ImGui::GetWindowPos();
    const float mouse = ImGui::GetIO().MousePos.x - origin.x + ImGui::GetScrollX();
    const float gap = look_.px(7);
    float x = 0.0F;
    Index to = 0;
    float mark = 0.0F;
    for (Index i = 0; i < static_cast<Index>(all.size()) && x < end; ++i) {
      const float width =
          textSize(look_.fonts.regular, shownToken(all[static_cast<std::size_t>(i)])).x +
          look_.px(28);
      if (mouse > x + width * 0.5F) {
        to = i + 1;
        mark = x + width + gap * 0.5F;
      }
      x += width + gap;
    }
    if (to > row_.dragged) --to;
    const float y = origin.y + look_.px(6);
    const float at = origin.x - ImGui::GetScrollX() + std::max(mark, 1.0F);
    ImGui::GetWindowDrawList()->AddLine({at, y}, {at, y + rowHeight(look_) - look_.px(12)},
                                        look_.theme.accent, look_.px(3));
    if (ImGui::IsMouseDown(0)) return;
    if (to != row_.dragged) {
      panel_.edits.push(MoveToken{panel_.view.item, memory_, row_.dragged, to});
    }
    row_.dragged = -1;
  }

  const Panel& panel_;
  const Look& look_;
  TokenRowMemory::Row& row_;
  bool memory_;
};

float buttonsWidth(const Look& look, std::initializer_list<const char*> texts) {
  float width = 0.0F;
  for (const char* text : texts) {
    width +=
        textSize(look.fonts.regular, text).x + ImGui::GetStyle().FramePadding.x * 2 + look.px(8);
  }
  return width;
}

/// Which item of a batch is looked at.
void itemChoice(const Panel& panel) {
  const Index batch = panel.document.config.batch;
  if (batch < 2) return;
  ViewState& view = panel.view;
  if (pill(panel.look, "◀##item", false, view.item > 0)) --view.item;
  ImGui::SameLine(0.0F, panel.look.px(6));
  inlineLabel(panel.look, panel.look.fonts.small, panel.look.theme.textMuted,
              fmt::format("item {} of {}", view.item + 1, batch));
  const Index shown = std::min(batch, panel.trace.config().batch);  // the trace may be older
  if (pill(panel.look, "▶##item", false, view.item + 1 < shown)) ++view.item;
  ImGui::SameLine(0.0F, panel.look.px(12));
}

void examplesPopup(const Panel& panel) {
  if (!beginPopup("examples")) return;
  for (const Example& example : examples()) {
    if (ImGui::Selectable(example.title.c_str())) {
      panel.edits.push(SetInput{std::make_shared<const InputSource>(example.source)});
      panel.view.item = 0;
    }
    tip(panel.look, example.about);
  }
  ImGui::EndPopup();
}

std::string openFilePopup(const Panel& panel, TokenRowMemory& memory) {
  std::string path;
  if (!beginPopup("open file")) return path;
  label(panel.look.fonts.small, panel.look.theme.textMuted,
        "A .csv (a series: a header of names, one row a time step) or a .safetensors (x, memory, "
        "or the weights of an nn.MultiheadAttention), or a session (.headscope.json).\nDropping a "
        "file on the window does the same.");
  if (ImGui::IsWindowAppearing()) focusNextItem();
  ImGui::SetNextItemWidth(panel.look.px(420));
  const bool entered =
      ImGui::InputText("##path", &memory.path, ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine();
  if (pill(panel.look, "Open") || entered) {
    path = memory.path;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
  return path;
}

bool isText(const Panel& panel) {
  return std::holds_alternative<TextSource>(*panel.document.source);
}

bool hasMemoryRow(const Panel& panel, const TokenRowMemory& memory) {
  return panel.document.config.crossAttention() || (memory.memory.editing && isText(panel));
}

}  // namespace

float tokenRowHeight(const Panel& panel, const TokenRowMemory& memory) {
  return rowHeight(panel.look) * (hasMemoryRow(panel, memory) ? 2.0F : 1.0F);
}

void editText(const Panel& panel, TokenRowMemory& memory) {
  Tokens(panel, memory.input, false).startEditing();
}

std::string tokenRow(const Panel& panel, TokenRowMemory& memory, SessionMenu& session) {
  const Look& look = panel.look;
  const float left = look.px(20);
  const float inset = std::round((rowHeight(look) - ImGui::GetFrameHeight()) * 0.5F);
  const bool cross = panel.document.config.crossAttention();
  const bool memoryRow = hasMemoryRow(panel, memory);
  panel.view.item = std::clamp<Index>(panel.view.item, 0, panel.document.config.batch - 1);

  // as the frame begins: a click on "done" takes the keyboard from the field, which ends it as well
  const bool editing = memory.input.editing;
  const bool editingMemory = memory.memory.editing;
  const char* edit = editing ? "done" : "edit text";
  const char* add = "add memory";
  float buttons = buttonsWidth(look, {edit, "examples ▾", "open file"}) +
                  sessionMenuWidth(look, session) + look.px(20);
  const float addWidth = buttonsWidth(look, {add});
  const bool roomToAdd = ImGui::GetWindowWidth() - buttons - addWidth > look.px(300);
  const bool offersMemory = !memoryRow && isText(panel) && roomToAdd;
  if (offersMemory) buttons += addWidth;
  const float right = ImGui::GetWindowWidth() - buttons - look.px(8);
  const float labelRoom = memoryRow ? look.px(66) : look.px(46);

  Tokens input(panel, memory.input, false);
  Tokens keys(panel, memory.memory, true);
  ImGui::SetCursorPos({left, inset});
  inlineLabel(look, look.fonts.small, look.theme.textMuted, memoryRow ? "queries" : "input");
  ImGui::SameLine(left + labelRoom);
  itemChoice(panel);
  if (editing) {
    input.field(right - ImGui::GetCursorPosX());
  } else {
    ImGui::SetCursorPosY(0);
    input.chips(right);
  }
  ImGui::SetCursorPos({right + look.px(8), inset});
  if (pill(look, edit)) {
    if (editing) {
      memory.input.editing = false;
    } else {
      input.startEditing();
    }
  }
  tip(look, "Type another sentence (ctrl+e); everything follows as you type");
  if (offersMemory) {
    ImGui::SameLine(0.0F, look.px(8));
    if (pill(look, add)) keys.startEditing();
    tip(look,
        "Cross-attention: type a second text, the memory. Keys and values then come from it, "
        "queries from the input.");
  }
  ImGui::SameLine(0.0F, look.px(8));
  if (pill(look, "examples ▾")) ImGui::OpenPopup("examples");
  examplesPopup(panel);
  ImGui::SameLine(0.0F, look.px(8));
  if (pill(look, "open file")) ImGui::OpenPopup("open file");
  std::string path = openFilePopup(panel, memory);
  ImGui::SameLine(0.0F, look.px(8));
  sessionMenu(look, session);

  if (memoryRow) {
    const float top = rowHeight(look);
    ImGui::SetCursorPos({left, top + inset});
    inlineLabel(look, look.fonts.small, look.theme.textMuted, "memory");
    ImGui::SameLine(left + labelRoom);
    if (editingMemory) {
      keys.field(right - ImGui::GetCursorPosX());
    } else {
      ImGui::SetCursorPosY(top);
      keys.chips(right);
    }
    if (isText(panel)) {
      ImGui::SetCursorPos({right + look.px(8), top + inset});
      ImGui::PushID("memory");
      if (pill(look, editingMemory ? "done" : "edit memory")) {
        if (editingMemory) {
          memory.memory.editing = false;
        } else {
          keys.startEditing();
        }
      }
      if (cross) {
        ImGui::SameLine(0.0F, look.px(8));
        if (pill(look, "remove")) panel.edits.push(SetText{panel.view.item, true, ""});
        tip(look, "Back to self-attention: keys and values from the input itself");
      }
      ImGui::PopID();
    }
  }
  return path;
}

}  // namespace headscope::ui
