// Model page: a whole model from its folder: its text and what it says at each token, and all heads
// of all layers at once. The cards share one live model; a head opens in Flow with its layer.
#pragma once

#include <memory>

#include "app/live_model.h"
#include "app/ui/page.h"

namespace headscope::ui {

std::unique_ptr<Page> makeModelPage(LiveModel& model);

std::unique_ptr<Card> makeModelTextCard(LiveModel& model);
std::unique_ptr<Card> makeModelHeadsCard(LiveModel& model);

}  // namespace headscope::ui
