// Model page: a whole model from its folder: its text, its prediction at each token, and all heads
// of all layers. The cards share one live model; Flow opens the layer of a head.
#pragma once

#include <memory>

#include "app/live_generation.h"
#include "app/live_model.h"
#include "app/ui/page.h"

namespace headscope::ui {

struct ModelView;

std::unique_ptr<Page> makeModelPage(LiveModel& model, LiveGeneration& generation);

std::unique_ptr<Card> makeModelTextCard(LiveModel& model);
std::unique_ptr<Card> makeModelHeadsCard(LiveModel& model);
/// The card above Flow while Flow shows a layer of the model.
std::unique_ptr<Card> makeLayerStripCard(LiveModel& model);
inline constexpr const char* kLayerStripCard = "layer of the model";

/// The moment whose heads are shown: of an encoder–decoder model that of the source, where the
/// encoder is chosen.
const std::shared_ptr<const ModelMoment>& momentShown(
    const ModelView& view, const std::shared_ptr<const ModelMoment>& moment);

/// The token whose prediction is shown.
Index chosenToken(const ModelView& view, const ModelMoment& moment);

/// The token at which the shown prediction stands: the chosen one, or an image's class token.
Index predictedRow(const ModelView& view, const ModelMoment& moment);

/// Opens the head's layer in Flow; the model then runs the edits made there.
void openLayerInFlow(const PanelContext& panel, LiveModel& model, const HeadOfLayer& head,
                     model::Stack stack = model::Stack::decoder);
/// Opens a layer of another model by itself: edits there do not run in the page's model.
void openAloneInFlow(const PanelContext& panel, const ModelMoment& moment, const HeadOfLayer& head);
std::unique_ptr<Card> makeModelPredictionCard(LiveModel& model, LiveGeneration& generation);

/// All levels of the chain of the tab Why, for a picture or the whole screen.
std::unique_ptr<Card> makeModelChainCard(LiveModel& model);

}  // namespace headscope::ui
