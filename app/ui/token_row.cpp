#include "app/ui/token_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/compat.h"
#include "app/ui/examples_popup.h"
#include "app/ui/frame_commands.h"
#include "app/ui/frame_state.h"
#include "app/ui/menu.h"
#include "app/ui/panel.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/channel_curves.h"
#include "app/ui/parts/patch_picture.h"
#include "app/ui/selection.h"
#include "app/ui/text_field.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/formats/shipped_model.h"
#include "core/presets/presets.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

float rowHeight(const FrameContext& look) { return look.px(48); }

/// One row: the tokens of the input, or of the memory.
class Tokens {
 public:
  Tokens(const PanelContext& panel, TokenRow::Row& row, bool memory)
      : panel_(panel), look_(panel.look), row_(row), memory_(memory) {}

  const std::vector<std::string>& tokens() const {
    const Input& input = *panel_.document.input;
    const auto& all = memory_ ? input.memoryTokens : input.tokens;
    const auto item =
        static_cast<std::size_t>(panel_.selection.item) % std::max<std::size_t>(1, all.size());
    static const std::vector<std::string> kNone;
    return all.empty() ? kNone : all[item];
  }

  /// Opens the sentence behind the chips as it was given. A first memory text applies to every
  /// item.
  void startEditing() {
    static const std::vector<std::string> kNone;
    const auto* text = std::get_if<TextSource>(panel_.document.source.get());
    const auto& all = text == nullptr ? kNone : memory_ ? text->memoryTexts : text->texts;
    const auto item = static_cast<std::size_t>(panel_.selection.item);
    row_.editing = true;
    row_.focus = true;
    row_.item = memory_ && all.empty() ? 0 : panel_.selection.item;
    row_.text = all.empty() ? std::string() : all[item % all.size()];
    row_.problem.clear();
  }

