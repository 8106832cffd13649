#include "app/ui/widgets.h"

#include <algorithm>
#include <cmath>

#include "app/ui/compat.h"
#include "app/ui/letters.h"
#include "app/ui/rich_text.h"
#include "app/ui/tip_place.h"

namespace headscope::ui {
namespace {

constexpr double kTipDelay = 0.35;       // seconds
constexpr float kTipWidth = 340.0F;      // points at most
constexpr float kBetweenChoices = 4.0F;  // points

/// Returns whether the previous item was clicked and the mouse has not left it since. A tooltip
/// would then hide the click's effect.
bool justClicked() {
  constexpr ImGuiID kClickedX = 0x7c11c4ed;  // in the window's storage: the place of the click
  constexpr ImGuiID kClickedY = kClickedX + 1;
  constexpr float kNowhere = -1e9F;
  ImGuiStorage* kept = ImGui::GetStateStorage();
  const Rect item{ImGui::GetItemRectMin(), ImGui::GetItemRectMax()};
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (item.contains(mouse) && ImGui::IsMouseClicked(0)) {
    kept->SetFloat(kClickedX, mouse.x);
    kept->SetFloat(kClickedY, mouse.y);
  }
  const ImVec2 clicked(kept->GetFloat(kClickedX, kNowhere), kept->GetFloat(kClickedY, kNowhere));
  if (!item.contains(clicked)) return false;
  if (!item.contains(mouse)) kept->SetFloat(kClickedX, kNowhere);
  return item.contains(mouse);
}

ImVec2 tipPadding(const FrameContext& look) { return {look.px(10), look.px(7)}; }

/// Shows a tooltip with content of a size for the previous item once the mouse rests on it, but not
/// for an item that a click brought under the mouse.
template <typename Fill>
void showTip(const FrameContext& look, ImVec2 size, Fill&& fill) {
  const ImVec2 padding = tipPadding(look);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  placeTooltipNextTo({ImGui::GetItemRectMin(), ImGui::GetItemRectMax()},
                     {size.x + 2.0F * padding.x, size.y + 2.0F * padding.y}, look.space.small);
  ImGui::BeginTooltip();
  // its size is known after the first frame, in which Dear ImGui does not draw it yet
  if (ImGui::IsWindowAppearing()) look.changesIn(0.0);
  fill();
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

/// Returns whether the previous item's tooltip is due.
bool tipIsDue(const FrameContext& look) {
  if (justClicked() || look.clickedHere ||
      !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
    return false;
  if (look.mouseStill >= kTipDelay) return true;
  look.changesIn(kTipDelay - look.mouseStill);  // not while the mouse is moving past
  return false;
}

}  // namespace

bool beginCard(const char* id, ImVec2 position, ImVec2 size, const FrameContext& look,
               bool framed) {
  const Theme& t = look.theme;
  ImGui::SetCursorScreenPos(position);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, framed ? t.panel : withAlpha(t.panel, 0.0F));
  ImGui::PushStyleColor(ImGuiCol_Border, t.panelBorder);
  ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, look.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_ChildBorderSize, look.space.hair);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding,
                      framed ? ImVec2(look.px(18), look.px(13)) : ImVec2(0.0F, 0.0F));
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_AlwaysUseWindowPadding |
                                      ImGuiWindowFlags_NoScrollbar |
                                      ImGuiWindowFlags_NoScrollWithMouse;
  const bool visible = ImGui::BeginChild(id, size, framed, kFlags);
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor(2);
  return visible;
}

void endCard() { ImGui::EndChild(); }

std::string explanationIn(const FrameContext& look, const char* explanation, float width) {
  std::string shown = wholeParts(look.fonts.small, explanation, width);
  return shown.ends_with("…") ? std::string() : shown;
}

