#include "app/ui/input_popups.h"

#include <algorithm>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/menu.h"
#include "app/ui/model/model_view.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "app/ui/text_field.h"
#include "app/ui/widgets.h"
#include "core/formats/shipped_model.h"
#include "core/presets/presets.h"

namespace headscope::ui {

void examplesPopup(const PanelContext& panel) {
  if (!beginPopup("examples")) return;
  for (const Example& example : examples()) {
    if (ImGui::Selectable(example.title.c_str())) {
      panel.commands.add(OpenPreset{std::make_shared<const Preset>(presetOf(example)),
                                    "example: " + example.title});
    }
    tip(panel.look, example.about);
  }
  ImGui::Separator();
  if (ImGui::Selectable("A small trained model")) {
    panel.modelView.place = {formats::kShippedModel, {}};
    panel.selection.page = kModelPage;
  }
  tip(panel.look, "Two layers, learned by this program, that complete a repeated row of letters");
  ImGui::EndPopup();
}

void openFilePopup(const PanelContext& panel, std::string& typed) {
  if (!beginPopup("open file")) return;
  label(panel.look.fonts.small, panel.look.theme.textMuted,
        "A .csv (a series: a header of names, one row a time step) or a .safetensors (x, memory, "
        "or the weights of an nn.MultiheadAttention), or a session (.headscope.json), or a "
        "model's folder.\nDropping a "
        "file on the window does the same.");
  if (panel.hostHasDialog) {
    const bool files = pill(panel.look, "Choose files …");
    ImGui::SameLine();
    const bool folder = pill(panel.look, "Choose a folder …");
    if (files || folder) {
      panel.commands.add(ChooseFiles{folder});
      ImGui::CloseCurrentPopup();
    }
    return ImGui::EndPopup();
  }
  if (ImGui::IsWindowAppearing()) focusNextItem();
  ImGui::SetNextItemWidth(
      std::min(panel.look.px(420), ImGui::GetIO().DisplaySize.x - panel.look.px(120)));
  const bool entered =
      textField(panel.look, {"##path", ImGuiInputTextFlags_EnterReturnsTrue}, typed);
  ImGui::SameLine();
  if (pill(panel.look, "Open") || entered) {
    if (!typed.empty()) panel.commands.add(OpenFile{typed});
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

}  // namespace headscope::ui
