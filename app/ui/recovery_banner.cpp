#include "app/ui/recovery_banner.h"

#include <algorithm>

#include "app/ui/widgets.h"

namespace headscope::ui {

Recovery recoveryBanner(const Look& look, const std::string& question, float top) {
  constexpr const char* kRestore = "Restore (R)";
  constexpr const char* kDiscard = "Discard (X)";
  const Theme& t = look.theme;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float pad = look.px(14);
  const float gap = look.px(10);
  const float frame = ImGui::GetStyle().FramePadding.x * 2;
  const float buttons = textSize(look.fonts.regular, kRestore).x +
                        textSize(look.fonts.regular, kDiscard).x + 2 * frame + gap;
  const float text = textSize(look.fonts.regular, question).x;
  const float width = std::min(text + gap + buttons + 2 * pad + look.px(8), display.x - 2 * pad);
  const bool oneRow = width >= text + gap + buttons + 2 * pad;

  Recovery answer = Recovery::undecided;
  ImGui::SetNextWindowPos({(display.x - width) * 0.5F, top + look.px(6)});
  ImGui::SetNextWindowSize({width, 0.0F});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, t.panel);
  ImGui::PushStyleColor(ImGuiCol_Border, t.accent);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(pad, look.px(9)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, look.px(1));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, look.px(8));
  ImGui::Begin("recovery", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_NoSavedSettings);
  if (oneRow) {
    inlineLabel(look, look.fonts.regular, t.text, question);
    ImGui::SameLine(width - pad - buttons);
  } else {
    ImGui::PushTextWrapPos(0.0F);
    label(look.fonts.regular, t.text, question);
    ImGui::PopTextWrapPos();
  }
  if (pill(look, kRestore, true)) answer = Recovery::restore;
  ImGui::SameLine(0.0F, gap);
  if (pill(look, kDiscard)) answer = Recovery::discard;
  ImGui::End();
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor(2);
  return answer;
}

}  // namespace headscope::ui
