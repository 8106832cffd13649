// Lesson facts: the facts that a lesson reads from the window, which are the pass, the chosen cell,
// head and step, the fields of the view, the training run and the model of the page Model.
#pragma once

#include "app/live_language.h"
#include "app/live_model.h"
#include "app/live_training.h"
#include "core/lessons/facts.h"

namespace headscope::ui {

struct PanelContext;

/// The runs of the page Train, of which the view names the one that is shown, and the model of the
/// page Model.
struct LessonRuns {
  LiveTraining& training;
  LiveLanguage& language;
  LiveModel& model;
};

lessons::FactSource factsOf(const PanelContext& panel, const LessonRuns& runs);

}  // namespace headscope::ui