  /// Draws the sentence as an input field. Every valid change is applied to the document at once.
  void field(float width) {
    const Theme& t = look_.theme;
    if (row_.focus) focusNextItem();
    ImGui::SetNextItemWidth(width);
    ImGui::PushStyleColor(ImGuiCol_FrameBg, row_.problem.empty() ? t.field : t.badSoft);
    const char* hint = memory_ && !cross()
                           ? tr("type the text that gives keys and values; empty: self-attention")
                           : "";
    TextField sentence{memory_ ? "##memory text" : "##text", ImGuiInputTextFlags_EnterReturnsTrue,
                       hint};
    if (row_.focus) sentence.always = selectBackwards;
    const bool entered = textField(look_, sentence, row_.text);
    ImGui::PopStyleColor();
    const bool edited = ImGui::IsItemEdited();
    const bool active = ImGui::IsItemActive();
    if (edited) use();
    if (!row_.problem.empty()) {
      showTooltip(row_.problem);
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
    // the channels of a series are drawn over its steps
    const AxisCurves curves = inputCurves(look_, *panel_.document.input, panel_.selection.item);
    const float y = curves.empty() ? std::round((rowHeight(look_) - height) * 0.5F)
                                   : rowHeight(look_) - height - look_.space.thin;
    std::vector<float> centres;
    Index firstShown = 0;
    const ImVec2 corner = ImGui::GetWindowPos();
    const float gap = look_.px(7);
    const float pad = look_.space.large;
    const float first = ImGui::GetScrollX();
    const float last = first + ImGui::GetWindowWidth();
    float x = 0.0F;
    for (Index i = 0; i < static_cast<Index>(all.size()); ++i) {
      const std::string_view token = shownToken(all[static_cast<std::size_t>(i)]);
      const float width = textSize(look_.fonts.regular, token).x + 2 * pad;
      if (x + width >= first && x <= last) {
        chip(i, token, {x, y}, {width, height});
        if (centres.empty()) firstShown = i;
        centres.push_back(corner.x - first + x + width * 0.5F);
      }
      x += width + gap;
    }
    ImGui::SetCursorPos({std::max(0.0F, x - gap), y});
    ImGui::Dummy({1, height});
    AxisCurves shown = curves;
    shown.first = firstShown;
    if (!centres.empty()) {
      shown.drawAt(ImGui::GetWindowDrawList(),
                   {{centres.front(), corner.y + look_.space.thin},
                    {centres.back(), corner.y + y - look_.space.thin}},
                   centres);
    }
    dragging(x);
    if (x - gap > last) {
      const float edge = corner.x + ImGui::GetWindowWidth() - look_.px(kFade);
      const auto seen = std::count_if(centres.begin(), centres.end(),
                                      [edge](float centre) { return centre < edge; });
      drawFurtherCount(std::ssize(all) - firstShown - seen);
    }
    ImGui::EndChild();
  }

 private:
  /// Selects the whole text with the caret at its start, so that a long text is seen from its first
  /// word on.
  static void selectBackwards(ImGuiInputTextCallbackData& data) {
    data.CursorPos = 0;
    data.SelectionStart = data.BufTextLen;
    data.SelectionEnd = 0;
  }

  static constexpr float kFade = 58.0F;  // points at the right end where chips fade out

  /// Draws at the right end, over a cut chip, the number of further tokens.
  void drawFurtherCount(Index beyond) const {
    Rect window = Rect::at(ImGui::GetWindowPos(), ImGui::GetWindowSize());
    window.b.y -= look_.px(2);  // the line below the band stays
    const std::string text = fmt::format("+{} ›", withThousands(beyond));
    const ImVec2 size = textSize(look_.fonts.small, text);
    const float solid = window.b.x - size.x - look_.space.small;
    const float fade = window.b.x - look_.px(kFade);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 full = look_.theme.panel;
    const ImU32 none = withAlpha(full, 0.0F);
    list->AddRectFilledMultiColor({fade, window.a.y}, {solid, window.b.y}, none, full, full, none);
    list->AddRectFilled({solid, window.a.y}, window.b, full);
    drawText(list, look_.fonts.small, {window.b.x - size.x, window.centre().y - size.y * 0.5F},
             look_.theme.textMuted, text);
  }

  void use() {
    row_.problem.clear();
    try {
      if (memory_ && row_.text.empty() && !cross()) return;
      if (memory_ && row_.text.empty()) {  // would drop weights made for the memory's width
        row_.problem = tr("memory text is empty: type a word, or press remove for self-attention");
        return;
      }
      tokenize(row_.text, memory_ ? "memory text" : "text");
      panel_.commands.push(SetText{row_.item, memory_, row_.text}, memory_ ? "memory" : "text");
    } catch (const UserError& error) {
      row_.problem = error.what();
    }
  }

  bool cross() const { return panel_.document.config.crossAttention(); }

  bool lit(Index i) const {
    const auto& hovered = panel_.frame.hovered;
    const Lane lane = memory_ ? Lane::key : Lane::query;
    if (hovered) {
      if (hovered->rowLane == lane && hovered->row == i) return true;
      if (hovered->colLane == lane && hovered->col == i) return true;
      return false;
    }
    const auto& selected = panel_.selection.cell;
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
      tip(look_, trFormat("{} {} · drag it to another position",
                          memory_ ? tr("memory token") : tr("token"), i));
    }
    ImGui::PopID();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool on = lit(i) || row_.dragged == i;
    list->AddRectFilled(a, b, on ? t.accentSoft : hovered ? t.fieldHover : t.panel, size.y * 0.5F);
    list->AddRect(a, b, on ? t.query : t.panelBorder, size.y * 0.5F, 0, look_.space.hair);
    drawTextCentred(list, look_.fonts.regular, {(a.x + b.x) * 0.5F, (a.y + b.y) * 0.5F},
                    on ? t.queryText : t.text, token);
  }

  /// Chooses the row of a token in the step's result, after a click.
  void chooseRow(Index i) {
    if (memory_ || row_.dragged >= 0) return;
    CellRef cell{TensorId::weights, panel_.selection.item, panel_.selection.head, i, 0};
    if (panel_.selection.cell && panel_.selection.cell->tensor == TensorId::weights) {
      cell.col = panel_.selection.cell->col;
    }
    if (i < panel_.trace.config().seqLen) panel_.selection.cell = cell;
  }

  /// Shows the target of a dragged token and, on release, requests the move.
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
    const float y = origin.y + look_.space.small;
    const float at = origin.x - ImGui::GetScrollX() + std::max(mark, 1.0F);
    ImGui::GetWindowDrawList()->AddLine({at, y}, {at, y + rowHeight(look_) - look_.px(12)},
                                        look_.theme.accent, look_.px(3));
    if (ImGui::IsMouseDown(0)) return;
    if (to != row_.dragged) {
      panel_.commands.push(MoveToken{panel_.selection.item, memory_, row_.dragged, to});
    }
    row_.dragged = -1;
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  TokenRow::Row& row_;
  bool memory_;
};

/// Draws the choice of the shown batch item.
void itemChoice(const PanelContext& panel) {
  const Index batch = panel.document.config.batch;
  if (batch < 2) return;
  if (pill(panel.look, "◀##item", false, panel.selection.item > 0)) --panel.selection.item;
  ImGui::SameLine(0.0F, panel.look.space.small);
  inlineLabel(panel.look, panel.look.fonts.small, panel.look.theme.textMuted,
              trFormat("item {} of {}", panel.selection.item + 1, batch));
  const Index shown = std::min(batch, panel.trace.config().batch);  // the trace may be older
  if (pill(panel.look, "▶##item", false, panel.selection.item + 1 < shown)) ++panel.selection.item;
  ImGui::SameLine(0.0F, panel.look.px(12));
}

