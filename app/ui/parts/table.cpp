#include "app/ui/parts/table.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr const char* kSortMarks[] = {" ▴", " ▾"};

}  // namespace

Table::Table(const Look& look, const TableSetting& setting, std::vector<TableColumn> columns)
    : look_(look),
      columns_(std::move(columns)),
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
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(look.space.small, 0.0F));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0.0F, 0.0F));
  open_ = ImGui::BeginTable(setting.id, static_cast<int>(columns_.size()), flags,
                            {0.0F, setting.height});
  if (!open_) return;
  const float mark = textSize(look.fonts.small, kSortMarks[0]).x;
  for (const TableColumn& c : columns_) {
    const float title = textSize(look.fonts.small, c.title).x + (c.sorts ? mark : 0.0F);
    // whole points, which Dear ImGui rounds columns down to
    const float width = std::ceil(std::max(title, look.px(c.least)));
    ImGui::TableSetupColumn(
        c.title.c_str(),
        c.grows > 0.0F ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed,
        c.grows > 0.0F ? c.grows : width);
  }
  ImGui::TableSetupScrollFreeze(setting.frozen, 1);
  headings(setting);
}

Table::~Table() {
  if (std::uncaught_exceptions() > exceptions_) return;
  if (open_) ImGui::EndTable();
  ImGui::PopStyleVar(2);
}

void Table::headings(const TableSetting& setting) {
  const Theme& t = look_.theme;
  const float height = fontSize(look_.fonts.small) + look_.space.small;
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers, height);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const TableColumn& c = columns_[i];
    ImGui::TableSetColumnIndex(static_cast<int>(i));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const bool sorted = setting.sort && setting.sort->column == i;
    std::string title = c.title;
    if (sorted) title += kSortMarks[setting.sort->descending ? 1 : 0];
    title = elided(look_.fonts.small, title, width);
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::InvisibleButton("heading", {std::max(width, 1.0F), height}) && c.sorts) clicked_ = i;
    const bool over = ImGui::IsItemHovered();
    ImGui::PopID();
    if (over) hovered_ = i;
    if (!c.about.empty()) tip(look_, c.about);
    const float x = c.number ? at.x + width - textSize(look_.fonts.small, title).x : at.x;
    drawText(ImGui::GetWindowDrawList(), look_.fonts.small, {x, at.y + look_.space.thin},
             sorted || (over && c.sorts) ? t.text : t.textMuted, title);
  }
  ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, t.panel);
}

void Table::rows(Index count, const std::function<void(Index)>& draw) {
  if (!open_) return;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(count), line_);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) draw(i);
  }
}

bool Table::row(Index id, bool chosen) {
  column_ = 0;
  rowHovered_ = false;
  if (!open_) return false;
  ImGui::TableNextRow(0, line_);
  ImGui::TableSetColumnIndex(0);
  ImGui::PushID(static_cast<int>(id));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = selectableRow("row", line_);
  rowHovered_ = ImGui::IsItemHovered();
  ImGui::SetCursorScreenPos(at);
  ImGui::PopID();
  if (chosen || rowHovered_) {
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0,
                           chosen ? look_.theme.accentSoft : look_.theme.field);
  }
  return clicked;
}

std::optional<std::size_t> Table::hoveredColumn() const {
  if (!open_ || !rowHovered_) return std::nullopt;
  for (int i = 0; i < static_cast<int>(columns_.size()); ++i) {
    if ((ImGui::TableGetColumnFlags(i) & ImGuiTableColumnFlags_IsHovered) != 0) {
      return static_cast<std::size_t>(i);
    }
  }
  return std::nullopt;
}

ImVec2 Table::cell(float* width) {
  if (!open_) return {};
  ImGui::TableSetColumnIndex(column_++);
  *width = ImGui::GetContentRegionAvail().x;
  return ImGui::GetCursorScreenPos();
}

void Table::put(ImFont* font, std::string_view what, ImU32 color, bool right) {
  if (!open_) return;
  float width = 0.0F;
  const ImVec2 at = cell(&width);
  const std::string shown = elided(font, what, width);
  const ImVec2 size = textSize(font, shown);
  const float x = right ? at.x + width - size.x : at.x;
  drawText(ImGui::GetWindowDrawList(), font, {x, at.y + (line_ - size.y) * 0.5F},
           color != 0 ? color : look_.theme.text, shown);
}

void Table::text(std::string_view what, ImU32 color) { put(look_.fonts.small, what, color, false); }

void Table::number(std::string_view what, ImU32 color) {
  put(look_.fonts.monoSmall, what, color, true);
}

void Table::swatch(std::string_view what, ImU32 color) {
  if (!open_) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = look_.fonts.small;
  float width = 0.0F;
  ImVec2 at = cell(&width);
  const float side = look_.space.medium;
  const float y = at.y + (line_ - side) * 0.5F;
  if (color != 0) {
    list->AddRectFilled({at.x, y}, {at.x + side, y + side}, color, look_.space.thin);
  }
  at.x += side + look_.space.tight;
  drawText(list, font, {at.x, at.y + (line_ - fontSize(font)) * 0.5F}, look_.theme.text,
           elided(font, what, width - side - look_.space.tight));
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

bool Table::link(std::string_view name, std::string_view figure, const std::string& about) {
  if (!open_) return false;
  const Theme& t = look_.theme;
  ImFont* font = look_.fonts.monoSmall;
  ImDrawList* list = ImGui::GetWindowDrawList();
  float width = 0.0F;
  const ImVec2 at = cell(&width);
  ImGui::PushID(column_);
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