void heading(const FrameContext& look, const char* title, const char* explanation) {
  label(look.fonts.semibold, look.theme.text, title);
  if (explanation == nullptr) return;
  const float titleHeight = fontSize(look.fonts.semibold);
  ImGui::SameLine(0.0F, look.space.large);
  const float left = ImGui::GetContentRegionAvail().x;
  if (left < look.px(60)) {
    ImGui::NewLine();
    return;
  }
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + (titleHeight - fontSize(look.fonts.small)) * 0.65F);
  label(look.fonts.small, look.theme.textMuted, explanationIn(look, explanation, left));
}

namespace {

/// Draws text at the cursor in the current font and colour.
void plainText(std::string_view text) {
  std::string room;
  const std::string_view drawn = asDrawn(ImGui::GetFont(), text, room);
  ImGui::TextUnformatted(drawn.data(), drawn.data() + drawn.size());
}

}  // namespace

void label(ImFont* font, ImU32 color, std::string_view text) {
  pushFont(font);
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  plainText(text);
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

void wrappedLabel(ImFont* font, ImU32 color, std::string_view text) {
  label(font, color, wrapped(font, text, ImGui::GetContentRegionAvail().x));
}

void inlineLabel(const FrameContext& look, ImFont* font, ImU32 color, std::string_view text) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float frame = ImGui::GetFrameHeight();
  const ImVec2 size = textSize(font, text);
  drawText(ImGui::GetWindowDrawList(), font, {at.x, at.y + (frame - size.y) * 0.5F}, color, text);
  ImGui::Dummy({size.x, frame});
  ImGui::SameLine(0.0F, look.space.small);
}

ImVec2 textSize(ImFont* font, std::string_view text) {
  std::string room;
  const std::string_view drawn = asDrawn(font, text, room);
  return font->CalcTextSizeA(fontSize(font), FLT_MAX, 0.0F, drawn.data(),
                             drawn.data() + drawn.size());
}

void drawText(ImDrawList* list, ImFont* font, ImVec2 position, ImU32 color, std::string_view text) {
  const ImVec2 snapped(std::round(position.x), std::round(position.y));
  std::string room;
  const std::string_view drawn = asDrawn(font, text, room);
  list->AddText(font, fontSize(font), snapped, color, drawn.data(), drawn.data() + drawn.size());
}

void drawTextCentred(ImDrawList* list, ImFont* font, ImVec2 centre, ImU32 color,
                     std::string_view text) {
  const ImVec2 size = textSize(font, text);
  drawText(list, font, {centre.x - size.x * 0.5F, centre.y - size.y * 0.5F}, color, text);
}

void drawProgress(const FrameContext& look, ImVec2 corner, ImVec2 size, float done) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float round = size.y * 0.5F;
  const ImVec2 end{corner.x + size.x, corner.y + size.y};
  list->AddRectFilled(corner, end, look.theme.divider, round);
  list->AddRectFilled(corner, {corner.x + size.x * done, end.y}, look.theme.accent, round);
}

float buttonWidth(const FrameContext& look, std::string_view text) {
  return textSize(look.fonts.regular, text.substr(0, text.find("##"))).x +
         ImGui::GetStyle().FramePadding.x * 2;
}

/// Draws what a control of a picture for a file has chosen; nothing where nothing is.
static void drawStill(const FrameContext& look, std::string_view chosen) {
  if (chosen.empty()) return ImGui::Dummy({0.0F, 0.0F});
  label(look.fonts.small, look.theme.textMuted, chosen.substr(0, chosen.find("##")));
}

bool pill(const FrameContext& look, const char* text, bool lit, bool enabled) {
  if (look.still) {
    drawStill(look, lit ? text : "");
    return false;
  }
  const Theme& t = look.theme;
  ImGui::PushStyleColor(ImGuiCol_Button, lit ? t.accentSoft : t.field);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, lit ? t.accentSoft : t.fieldHover);
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, t.fieldActive);
  ImGui::PushStyleColor(ImGuiCol_Text, lit ? t.accentText : t.text);
  ImGui::BeginDisabled(!enabled);
  const bool clicked = ImGui::Button(text);
  ImGui::EndDisabled();
  ImGui::PopStyleColor(4);
  if (!lit) noteControl(look, text);  // the tab of the open page leads nowhere
  return clicked;
}