bool isText(const PanelContext& panel) {
  return std::holds_alternative<TextSource>(*panel.document.source);
}

bool hasMemoryRow(const PanelContext& panel, const TokenRow::Memory& memory) {
  return panel.document.config.crossAttention() || (memory.memory.editing && isText(panel));
}

/// The rows of one frame, with their buttons to the right of the tokens; in a narrow window most of
/// the buttons are items behind "More".
class TokenRows {
 public:
  TokenRows(const PanelContext& panel, TokenRow::Memory& memory, const SessionMenu& session)
      : panel_(panel),
        look_(panel.look),
        memory_(memory),
        session_(session),
        memoryRow_(hasMemoryRow(panel, memory)),
        editing_(memory.input.editing),
        editingMemory_(memory.memory.editing),
        first_(look_.space.wide + look_.px(memoryRow_ ? 66 : 46)) {
    const float window = ImGui::GetWindowWidth();
    const float margins = look_.px(28);
    float buttons = sessionMenuWidth(look_, session_) + margins;
    for (const char* text : {edit(), tr(kExamples), tr(kOpenFile)}) buttons += withGap(text);
    narrow_ = window - buttons - first_ < look_.px(160);
    if (narrow_) {
      const float one = std::max(withGap(edit()) + buttonWidth(look_, more()),
                                 memoryRow_ ? buttonWidth(look_, editMemory()) : 0.0F);
      buttons = one + margins;
    }
    const bool room = narrow_ || window - buttons - withGap(tr(kAdd)) > look_.px(292);
    offersMemory_ = !memoryRow_ && isText(panel_) && room;
    if (offersMemory_ && !narrow_) buttons += withGap(tr(kAdd));
    right_ = window - buttons;
  }

  void draw() {
    line(memory_.input, false, 0.0F);
    WrappingRow row = rowOfButtons(0.0F);
    if (button(row, edit())) toggle(memory_.input, editing_, false);
    tip(look_, tr("Type another sentence (ctrl+e); everything follows as you type"));
    if (narrow_) {
      if (button(row, more())) openMenu("more of the tokens");
      if (const char* popup = moreItems()) openMenu(popup);
    } else {
      buttons(row);
    }
    examplesPopup(panel_);
    if (memoryRow_) {
      line(memory_.memory, true, rowHeight(look_));
      memoryButtons();
    }
    panel_.frame.typesText = memory_.input.editing || memory_.memory.editing;
    if ((editing_ || editingMemory_) && !panel_.frame.typesText) *look_.wantsFrame = true;
  }

 private:
  static constexpr const char* kAdd = trLater("add memory");
  static constexpr const char* kAddAbout = trLater(
      "Cross-attention: type a second text, the memory. Keys and values then come from it, queries "
      "from the input.");
  static constexpr const char* kRemoveAbout =
      trLater("Back to self-attention: keys and values from the input itself");
  static constexpr const char* kExamples = trLater("examples ▾");
  static constexpr const char* kOpenFile = trLater("open file");

  // as of the frame's start: a click on "done" takes the keyboard from the field, which also ends
  // it
  const char* edit() const { return editing_ ? tr("done") : tr("edit text"); }
  const char* editMemory() const { return editingMemory_ ? tr("done") : tr("edit memory"); }
  const char* more() const { return session_.unsaved ? "• More ▾" : tr("More ▾"); }
  float withGap(const char* text) const { return buttonWidth(look_, text) + look_.px(8); }
  float inset() const { return std::round((rowHeight(look_) - ImGui::GetFrameHeight()) * 0.5F); }

  WrappingRow rowOfButtons(float top) const {
    return {look_, right_ + look_.px(8), ImGui::GetWindowWidth(), top + inset()};
  }
  bool button(WrappingRow& row, const char* text) const {
    row.place(buttonWidth(look_, text), 8.0F);
    return pill(look_, text);
  }

  /// Draws the tokens, or the text while it is typed.
  void line(TokenRow::Row& memory, bool ofMemory, float top) {
    Tokens row(panel_, memory, ofMemory);
    ImGui::SetCursorPos({look_.space.wide, top + inset()});
    inlineLabel(look_, look_.fonts.small, look_.theme.textMuted,
                ofMemory     ? tr("memory")
                : memoryRow_ ? tr("queries")
                             : tr("input"));
    ImGui::SameLine(first_);
    if (!ofMemory) itemChoice(panel_);
    if (ofMemory ? editingMemory_ : editing_) {
      row.field(right_ - ImGui::GetCursorPosX());
    } else {
      if (!ofMemory) image();
      ImGui::SetCursorPosY(top);
      row.chips(right_);
    }
  }

