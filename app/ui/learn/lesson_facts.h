// Lesson facts: the facts that a lesson reads from the window, which are the pass, the chosen cell,
// head and step, the fields of the view, the training run and the model of the page Model.
#pragma once

#include <string>

#include "app/live_language.h"
#include "app/live_model.h"
#include "app/live_study.h"
#include "app/live_training.h"
#include "core/lessons/facts.h"

namespace headscope::ui {

struct PanelContext;

/// The runs of the page Train, of which the view names the one that is shown, its study of the
/// scale, and the model of the page Model.
struct LessonRuns {
  LiveTraining& training;
  LiveLanguage& language;
  LiveStudy& scale;
  LiveModel& model;
};

/// The text of a scene that is not shown yet, with “…” for each fact: these are not known before it
/// is shown.
std::string withoutFacts(const std::string& text);

lessons::FactSource factsOf(const PanelContext& panel, const LessonRuns& runs);

}  // namespace headscope::ui
