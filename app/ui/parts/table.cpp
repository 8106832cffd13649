#include "app/ui/parts/table.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/parts/series_mark.h"
#include "app/ui/rich_text.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr const char* kSortMarks[] = {" ▴", " ▾"};

}  // namespace

Table::Table(const FrameContext& look, const TableSetting& setting,
             std::vector<TableColumn> columns)
    : look_(look),
      columns_(std::move(columns)),
      above_(static_cast<std::size_t>(
          std::count_if(columns_.begin(), columns_.end(), [](const auto& c) { return c.above; }))),
      headingFont_(setting.dense ? look.fonts.tiny : look.fonts.small),
      open_(false),
      exceptions_(std::uncaught_exceptions()),
      line_(fontSize(look.fonts.monoSmall) + look.space.small) {
  ImGuiTableFlags flags = ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_NoBordersInBody |
                          ImGuiTableFlags_NoPadOuterX;
  const bool grows = std::any_of(columns_.begin(), columns_.end(),
                                 [](const TableColumn& c) { return c.grows > 0.0F; });
  flags |= grows ? ImGuiTableFlags_SizingStretchProp : ImGuiTableFlags_SizingFixedFit;
  if (!grows) flags |= ImGuiTableFlags_ScrollX;
  if (setting.height > 0.0F) flags |= ImGuiTableFlags_ScrollY;
  float height = setting.height;
  if (setting.rows > 0) {
    const float all = headingHeight() + line_ * static_cast<float>(lines() * setting.rows) +
                      ImGui::GetStyle().ScrollbarSize;
    height = std::min(height, all);
  }
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding,
                      ImVec2(setting.dense ? look.space.thin : look.space.small, 0.0F));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0.0F, 0.0F));
  open_ = ImGui::BeginTable(setting.id, static_cast<int>(columns_.size() - above_), flags,
                            {0.0F, height});
  if (!open_) return;
  if ((flags & (ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY)) != 0) joinNavigation();
  const float mark = textSize(headingFont_, kSortMarks[0]).x;
  for (TableColumn& c : columns_) {
    const float title = richTextSize(look.fonts, headingFont_, c.title).x + (c.sorts ? mark : 0.0F);
    c.least = std::ceil(std::max(title, look.px(c.least))) + 1.0F;  // widths are whole points
    if (c.above) continue;
    ImGui::TableSetupColumn(
        c.title.c_str(),
        c.grows > 0.0F ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed,
        c.grows > 0.0F ? c.grows : c.least);
  }
  ImGui::TableSetupScrollFreeze(setting.frozen, 1);
  headings(setting);
}

Table::~Table() {
  if (std::uncaught_exceptions() > exceptions_) return;
  if (open_) ImGui::EndTable();
  ImGui::PopStyleVar(2);
}

float Table::headingHeight() const {
  return (fontSize(headingFont_) + look_.space.small) * static_cast<float>(lines());
}

Rect Table::rowClip() const {
  const ImDrawList* list = ImGui::GetWindowDrawList();
  const float left = ImGui::GetWindowPos().x;
  return {{left, list->GetClipRectMin().y},
          {left + ImGui::GetWindowSize().x, list->GetClipRectMax().y}};
}

Table::Spot Table::spot(std::size_t column, float line) {
  if (columns_[column].above) {
    ImGui::TableSetColumnIndex(0);
    const float gap = 2 * look_.space.small;
    float x = row_.x;
    for (std::size_t i = 0; i < column; ++i) x += columns_[i].least + gap;
    const float right = ImGui::GetWindowPos().x + ImGui::GetWindowSize().x - gap;
    return {{x, row_.y}, column + 1 == above_ ? right - x : columns_[column].least};
  }
  ImGui::TableSetColumnIndex(static_cast<int>(column - above_));
  return {{ImGui::GetCursorScreenPos().x, row_.y + line * static_cast<float>(lines() - 1)},
          ImGui::GetContentRegionAvail().x};
}

