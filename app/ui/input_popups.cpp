#include "app/ui/input_popups.h"

#include <algorithm>

#include "app/ui/compat.h"
#include "app/ui/menu.h"
#include "app/ui/text_field.h"
#include "app/ui/widgets.h"
#include "core/formats/shipped_model.h"
#include "core/presets/presets.h"

namespace headscope::ui {

void examplesPopup(const PanelContext& panel) {
  if (!beginPopup("examples")) return;
  for (const Example& example : examples()) {
    if (ImGui::Selectable(example.title.c_str())) {
      panel.edits.preset = OpenedPreset{presetOf(example), "example: " + example.title};
    }
    tip(panel.look, example.about);
  }
  ImGui::Separator();
  if (ImGui::Selectable("A small trained model")) {
    panel.view.model.place = {formats::kShippedModel, {}};
    panel.view.page = kModelPage;
  }
  tip(panel.look, "Two layers, learned by this program, that complete a repeated row of letters");
  ImGui::EndPopup();
}

std::string openFilePopup(const PanelContext& panel, std::string& typed) {
  std::string path;
  if (!beginPopup("open file")) return path;
  label(panel.look.fonts.small, panel.look.theme.textMuted,
        "A .csv (a series: a header of names, one row a time step) or a .safetensors (x, memory, "
        "or the weights of an nn.MultiheadAttention), or a session (.headscope.json), or a "
        "model's folder.\nDropping a "
        "file on the window does the same.");
  if (panel.hostHasDialog) {
    panel.edits.chooseFiles = pill(panel.look, "Choose files …");
    ImGui::SameLine();
    panel.edits.chooseFolder = pill(panel.look, "Choose a folder …");
    if (panel.edits.chooseFiles || panel.edits.chooseFolder) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
    return path;
  }
  if (ImGui::IsWindowAppearing()) focusNextItem();
  ImGui::SetNextItemWidth(
      std::min(panel.look.px(420), ImGui::GetIO().DisplaySize.x - panel.look.px(120)));
  const bool entered =
      textField(panel.look, {"##path", ImGuiInputTextFlags_EnterReturnsTrue}, typed);
  ImGui::SameLine();
  if (pill(panel.look, "Open") || entered) {
    path = typed;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
  return path;
}

}  // namespace headscope::ui
