// Language run view: the run of a language model that the view names, on stories or on a text of
// the user's own, and what its cards share.
#pragma once

#include <vector>

#include "app/live_language.h"
#include "app/ui/train/run_chart.h"
#include "app/ui/train/train_view.h"

namespace headscope::ui {

struct PanelContext;

/// Returns what the view's run learns from.
LearnedFrom chosenText(const TrainView& view);
/// Returns the settings of the view's run: a small model's, with the view's own changes.
language::LanguageSettings chosenLanguage(const TrainView& view);
/// Restarts the view's run, or reports why it cannot run.
void beginLanguage(const PanelContext& panel, LiveLanguage& language);
/// Begins a new run where the view names another, or where there is none. Nothing is begun while no
/// text is chosen.
void beginLanguageWhereAsked(const PanelContext& panel, LiveLanguage& language);

/// Returns the colour of a question about stories: that of the head that looks most at the word
/// that decides; muted until the question is answered.
ImU32 questionColor(const Theme& theme, const LanguageMoment& moment, std::size_t question);
/// Returns the steps at which questions were first answered; none where no stories are learned.
std::vector<RunMark> answeredMarks(const Theme& theme, const LanguageMoment& moment);

}  // namespace headscope::ui