void Table::headings(const TableSetting& setting) {
  const Theme& t = look_.theme;
  const float line = headingHeight() / static_cast<float>(lines());
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers, headingHeight());
  ImGui::TableSetColumnIndex(0);
  row_ = ImGui::GetCursorScreenPos();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const TableColumn& c = columns_[i];
    const Spot place = spot(i, line);
    const bool sorted = setting.sort && setting.sort->column == i;
    std::string title = c.title;
    if (sorted) title += kSortMarks[setting.sort->descending ? 1 : 0];
    const auto widthOf = [&] { return richTextSize(look_.fonts, headingFont_, title).x; };
    if (widthOf() > place.width) title = elided(headingFont_, title, place.width);
    const Rect clip = rowClip();
    if (c.above) ImGui::PushClipRect(clip.a, clip.b, false);
    ImGui::SetCursorScreenPos(place.at);
    ImGui::PushID(static_cast<int>(i));
    const bool pressed = ImGui::InvisibleButton("heading", {std::max(place.width, 1.0F), line});
    if (pressed && c.sorts) clicked_ = i;
    const bool over = ImGui::IsItemHovered();
    ImGui::PopID();
    if (over) hovered_ = i;
    if (!c.about.empty()) tip(look_, c.about);
    const float indent = c.number ? place.width - widthOf() : 0.0F;
    drawRichText(ImGui::GetWindowDrawList(), look_.fonts, headingFont_,
                 {place.at.x + indent, place.at.y + look_.space.thin},
                 sorted || (over && c.sorts) ? t.text : t.textMuted, title);
    if (c.above) ImGui::PopClipRect();
  }
  ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, t.panel);
}

void Table::rows(Index count, const std::function<void(Index)>& draw) {
  if (!open_) return;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(count), line_ * static_cast<float>(lines()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) draw(i);
  }
}

bool Table::row(Index id, bool chosen) {
  column_ = 0;
  rowHovered_ = false;
  if (!open_) return false;
  const float height = line_ * static_cast<float>(lines());
  ImGui::TableNextRow(0, height);
  ImGui::TableSetColumnIndex(0);
  ImGui::PushID(static_cast<int>(id));
  row_ = ImGui::GetCursorScreenPos();
  const bool clicked = selectableRow("row", height);
  rowHovered_ = ImGui::IsItemHovered();
  ImGui::SetCursorScreenPos(row_);
  ImGui::PopID();
  if (chosen || rowHovered_) {
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0,
                           chosen ? look_.theme.accentSoft : look_.theme.field);
  }
  return clicked;
}

std::optional<std::size_t> Table::hoveredColumn() const {
  if (!open_ || !rowHovered_) return std::nullopt;
  if (above_ > 0 && ImGui::GetIO().MousePos.y < row_.y + line_) return above_ - 1;
  for (std::size_t i = above_; i < columns_.size(); ++i) {
    const ImGuiTableColumnFlags flags = ImGui::TableGetColumnFlags(static_cast<int>(i - above_));
    if ((flags & ImGuiTableColumnFlags_IsHovered) != 0) return i;
  }
  return std::nullopt;
}

ImVec2 Table::cell(float* width) {
  if (!open_) return {};
  const Spot place = spot(column_++, line_);
  const float indent = std::exchange(indent_, 0.0F);
  *width = place.width - indent;
  return {place.at.x + indent, place.at.y};
}

Rect Table::picture() {
  if (!open_) return {};
  const float side = line_ - look_.space.thin;
  const ImVec2 at = spot(column_, line_).at;
  indent_ = side + look_.space.tight;
  return Rect::at({at.x, at.y + 0.5F * (line_ - side)}, {side, side});
}

void Table::put(ImFont* font, std::string_view what, ImU32 color, bool right) {
  if (!open_) return;
  const bool above = columns_[column_].above;
  float width = 0.0F;
  const ImVec2 at = cell(&width);
  const Rect clip = rowClip();
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (above) list->PushClipRect(clip.a, clip.b, false);
  const std::string shown = right ? elided(font, what, width) : wholeParts(font, what, width);
  const ImVec2 size = textSize(font, shown);
  const float x = right ? at.x + width - size.x : at.x;
  drawText(list, font, {x, at.y + (line_ - size.y) * 0.5F}, color != 0 ? color : look_.theme.text,
           shown);
  if (above) list->PopClipRect();
  if (shown != what && rowHovered_ &&
      ImGui::IsMouseHoveringRect(at, {at.x + width, at.y + line_})) {
    tip(look_, std::string(what));
  }
}