void noteControl(const FrameContext& look, std::string_view text) {
  noteControl(look, text, {ImGui::GetItemRectMin(), ImGui::GetItemRectMax()});
}

void noteControl(const FrameContext& look, std::string_view text, const Rect& at) {
  SoughtControl* sought = look.sought;
  if (sought == nullptr || sought->text.empty()) return;
  const std::size_t shown = std::min(text.find("##"), text.size());
  const std::string_view id =
      text.substr(std::min(text.find_first_not_of('#', shown), text.size()));
  if (text.substr(0, shown) != sought->text && id != sought->text) return;
  if (ImGui::IsRectVisible(at.a, at.b)) sought->at = at;
}

bool primaryPill(const FrameContext& look, const char* text, bool enabled, float width) {
  if (look.still) {
    drawStill(look, "");
    return false;
  }
  const Theme& t = look.theme;
  ImGui::PushStyleColor(ImGuiCol_Button, t.accent);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, withAlpha(t.accent, 0.85F));
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, withAlpha(t.accent, 0.7F));
  ImGui::PushStyleColor(ImGuiCol_Text, t.textOnAccent);
  ImGui::BeginDisabled(!enabled);
  const bool clicked = ImGui::Button(text, {width, 0.0F});
  ImGui::EndDisabled();
  ImGui::PopStyleColor(4);
  noteControl(look, text);
  return clicked;
}

bool toggle(const FrameContext& look, const char* text, bool* on) {
  const Theme& t = look.theme;
  const float side = look.px(18);
  const float frame = ImGui::GetFrameHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string_view shown =
      std::string_view(text).substr(0, std::string_view(text).find("##"));
  const ImVec2 size = textSize(look.fonts.regular, shown);
  const float gap = shown.empty() ? 0.0F : look.px(7);
  const bool clicked = ImGui::InvisibleButton(text, {side + gap + size.x, frame});
  noteControl(look, shown);
  if (clicked) *on = !*on;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 a(at.x, at.y + (frame - side) * 0.5F);
  const ImVec2 b(a.x + side, a.y + side);
  const float rounding = look.space.tight;
  if (*on) {
    list->AddRectFilled(a, b, t.accent, rounding);
    const float s = side;
    const ImVec2 tick[] = {{a.x + s * 0.24F, a.y + s * 0.52F},
                           {a.x + s * 0.43F, a.y + s * 0.71F},
                           {a.x + s * 0.77F, a.y + s * 0.31F}};
    list->AddPolyline(tick, 3, t.textOnAccent, 0, look.space.thin);
  } else {
    list->AddRect(a, b, ImGui::IsItemHovered() ? t.accent : t.textMuted, rounding, 0,
                  look.px(1.2F));
  }
  drawRichText(list, look.fonts, look.fonts.regular, {b.x + gap, at.y + (frame - size.y) * 0.5F},
               t.text, shown);
  return clicked;
}

