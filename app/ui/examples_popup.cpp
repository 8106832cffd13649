#include "app/ui/examples_popup.h"

#include <memory>

#include "app/ui/frame_commands.h"
#include "app/ui/model/model_view.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
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

}  // namespace headscope::ui