void Table::text(std::string_view what, ImU32 color) { put(look_.fonts.small, what, color, false); }

void Table::number(std::string_view what, ImU32 color) {
  put(look_.fonts.monoSmall, what, color, true);
}

void Table::swatch(std::string_view what, ImU32 color) {
  if (!open_) return;
  float width = 0.0F;
  const ImVec2 at = cell(&width);
  const float side = look_.space.medium;
  const float y = at.y + (line_ - side) * 0.5F;
  if (color != 0) {
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, y}, {at.x + side, y + side}, color,
                                              look_.space.thin);
  }
  behindSign(what, at, width);
}

void Table::marked(std::string_view what, ImU32 color, std::size_t mark) {
  if (!open_) return;
  float width = 0.0F;
  const ImVec2 at = cell(&width);
  const float radius = look_.space.medium * 0.45F;
  drawSeriesMark(ImGui::GetWindowDrawList(), {at.x + radius, at.y + line_ * 0.5F}, radius, color,
                 mark);
  behindSign(what, at, width);
}

void Table::behindSign(std::string_view what, ImVec2 at, float width) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = look_.fonts.small;
  const float sign = look_.space.medium + look_.space.tight;
  const ImVec2 pen{at.x + sign, at.y + (line_ - fontSize(font)) * 0.5F};
  if (richTextSize(look_.fonts, font, what).x <= width - sign) {
    drawRichText(list, look_.fonts, font, pen, look_.theme.text, what);
  } else {
    drawText(list, font, pen, look_.theme.text, elided(font, what, width - sign));
  }
}

void Table::bar(float share, ImU32 color) {
  if (!open_) return;
  float width = 0.0F;
  const ImVec2 at = cell(&width);
  if (share <= 0.0F) return;
  ImGui::GetWindowDrawList()->AddRectFilled(
      {at.x, at.y + line_ * 0.25F},
      {at.x + std::max(std::min(share, 1.0F) * width, 1.0F), at.y + line_ * 0.75F}, color,
      look_.space.thin);
}

void Table::bar(const BarRange& range, double value, ImU32 color) {
  if (!open_) return;
  float width = 0.0F;
  const ImVec2 at = cell(&width);
  const Rect room = Rect::at({at.x, at.y + line_ * 0.25F}, {width, line_ * 0.5F});
  drawSignedBar(look_, ImGui::GetWindowDrawList(), room, range, value, color);
}

bool Table::link(std::string_view name, std::string_view figure, const std::string& about) {
  if (!open_) return false;
  const Theme& t = look_.theme;
  ImFont* font = look_.fonts.monoSmall;
  ImDrawList* list = ImGui::GetWindowDrawList();
  float width = 0.0F;
  const ImVec2 at = cell(&width);
  ImGui::PushID(static_cast<int>(column_));
  const bool clicked =
      !about.empty() && ImGui::InvisibleButton("follow", {std::max(width, 1.0F), line_});
  const bool over = !about.empty() && ImGui::IsItemHovered();
  if (!about.empty()) tip(look_, about);
  ImGui::PopID();
  float room = width;
  if (!figure.empty()) {
    const ImVec2 size = textSize(font, figure);
    drawText(list, font, {at.x + width - size.x, at.y + (line_ - size.y) * 0.5F}, t.text, figure);
    room -= size.x + look_.space.medium;
  }
  const std::string shown = elided(font, name, room);
  const ImVec2 size = textSize(font, shown);
  const ImVec2 pen(at.x, at.y + (line_ - size.y) * 0.5F);
  drawText(list, font, pen, about.empty() ? t.textMuted : t.accentText, shown);
  if (over) {
    list->AddLine({pen.x, pen.y + size.y}, {pen.x + size.x, pen.y + size.y}, t.accentText);
  }
  return clicked;
}

}  // namespace headscope::ui