namespace {

/// Closes the innermost open popup on Escape; Dear ImGui does so only with keyboard navigation.
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

bool beginCombo(const FrameContext& look, const char* id, const std::string& shown,
                ImGuiComboFlags flags) {
  if (look.still) {
    drawStill(look, "");
    return false;
  }
  if (!ImGui::BeginCombo(id, shown.c_str(), flags)) return false;
  closeOnEscape();
  return true;
}

void showTooltip(std::string_view text) {
  // a cell or a curve is about as large as the pointer
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float around = ImGui::GetFontSize();
  showTooltip(text, {{mouse.x - around, mouse.y - around}, {mouse.x + around, mouse.y + around}});
}

void showTooltip(std::string_view words, const Rect& thing) {
  constexpr float kLetters = 30.0F;  // the most in a line, about
  const std::string text = wrapped(ImGui::GetFont(), words, kLetters * ImGui::GetFontSize());
  const ImVec2 padding = ImGui::GetStyle().WindowPadding;
  const ImVec2 size = textSize(ImGui::GetFont(), text);
  placeTooltipNextTo(thing, {size.x + 2.0F * padding.x, size.y + 2.0F * padding.y},
                     ImGui::GetStyle().ItemSpacing.y);
  ImGui::BeginTooltip();
  plainText(text);
  ImGui::EndTooltip();
}

void tip(const FrameContext& look, const std::string& text) {
  if (!tipIsDue(look)) return;
  const std::string lines = wrapped(ImGui::GetFont(), text, look.px(kTipWidth));
  showTip(look, textSize(ImGui::GetFont(), lines), [&] { plainText(lines); });
}

void richTip(const FrameContext& look, const std::string& text) {
  if (!tipIsDue(look)) return;
  ImFont* font = ImGui::GetFont();
  const float width = look.px(kTipWidth);
  showTip(look, drawRichParagraph(nullptr, look.fonts, font, {}, look.theme.text, text, width),
          [&] { richParagraph(look.fonts, font, look.theme.text, text, width); });
}

int choices(const FrameContext& look, const char* id, const std::vector<const char*>& texts,
            int chosen) {
  int clicked = -1;
  int index = 0;
  ImGui::PushID(id);
  for (const char* text : texts) {
    if (index > 0) flowOn(look, buttonWidth(look, text), kBetweenChoices);
    if (pill(look, text, index == chosen) && index != chosen) clicked = index;
    ++index;
  }
  ImGui::PopID();
  return clicked;
}

int menuOf(const FrameContext& look, const char* caption, const char* id,
           const std::vector<std::string>& texts, int chosen, bool beginsRow) {
  const std::string& shown = texts[static_cast<std::size_t>(chosen)];
  const float width = buttonWidth(look, shown) + ImGui::GetFrameHeight();
  const float both = textSize(look.fonts.regular, caption).x + look.space.small + width;
  if (!beginsRow) flowOn(look, both, 14.0F);
  rowCaption(look, caption);
  if (look.still) {
    drawStill(look, shown);
    return -1;
  }
  ImGui::SetNextItemWidth(width);
  int clicked = -1;
  if (!beginCombo(look, id, shown, ImGuiComboFlags_HeightLarge)) return clicked;
  for (int i = 0; i < static_cast<int>(texts.size()); ++i) {
    const bool is = i == chosen;
    if (ImGui::Selectable(texts[static_cast<std::size_t>(i)].c_str(), is) && !is) clicked = i;
  }
  ImGui::EndCombo();
  return clicked;
}

float choicesWidth(const FrameContext& look, const std::vector<const char*>& texts) {
  float width = 0.0F;
  for (const char* text : texts) width += buttonWidth(look, text) + look.space.tight;
  return width;
}

void flowOn(const FrameContext& look, float width, float gap) {
  const float right = ImGui::GetWindowPos().x + ImGui::GetContentRegionMax().x;
  if (ImGui::GetItemRectMax().x + look.px(gap) + width <= right)
    ImGui::SameLine(0.0F, look.px(gap));
}

bool flowingPill(const FrameContext& look, const std::string& text, const char* about,
                 bool enabled) {
  flowOn(look, buttonWidth(look, text));
  const bool clicked = pill(look, text.c_str(), false, enabled);
  tip(look, about);
  return clicked;
}

void rowCaption(const FrameContext& look, const char* text) {
  inlineLabel(look, look.fonts.small, look.theme.textMuted, text);
}

void underlineTerm(const FrameContext& look, ImVec2 at, float width) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float dot = std::max(1.0F, std::round(look.space.hair));
  const float y = std::round(at.y);
  for (float x = std::round(at.x); x < at.x + width; x += 3 * dot) {
    list->AddRectFilled({x, y}, {x + dot, y + dot}, withAlpha(look.theme.textMuted, 0.8F));
  }
}

void explainItem(const FrameContext& look, ImFont* font, std::string_view term,
                 const std::string& more) {
  const ImVec2 min = ImGui::GetItemRectMin();
  const ImVec2 max = ImGui::GetItemRectMax();
  underlineTerm(look, {min.x, (min.y + max.y + fontSize(font)) * 0.5F}, max.x - min.x);
  tip(look, termText(term) + more);
}

}  // namespace headscope::ui
