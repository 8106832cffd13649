#include "app/ui/style.h"

#include <imgui.h>

#include <utility>

namespace headscope::ui {
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
