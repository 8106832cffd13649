#include "app/ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/compat.h"
#include "app/ui/rich_text.h"

namespace headscope::ui {
namespace {

constexpr double kTipDelay = 0.35;   // seconds
constexpr float kTipWidth = 340.0F;  // points at most

/// A tooltip for the item before, once the mouse rests on it.
template <typename Fill>
void showTip(const Look& look, Fill&& fill) {
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  if (look.mouseStill < kTipDelay) {  // not while the mouse is only passing
    look.changesIn(kTipDelay - look.mouseStill);
    return;
  }
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(10), look.px(7)));
  ImGui::BeginTooltip();
  fill();
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

}  // namespace

bool beginCard(const char* id, ImVec2 position, ImVec2 size, const Look& look, bool scroll) {
  const Theme& t = look.theme;
  ImGui::SetCursorScreenPos(position);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, t.panel);
  ImGui::PushStyleColor(ImGuiCol_Border, t.panelBorder);
  ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, look.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_ChildBorderSize, look.px(1));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(18), look.px(13)));
  ImGuiWindowFlags flags = ImGuiWindowFlags_AlwaysUseWindowPadding;
  if (!scroll) flags |= ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
  const bool visible = ImGui::BeginChild(id, size, true, flags);
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor(2);
  return visible;
}

void endCard() { ImGui::EndChild(); }

void heading(const Look& look, const char* title, const char* explanation) {
  label(look.fonts.semibold, look.theme.text, title);
  if (explanation == nullptr) return;
  const float titleHeight = fontSize(look.fonts.semibold);
  ImGui::SameLine(0.0F, look.px(14));
  const float left = ImGui::GetContentRegionAvail().x;
  if (left < look.px(60)) {
    ImGui::NewLine();
    return;
  }
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + (titleHeight - fontSize(look.fonts.small)) * 0.65F);
  label(look.fonts.small, look.theme.textMuted, elided(look.fonts.small, explanation, left));
}

void label(ImFont* font, ImU32 color, std::string_view text) {
  pushFont(font);
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

void wrappedLabel(ImFont* font, ImU32 color, std::string_view text) {
  ImGui::PushTextWrapPos(0.0F);
  label(font, color, text);
  ImGui::PopTextWrapPos();
}

void inlineLabel(const Look& look, ImFont* font, ImU32 color, std::string_view text) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float frame = ImGui::GetFrameHeight();
  const ImVec2 size = textSize(font, text);
  drawText(ImGui::GetWindowDrawList(), font, {at.x, at.y + (frame - size.y) * 0.5F}, color, text);
  ImGui::Dummy({size.x, frame});
  ImGui::SameLine(0.0F, look.px(6));
}

ImVec2 textSize(ImFont* font, std::string_view text) {
  return font->CalcTextSizeA(fontSize(font), FLT_MAX, 0.0F, text.data(), text.data() + text.size());
}

