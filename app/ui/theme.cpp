#include "app/ui/theme.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace headscope::ui {
namespace {

constexpr ImU32 hex(unsigned rgb) {
  return IM_COL32((rgb >> 16) & 255U, (rgb >> 8) & 255U, rgb & 255U, 255U);
}

constexpr Theme kLightTheme{
    .kind = ThemeKind::light,
    .window = hex(0xf7f7f5),
    .panel = hex(0xffffff),
    .panelBorder = hex(0xe4e6e8),
    .field = hex(0xeef0f4),
    .fieldHover = hex(0xe4e7ed),
    .fieldActive = hex(0xd9dde6),
    .text = hex(0x1f2430),
    .textMuted = hex(0x5b6472),
    .textOnAccent = hex(0xffffff),
    .accent = hex(0x5b4bdb),
    .accentSoft = hex(0xeceafb),
    .accentText = hex(0x5b4bdb),
    .good = hex(0x3f6f00),
    .bad = hex(0xb42318),
    .badSoft = hex(0xfdecea),
    .divider = hex(0xe9ebee),
    .query = hex(0x2f6fde),
    .key = hex(0xe0730b),
    .value = hex(0x1b9a59),
    .input = hex(0x475569),
    .output = hex(0x0e7490),
    .queryText = hex(0x2560c8),
    .keyText = hex(0xa84f00),
    .valueText = hex(0x12773f),
    .outputText = hex(0x0b6a83),
    .hatch = hex(0xb9bec8),
    .maskedFill = hex(0xf3f4f6),
    .flash = hex(0xf5b301),
};

constexpr Theme kDarkTheme{
    .kind = ThemeKind::dark,
    .window = hex(0x13151c),
    .panel = hex(0x1c1f2a),
    .panelBorder = hex(0x2e3342),
    .field = hex(0x282c39),
    .fieldHover = hex(0x323747),
    .fieldActive = hex(0x3c4256),
    .text = hex(0xe7e9ef),
    .textMuted = hex(0xa4abb9),
    .textOnAccent = hex(0xffffff),
    .accent = hex(0x6a5be6),
    .accentSoft = hex(0x2b2850),
    .accentText = hex(0xa99df8),
    .good = hex(0xa3d65c),
    .bad = hex(0xff8f85),
    .badSoft = hex(0x45201f),
    .divider = hex(0x2a2e3b),
    .query = hex(0x6ea0f5),
    .key = hex(0xf0964a),
    .value = hex(0x45b880),
    .input = hex(0x8593a8),
    .output = hex(0x2ea3bd),
    .queryText = hex(0x8ab4f8),
    .keyText = hex(0xf5a55f),
    .valueText = hex(0x5fcf96),
    .outputText = hex(0x4fc3dc),
    .hatch = hex(0x565d6e),
    .maskedFill = hex(0x232733),
    .flash = hex(0xffd34d),
};

// The first eight are as far apart as a search found for people with normal vision, without red,
// without green and without blue cones (Machado et al. 2009), among colours that are legible as
// text. Neighbours are further apart than others. A head has one hue in both themes: the dark ones
// were searched within 25° of the light ones, in OKLCH.
constexpr std::size_t kHeadColors = 12;
constexpr std::array<ImU32, kHeadColors> kLightHeads{
    hex(0x773bfe), hex(0x007961), hex(0x0d03a3), hex(0xd30254), hex(0x003514), hex(0x835c89),
    hex(0x505800), hex(0x6c0f45), hex(0x3f49a3), hex(0x87433f), hex(0x583d6e), hex(0x7a0323)};
constexpr std::array<ImU32, kHeadColors> kDarkHeads{
    hex(0xa57bff), hex(0x68b392), hex(0xbfbaff), hex(0xf46850), hex(0x98fdb4), hex(0xffddf1),
    hex(0xd3ef2e), hex(0xb588ad), hex(0x94b1e4), hex(0xfc7d8f), hex(0xef97ec), hex(0xd3809f)};

// The first eight differ in lightness as well, so that a grey print tells them apart.
constexpr std::array<ImU32, kHeadColors> kSafeLightHeads{
    hex(0x4c5b00), hex(0x32004a), hex(0xa64386), hex(0x4b3955), hex(0x2d00ab), hex(0x402506),
    hex(0x84273c), hex(0x8f00e0), hex(0x12756c), hex(0x113118), hex(0x65667d), hex(0x875e07)};
constexpr std::array<ImU32, kHeadColors> kSafeDarkHeads{
    hex(0xe8fb30), hex(0xca9fcb), hex(0xff509e), hex(0xefdbe9), hex(0xaf87f8), hex(0xf0c170),
    hex(0xd59585), hex(0xf9c0ff), hex(0xaeeed0), hex(0x51b582), hex(0xc9d8fb), hex(0xcfbe37)};

constexpr Theme safeOf(Theme theme) {
  const bool dark = theme.kind == ThemeKind::dark;
  theme.palette = Palette::safe;
  theme.query = dark ? hex(0x6ea0f5) : hex(0x2456a8);
  theme.key = dark ? hex(0xffc04d) : hex(0xe69f00);
  theme.value = dark ? hex(0x15805b) : hex(0x009e73);
  theme.queryText = dark ? hex(0x8ab4f8) : hex(0x2456a8);
  theme.keyText = dark ? hex(0xffc04d) : hex(0x7d5200);
  theme.valueText = dark ? hex(0x4fc79f) : hex(0x006b4f);
  theme.good = dark ? hex(0xb7e3ff) : hex(0x003f72);
  theme.bad = dark ? hex(0xffb27a) : hex(0x8f3200);
  theme.badSoft = dark ? hex(0x40281a) : hex(0xfdeee2);
  return theme;
}
constexpr Theme kSafeLightTheme = safeOf(kLightTheme);
constexpr Theme kSafeDarkTheme = safeOf(kDarkTheme);

double linear(ImU32 channel) {
  const double c = channel / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double luminance(ImU32 color) {
  return 0.2126 * linear((color >> IM_COL32_R_SHIFT) & 255U) +
         0.7152 * linear((color >> IM_COL32_G_SHIFT) & 255U) +
         0.0722 * linear((color >> IM_COL32_B_SHIFT) & 255U);
}

}  // namespace

const Theme& theme(ThemeKind kind, Palette palette) {
  const bool dark = kind == ThemeKind::dark;
  if (palette == Palette::safe) return dark ? kSafeDarkTheme : kSafeLightTheme;
  return dark ? kDarkTheme : kLightTheme;
}

ImU32 headColor(const Theme& theme, std::size_t head) {
  const bool dark = theme.kind == ThemeKind::dark, safe = theme.palette == Palette::safe;
  const auto& colors = dark   ? (safe ? kSafeDarkHeads : kDarkHeads)
                       : safe ? kSafeLightHeads
                              : kLightHeads;
  return colors[head % kHeadColors];
}

ImU32 withAlpha(ImU32 color, float alpha) {
  const auto a = static_cast<ImU32>(std::clamp(alpha, 0.0F, 1.0F) * 255.0F + 0.5F);
  return (color & ~IM_COL32_A_MASK) | (a << IM_COL32_A_SHIFT);
}

double contrast(ImU32 a, ImU32 b) {
  const auto [dark, light] = std::minmax({luminance(a), luminance(b)});
  return (light + 0.05) / (dark + 0.05);
}

ImU32 legibleOn(ImU32 background) {
  return contrast(IM_COL32_WHITE, background) >= contrast(IM_COL32_BLACK, background)
             ? IM_COL32_WHITE
             : IM_COL32_BLACK;
}

namespace {

void setLengths(ImGuiStyle& style) {
  style.WindowPadding = {14, 12};
  style.FramePadding = {10, 5};
  style.CellPadding = {6, 3};
  style.ItemSpacing = {8, 6};
  style.ItemInnerSpacing = {6, 4};
  style.IndentSpacing = 16;
  style.ScrollbarSize = 11;
  style.GrabMinSize = 12;
  style.WindowBorderSize = 0;
  style.ChildBorderSize = 1;
  style.PopupBorderSize = 1;
  style.FrameBorderSize = 0;
  style.WindowRounding = 8;
  style.ChildRounding = 8;
  style.FrameRounding = 6;
  style.PopupRounding = 8;
  style.ScrollbarRounding = 6;
  style.GrabRounding = 6;
  style.TabRounding = 6;
  style.DisabledAlpha = 0.5F;
}

void setColors(ImGuiStyle& style, const Theme& t) {
  const ImU32 none = withAlpha(t.panel, 0);
  const std::pair<ImGuiCol_, ImU32> colors[] = {
      {ImGuiCol_Text, t.text},
      {ImGuiCol_TextDisabled, t.textMuted},
      {ImGuiCol_WindowBg, t.window},
      {ImGuiCol_ChildBg, t.panel},
      {ImGuiCol_PopupBg, t.panel},
      {ImGuiCol_Border, t.panelBorder},
      {ImGuiCol_BorderShadow, none},
      {ImGuiCol_FrameBg, t.field},
      {ImGuiCol_FrameBgHovered, t.fieldHover},
      {ImGuiCol_FrameBgActive, t.fieldActive},
      {ImGuiCol_TitleBg, t.panel},
      {ImGuiCol_TitleBgActive, t.panel},
      {ImGuiCol_TitleBgCollapsed, t.panel},
      {ImGuiCol_MenuBarBg, t.panel},
      {ImGuiCol_ScrollbarBg, none},
      {ImGuiCol_ScrollbarGrab, t.fieldActive},
      {ImGuiCol_ScrollbarGrabHovered, withAlpha(t.textMuted, 0.6F)},
      {ImGuiCol_ScrollbarGrabActive, t.textMuted},
      {ImGuiCol_CheckMark, t.accentText},
      {ImGuiCol_SliderGrab, t.accent},
      {ImGuiCol_SliderGrabActive, t.accent},
      {ImGuiCol_Button, t.field},
      {ImGuiCol_ButtonHovered, t.fieldHover},
      {ImGuiCol_ButtonActive, t.fieldActive},
      {ImGuiCol_Header, t.accentSoft},
      {ImGuiCol_HeaderHovered, t.fieldHover},
      {ImGuiCol_HeaderActive, t.fieldActive},
      {ImGuiCol_Separator, t.divider},
      {ImGuiCol_SeparatorHovered, t.accent},
      {ImGuiCol_SeparatorActive, t.accent},
      {ImGuiCol_ResizeGrip, none},
      {ImGuiCol_ResizeGripHovered, t.accentSoft},
      {ImGuiCol_ResizeGripActive, t.accent},
      {ImGuiCol_PlotLines, t.accent},
      {ImGuiCol_PlotHistogram, t.accent},
      {ImGuiCol_TableHeaderBg, t.field},
      {ImGuiCol_TableBorderStrong, t.panelBorder},
      {ImGuiCol_TableBorderLight, t.divider},
      {ImGuiCol_TableRowBg, none},
      {ImGuiCol_TableRowBgAlt, withAlpha(t.field, 0.5F)},
      {ImGuiCol_TextSelectedBg, withAlpha(t.accent, 0.3F)},
      {ImGuiCol_DragDropTarget, t.accent},
      {ImGuiCol_ModalWindowDimBg, IM_COL32(0, 0, 0, 110)},
  };
  for (const auto& [which, color] : colors) {
    style.Colors[which] = ImGui::ColorConvertU32ToFloat4(color);
  }
#if IMGUI_VERSION_NUM >= 19140
  style.Colors[ImGuiCol_NavCursor] = ImGui::ColorConvertU32ToFloat4(t.accent);
#else
  style.Colors[ImGuiCol_NavHighlight] = ImGui::ColorConvertU32ToFloat4(t.accent);
#endif
}

}  // namespace

void applyStyle(const Theme& theme, float scale) {
  ImGuiStyle style;
  setLengths(style);
  setColors(style, theme);
  style.ScaleAllSizes(scale);
  style.ChildBorderSize = style.PopupBorderSize = scale;
  ImGui::GetStyle() = style;
}

}  // namespace headscope::ui
