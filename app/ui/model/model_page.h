// Model page: a whole model from its folder: its text and what it says at each token, and all heads
// of all layers at once. The cards share one live model; a head opens in Flow with its layer.
#pragma once

#include <memory>

#include "app/live_generation.h"
#include "app/live_model.h"
#include "app/ui/page.h"

namespace headscope::ui {

std::unique_ptr<Page> makeModelPage(LiveModel& model, LiveGeneration& generation);

std::unique_ptr<Card> makeModelTextCard(LiveModel& model);
std::unique_ptr<Card> makeModelHeadsCard(LiveModel& model);
/// Above Flow while it shows a layer of the model.
std::unique_ptr<Card> makeLayerStripCard(LiveModel& model);
inline constexpr const char* kLayerStripCard = "layer of the model";

/// Whose prediction is shown.
Index chosenToken(const ModelView& view, const ModelMoment& moment);

/// What is edited there is run in the model from then on.
void openLayerInFlow(const PanelContext& panel, LiveModel& model, const model::HeadOfLayer& head);
std::unique_ptr<Card> makeModelPredictionCard(LiveModel& model, LiveGeneration& generation);

}  // namespace headscope::ui
