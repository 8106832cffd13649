#include "app/ui/session_menu.h"

#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

std::string buttonText(const Look& look, const SessionMenu& menu) {
  const std::string name =
      menu.name.empty() ? "session" : elided(look.fonts.regular, menu.name, look.px(120));
  return (menu.unsaved ? "• " : "") + name + " ▾";
}

}  // namespace

float sessionMenuWidth(const Look& look, const SessionMenu& menu) {
  return textSize(look.fonts.regular, buttonText(look, menu)).x +
         ImGui::GetStyle().FramePadding.x * 2;
}

void sessionMenu(const Look& look, SessionMenu& menu) {
  if (pill(look, (buttonText(look, menu) + "###session").c_str())) ImGui::OpenPopup("session menu");
  tip(look, menu.unsaved ? "The session: • there is something that is not saved yet"
                         : "The session: everything on the screen, as a file");
  if (!beginPopup("session menu")) return;
  if (ImGui::MenuItem("Open session …", "ctrl+o")) menu.open = true;
  if (ImGui::MenuItem("Save session", "ctrl+s")) menu.save = true;
  if (ImGui::MenuItem("Save session as …", "ctrl+shift+s")) menu.saveAs = true;
  ImGui::Separator();
  if (ImGui::MenuItem("Scenes", "1 – 9")) menu.scenes = true;
  ImGui::EndPopup();
}

}  // namespace headscope::ui
