// Train page: a small model learns a task before one's eyes: the task and an example of it, all
// heads as they form, the curves, and what a step does. The cards share one live run.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/live_study.h"
#include "app/live_training.h"
#include "app/ui/page.h"
#include "app/ui/parts/matrix.h"

namespace headscope::ui {

std::unique_ptr<Page> makeTrainPage(LiveTraining& training, LiveStudy& headCounts,
                                    LiveStudy& scale);

std::unique_ptr<Card> makeTaskCard(LiveTraining& training);
std::unique_ptr<Card> makeLiveHeadsCard(LiveTraining& training);
std::unique_ptr<Card> makeOverStepsCard(LiveTraining& training);
std::unique_ptr<Card> makeCurvesCard(LiveTraining& training);
std::unique_ptr<Card> makeTrainingStepCard(LiveTraining& training);
std::unique_ptr<Card> makeHeadCountsCard(LiveStudy& study);
std::unique_ptr<Card> makeScaleCard(LiveStudy& study);
std::unique_ptr<Card> makeHeadOffCard(LiveTraining& training);

/// The heading of a card in the page's middle, as tabs that lead to the others.
void middleTabs(const PanelContext& panel, TrainTab tab, const char* explanation);

/// The task that the view names; the first where there is none of that name.
const training::Task& chosenTask(const TrainView& view);
/// The run it asks for: the task's settings, with what the view sets itself.
training::TrainingSettings chosenSettings(const TrainView& view);
/// Begins that run anew, or says why it cannot be.
void beginRun(const PanelContext& panel, LiveTraining& training);
/// Does so where there is another one, or none. A view may be set from anywhere: by hand, by a
/// lesson, by a session.
void beginWhereAnotherIsAsked(const PanelContext& panel, LiveTraining& training);

/// Train or pause, one step, from the start.
void runButtons(const PanelContext& panel, LiveTraining& training, const TrainingMoment& moment);

/// A head of weights (1, H, T, T); a masked pair is hatched, as everywhere.
CellRows weightCells(const Tensor& weights, Index head, bool causal);

/// "red 7": what the places of an example are called; "1", "2" … of a series.
std::vector<std::string> placesOf(const training::Task& task, const training::Examples& example);

/// A relation's colour, and a question's: the same where they have one name.
ImU32 relationColor(const Theme& theme, std::size_t relation);

}  // namespace headscope::ui
