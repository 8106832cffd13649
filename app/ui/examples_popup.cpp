#include "app/ui/examples_popup.h"

#include <memory>

#include "app/ui/frame_commands.h"
#include "app/ui/model/model_view.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/formats/shipped_model.h"
#include "core/presets/presets.h"

namespace headscope::ui {

void examplesPopup(const PanelContext& panel) {
  if (!beginPopup("examples")) return;
  for (const Example& example : examples()) {
    if (ImGui::Selectable(std::string(tr(example.title)).c_str())) {
      panel.commands.add(OpenPreset{std::make_shared<const Preset>(presetOf(example)),
                                    "example: " + example.title});
    }
    tip(panel.look, std::string(tr(example.about)));
  }
  ImGui::Separator();
  const auto model = [&](const char* title, const char* name, const char* about) {
    if (ImGui::Selectable(title)) {
      panel.modelView.place = {name, {}};
      panel.selection.page = kModelPage;
    }
    tip(panel.look, about);
  };
  model(tr("A small language model"), formats::kStoriesModel,
        tr("Two layers that have read little stories, and say the next word"));
  model(tr("A small image model"), formats::kShapesModel,
        tr("Two layers that name a drawn shape: circle, square or triangle"));
  model(tr("A model of repeated letters"), formats::kInductionModel,
        tr("Two layers, without networks, that complete a repeated row of letters"));
  ImGui::EndPopup();
}

}  // namespace headscope::ui
