#include "app/ui/session_controls.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/menu.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

std::string buttonText(const FrameContext& look, const SessionMenu& menu) {
  const std::string name = menu.name.empty() ? std::string(tr("session"))
                                             : elided(look.fonts.regular, menu.name, look.px(120));
  return (menu.unsaved ? "• " : "") + name + " ▾";
}

}  // namespace

float sessionMenuWidth(const FrameContext& look, const SessionMenu& menu) {
  return buttonWidth(look, buttonText(look, menu));
}

void sessionMenu(const PanelContext& panel, const SessionMenu& menu) {
  const FrameContext& look = panel.look;
  if (pill(look, (buttonText(look, menu) + "###session").c_str())) openMenu("session menu");
  tip(look, menu.unsaved ? tr("The session: • marks unsaved changes")
                         : tr("The session: what is on the screen, as a file"));
  if (!beginPopup("session menu")) return;
  sessionItems(panel);
  ImGui::EndPopup();
}

void sessionItems(const PanelContext& panel) {
  if (ImGui::MenuItem(tr("Open …"), "ctrl+o")) panel.commands.add(AskToOpen{});
  if (ImGui::MenuItem(tr("Save session"), "ctrl+s")) panel.commands.add(SaveSession{});
  if (ImGui::MenuItem(tr("Save session as …"), "ctrl+shift+s")) {
    panel.commands.add(SaveSession{.elsewhere = true});
  }
  if (ImGui::MenuItem(tr("Copy link"))) panel.commands.add(CopyLink{});
  tip(panel.look, tr("Copies the current state as a link that headscope in a browser opens"));
  ImGui::Separator();
  if (ImGui::MenuItem(tr("Scenes"), "1 – 9")) panel.selection.inspectorTab = InspectorTab::scenes;
}

Recovery recoveryBanner(const FrameContext& look, const std::string& question, float top,
                        float& height) {
  const char* const kRestore = tr("Restore (ctrl+shift+r)");
  const char* const kDiscard = tr("Discard (ctrl+shift+x)");
  const Theme& t = look.theme;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float pad = look.space.large;
  const float gap = look.px(10);
  const float buttons = buttonWidth(look, kRestore) + buttonWidth(look, kDiscard) + gap;
  const float text = textSize(look.fonts.regular, question).x;
  const float width = std::min(text + gap + buttons + 2 * pad + look.px(8), display.x - 2 * pad);
  const bool oneRow = width >= text + gap + buttons + 2 * pad;

  Recovery answer = Recovery::undecided;
  ImGui::SetNextWindowPos({(display.x - width) * 0.5F, top + look.space.small});
  ImGui::SetNextWindowSize({width, 0.0F});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, t.panel);
  ImGui::PushStyleColor(ImGuiCol_Border, t.accent);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(pad, look.space.medium));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, look.space.hair);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, look.px(8));
  ImGui::Begin("recovery", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_NoSavedSettings);
  if (oneRow) {
    inlineLabel(look, look.fonts.regular, t.text, question);
    ImGui::SameLine(width - pad - buttons);
  } else {
    wrappedLabel(look.fonts.regular, t.text, question);
  }
  if (primaryPill(look, kRestore)) answer = Recovery::restore;
  ImGui::SameLine(0.0F, gap);
  if (pill(look, kDiscard)) answer = Recovery::discard;
  height = ImGui::GetWindowHeight() + 2 * look.space.small;
  ImGui::End();
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor(2);
  return answer;
}

}  // namespace headscope::ui