  void image() const {
    const FrameContext& look = panel_.look;
    const ImVec2 start = ImGui::GetCursorPos();
    ImGui::SetCursorPosY(look.px(4));
    if (patchPictureHere(panel_, rowHeight(look) - look.px(8))) {
      ImGui::SameLine(0.0F, look.space.medium);
    } else {
      ImGui::SetCursorPos(start);
    }
  }

  void buttons(WrappingRow& row) {
    if (offersMemory_) {
      if (button(row, tr(kAdd))) toggle(memory_.memory, false, true);
      tip(look_, tr(kAddAbout));
    }
    if (button(row, tr(kExamples))) openMenu("examples");
    if (button(row, tr(kOpenFile))) panel_.commands.add(AskToOpen{});
    row.place(sessionMenuWidth(look_, session_), 8.0F);
    sessionMenu(panel_, session_);
  }

  /// Draws the items that have no button in a narrow window. Returns the requested popup, or null.
  const char* moreItems() {
    const char* popup = nullptr;
    if (!beginPopup("more of the tokens")) return nullptr;
    if (offersMemory_) {
      if (ImGui::MenuItem(tr(kAdd))) toggle(memory_.memory, false, true);
      tip(look_, tr(kAddAbout));
    }
    if (memoryRow_ && removable()) {
      if (ImGui::MenuItem(tr("remove memory"))) removeMemory();
      tip(look_, tr(kRemoveAbout));
    }
    if (ImGui::MenuItem(tr(kExamples))) popup = "examples";
    if (ImGui::MenuItem(tr(kOpenFile))) panel_.commands.add(AskToOpen{});
    ImGui::Separator();
    sessionItems(panel_);
    ImGui::EndPopup();
    return popup;
  }

  void memoryButtons() {
    if (!isText(panel_)) return;
    WrappingRow row = rowOfButtons(rowHeight(look_));
    ImGui::PushID("memory");
    if (button(row, editMemory())) toggle(memory_.memory, editingMemory_, true);
    if (removable() && !narrow_) {
      if (button(row, tr("remove"))) removeMemory();
      tip(look_, tr(kRemoveAbout));
    }
    ImGui::PopID();
  }
  bool removable() const { return isText(panel_) && panel_.document.config.crossAttention(); }
  void removeMemory() const { panel_.commands.push(SetText{panel_.selection.item, true, ""}); }

  void toggle(TokenRow::Row& row, bool wasEditing, bool ofMemory) const {
    if (wasEditing) {
      row.editing = false;
    } else {
      Tokens(panel_, row, ofMemory).startEditing();
    }
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  TokenRow::Memory& memory_;
  const SessionMenu& session_;
  bool memoryRow_, editing_, editingMemory_;
  float first_;         // where the tokens begin
  float right_ = 0.0F;  // … and end
  bool narrow_ = false;
  bool offersMemory_ = false;
};

}  // namespace

float TokenRow::height(const PanelContext& panel) const {
  return rowHeight(panel.look) * (hasMemoryRow(panel, memory_) ? 2.0F : 1.0F);
}

void TokenRow::edit(const PanelContext& panel) {
  Tokens(panel, memory_.input, false).startEditing();
}

void TokenRow::field(const PanelContext& panel, float width, float most) {
  const FrameContext& look = panel.look;
  // the largest letters in which the whole sentence is seen
  ImFont* font = look.fonts.title;
  const auto needed = [&] {
    return textSize(font, memory_.input.text).x + 3.0F * ImGui::GetStyle().FramePadding.x;
  };
  for (ImFont* smaller : {look.fonts.semibold, look.fonts.regular, look.fonts.small}) {
    if (needed() > most) font = smaller;
  }
  width = std::clamp(needed(), std::min(width, most), most);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() - width * 0.5F);
  pushFont(font);
  Tokens(panel, memory_.input, false).field(width);
  ImGui::PopFont();
  panel.frame.typesText = memory_.input.editing;
  if (!memory_.input.editing) *panel.look.wantsFrame = true;
}

void TokenRow::replace(const PanelContext& panel, const std::string& text) {
  panel.commands.push(SetText{panel.selection.item, false, text});
  memory_.input.editing = false;
}

void TokenRow::draw(const PanelContext& panel, const SessionMenu& session) {
  panel.selection.item =
      std::clamp<Index>(panel.selection.item, 0, panel.document.config.batch - 1);
  TokenRows(panel, memory_, session).draw();
}

}  // namespace headscope::ui
