#include "app/ui/model/aligned_heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/model/chosen_head.h"
#include "app/ui/model/model_view.h"
#include "app/ui/panel.h"
#include "app/ui/parts/layout.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/model/alignment.h"

namespace headscope::ui {
namespace {

/// The head of the cross-attention that the view means: the chosen one, or that of its layer and
/// number where another attention is shown.
HeadOfLayer crossHead(const ModelView& view, const model::ModelConfig& config) {
  const HeadOfLayer chosen = chosenHead(view, config);
  return {2 * config.depthOf(chosen.layer) + 1, chosen.head};
}

/// The chosen heads that the model has: the shown one where none is chosen.
std::vector<HeadOfLayer> chosenHeads(const ModelView& view, const model::ModelConfig& config) {
  std::vector<HeadOfLayer> heads;
  const std::vector<HeadOfLayer> all = crossHeads(config, -1);
  for (const Index each : view.prediction.alignedHeads) {
    if (each < std::ssize(all)) heads.push_back(all[static_cast<std::size_t>(each)]);
  }
  if (heads.empty()) heads.push_back(crossHead(view, config));
  return heads;
}

}  // namespace

std::vector<HeadOfLayer> alignedHeads(const ModelView& view, const model::ModelConfig& config) {
  const HeadOfLayer head = crossHead(view, config);
  switch (view.prediction.aligned) {
    case AlignedBy::chosen:
      return chosenHeads(view, config);
    case AlignedBy::head:
      return {head};
    case AlignedBy::layer:
      return crossHeads(config, head.layer);
    case AlignedBy::all:
      break;
  }
  return crossHeads(config, -1);
}

void chooseAlignedHeads(const PanelContext& panel, const model::ModelConfig& c) {
  const FrameContext& look = panel.look;
  ModelView& view = panel.modelView;
  const HeadOfLayer head = crossHead(view, c);
  const std::string one = trFormat("layer {}, head {}", c.depthOf(head.layer) + 1, head.head + 1);
  const std::string layer = trFormat("mean of layer {}", c.depthOf(head.layer) + 1);
  const std::string several = trFormat("chosen heads ({})", chosenHeads(view, c).size());
  const int chosen =
      choices(look, "aligned by", {one.c_str(), layer.c_str(), tr("mean of all"), several.c_str()},
              static_cast<int>(view.prediction.aligned));
  tip(look, tr("The mean weights of the cross-attention of these heads; the tokens of a word are "
               "joined"));
  if (chosen >= 0) {
    view.prediction.aligned = static_cast<AlignedBy>(chosen);
    if (view.prediction.alignedHeads.empty()) {  // the first of them is the shown head
      view.prediction.alignedHeads = {c.depthOf(head.layer) * c.heads + head.head};
    }
  }
}

void drawHeadSquares(const PanelContext& panel, const model::ModelConfig& c) {
  const FrameContext& look = panel.look;
  std::vector<Index>& chosen = panel.modelView.prediction.alignedHeads;
  const std::vector<HeadOfLayer> all = crossHeads(c, -1);
  const float side = look.px(c.heads > 12 ? 11 : 15), apart = side + look.px(2);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (Index i = 0; i < std::ssize(all); ++i) {
    const HeadOfLayer head = all[static_cast<std::size_t>(i)];
    const Rect at = Rect::at({corner.x + apart * static_cast<float>(head.head),
                              corner.y + apart * static_cast<float>(c.depthOf(head.layer))},
                             {side, side});
    const auto place = std::ranges::find(chosen, i);
    const bool isChosen = place != chosen.end();
    ImGui::SetCursorScreenPos(at.a);
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::InvisibleButton("aligned head", at.size())) {
      isChosen ? (void)chosen.erase(place) : chosen.push_back(i);
    }
    ImGui::PopID();
    const std::string name =
        trFormat("layer {}, head {}", c.depthOf(head.layer) + 1, head.head + 1);
    noteControl(look, name);
    tip(look, trFormat("{}: a click {}", name, isChosen ? tr("leaves it out") : tr("takes it")));
    list->AddRectFilled(at.a, at.b, isChosen ? look.theme.accent : look.theme.field, look.px(2));
    if (ImGui::IsItemHovered()) list->AddRect(at.a, at.b, look.theme.text, look.px(2));
  }
  ImGui::SetCursorScreenPos(corner);
  ImGui::Dummy({apart * static_cast<float>(c.heads),
                apart * static_cast<float>(std::ssize(all) / std::max<Index>(c.heads, 1))});
}

}  // namespace headscope::ui
