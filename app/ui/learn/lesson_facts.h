// Lesson facts: where a lesson's facts come from in the window: the pass, what is looked at, and,
// beside them, the fields of the view and the training run.
#pragma once

#include "app/live_training.h"
#include "app/ui/panel.h"
#include "core/lessons/facts.h"

namespace headscope::ui {

lessons::FactSource factsOf(const PanelContext& panel, const LiveTraining& training);

}  // namespace headscope::ui