std::string elided(ImFont* font, std::string_view text, float width) {
  if (textSize(font, text).x <= width) return std::string(text);
  const float dots = textSize(font, "…").x;
  std::size_t end = text.size();
  while (end > 0) {
    --end;
    const bool inside = (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U;
    if (!inside && textSize(font, text.substr(0, end)).x + dots <= width) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

void drawText(ImDrawList* list, ImFont* font, ImVec2 position, ImU32 color, std::string_view text) {
  const ImVec2 snapped(std::round(position.x), std::round(position.y));
  list->AddText(font, fontSize(font), snapped, color, text.data(), text.data() + text.size());
}

void drawTextCentred(ImDrawList* list, ImFont* font, ImVec2 centre, ImU32 color,
                     std::string_view text) {
  const ImVec2 size = textSize(font, text);
  drawText(list, font, {centre.x - size.x * 0.5F, centre.y - size.y * 0.5F}, color, text);
}

float buttonWidth(const Look& look, std::string_view text) {
  return textSize(look.fonts.regular, text.substr(0, text.find("##"))).x +
         ImGui::GetStyle().FramePadding.x * 2;
}

bool pill(const Look& look, const char* text, bool lit, bool enabled) {
  const Theme& t = look.theme;
  ImGui::PushStyleColor(ImGuiCol_Button, lit ? t.accentSoft : t.field);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, lit ? t.accentSoft : t.fieldHover);
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, t.fieldActive);
  ImGui::PushStyleColor(ImGuiCol_Text, lit ? t.accentText : t.text);
  ImGui::BeginDisabled(!enabled);
  const bool clicked = ImGui::Button(text);
  ImGui::EndDisabled();
  ImGui::PopStyleColor(4);
  return clicked;
}

bool toggle(const Look& look, const char* text, bool* on) {
  const Theme& t = look.theme;
  const float side = look.px(18);
  const float frame = ImGui::GetFrameHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string_view shown =
      std::string_view(text).substr(0, std::string_view(text).find("##"));
  const ImVec2 size = textSize(look.fonts.regular, shown);
  const float gap = shown.empty() ? 0.0F : look.px(7);
  const bool clicked = ImGui::InvisibleButton(text, {side + gap + size.x, frame});
  if (clicked) *on = !*on;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 a(at.x, at.y + (frame - side) * 0.5F);
  const ImVec2 b(a.x + side, a.y + side);
  const float rounding = look.px(4);
  if (*on) {
    list->AddRectFilled(a, b, t.accent, rounding);
    const float s = side;
    const ImVec2 tick[] = {{a.x + s * 0.24F, a.y + s * 0.52F},
                           {a.x + s * 0.43F, a.y + s * 0.71F},
                           {a.x + s * 0.77F, a.y + s * 0.31F}};
    list->AddPolyline(tick, 3, t.textOnAccent, 0, look.px(2));
  } else {
    list->AddRect(a, b, ImGui::IsItemHovered() ? t.accent : t.textMuted, rounding, 0,
                  look.px(1.2F));
  }
  drawRichText(list, look.fonts, look.fonts.regular, {b.x + gap, at.y + (frame - size.y) * 0.5F},
               t.text, shown);
  return clicked;
}

namespace {

/// The innermost of what is open; Dear ImGui does so only for those who navigate with keys.
void closeOnEscape() {
  const bool innermost = !ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId);
  if (innermost && keyPressed(Key::escape)) ImGui::CloseCurrentPopup();
}

}  // namespace

bool beginPopup(const char* id) {
  if (!ImGui::BeginPopup(id)) return false;
  closeOnEscape();
  return true;
}

bool beginCombo(const char* id, const std::string& shown, ImGuiComboFlags flags) {
  if (!ImGui::BeginCombo(id, shown.c_str(), flags)) return false;
  closeOnEscape();
  return true;
}

void tip(const Look& look, const std::string& text) {
  showTip(look, [&] {
    ImGui::PushTextWrapPos(look.px(kTipWidth));
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
  });
}

void richTip(const Look& look, const std::string& text) {
  showTip(look, [&] {
    richParagraph(look.fonts, ImGui::GetFont(), look.theme.text, text, look.px(kTipWidth));
  });
}

int choices(const Look& look, const char* id, const std::vector<const char*>& texts, int chosen) {
  int clicked = -1;
  int index = 0;
  ImGui::PushID(id);
  for (const char* text : texts) {
    if (index > 0) ImGui::SameLine(0.0F, look.space.tight);
    if (pill(look, text, index == chosen) && index != chosen) clicked = index;
    ++index;
  }
  ImGui::PopID();
  return clicked;
}

float choicesWidth(const Look& look, std::initializer_list<const char*> texts) {
  float width = 0.0F;
  for (const char* text : texts) width += buttonWidth(look, text) + look.space.tight;
  return width;
}

void flowOn(const Look& look, float width, float gap) {
  const float right = ImGui::GetWindowPos().x + ImGui::GetContentRegionMax().x;
  if (ImGui::GetItemRectMax().x + look.px(gap) + width <= right)
    ImGui::SameLine(0.0F, look.px(gap));
}

bool flowingPill(const Look& look, const std::string& text, const char* about, bool enabled) {
  flowOn(look, buttonWidth(look, text));
  const bool clicked = pill(look, text.c_str(), false, enabled);
  tip(look, about);
  return clicked;
}

void rowCaption(const Look& look, const char* text) {
  inlineLabel(look, look.fonts.small, look.theme.textMuted, text);
}

void sentence(const Look& look, ImU32 color, std::string_view text) {
  ImGui::PushTextWrapPos(0.0F);
  label(look.fonts.small, color, text);
  ImGui::PopTextWrapPos();
}

}  // namespace headscope::ui
