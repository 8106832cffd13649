// Lesson facts: the facts that a lesson reads from the window, which are the pass, the chosen cell,
// head and step, the fields of the view and the training run.
#pragma once

#include "app/live_training.h"
#include "core/lessons/facts.h"

namespace headscope::ui {

struct PanelContext;

lessons::FactSource factsOf(const PanelContext& panel, const LiveTraining& training);

}  // namespace headscope::ui
