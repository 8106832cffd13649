// Train page: a live run of a small model that learns a task: the task and an example of it, all
// heads as they form, the curves, and a training step. The cards share one run. Where the view
// names stories or a text, a language model learns next words, where it names shapes, an image
// model learns to name them, and other cards show its run.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/live_language.h"
#include "app/live_shapes.h"
#include "app/live_study.h"
#include "app/live_training.h"
#include "app/ui/page.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/train/train_view.h"

namespace headscope::ui {

std::unique_ptr<Page> makeTrainPage(LiveTraining& training, LiveLanguage& language,
                                    LiveShapes& shapes, LiveStudy& headCounts, LiveStudy& scale);

std::unique_ptr<Card> makeTaskCard(LiveTraining& training, LiveLanguage& language,
                                   LiveShapes& shapes);
std::unique_ptr<Card> makeLiveHeadsCard(LiveTraining& training);
std::unique_ptr<Card> makeOverStepsCard(LiveTraining& training);
std::unique_ptr<Card> makeCurvesCard(LiveTraining& training);
std::unique_ptr<Card> makeTrainingStepCard(LiveTraining& training);
std::unique_ptr<Card> makeHeadCountsCard(LiveStudy& study);
std::unique_ptr<Card> makeScaleCard(LiveStudy& study);
std::unique_ptr<Card> makeHeadOffCard(LiveTraining& training);
std::unique_ptr<Card> makeSentenceHeadsCard(LiveLanguage& language);
std::unique_ptr<Card> makeNextWordsCard(LiveLanguage& language);
std::unique_ptr<Card> makeWrittenTextCard(LiveLanguage& language);
std::unique_ptr<Card> makeStoryLossCard(LiveLanguage& language);
std::unique_ptr<Card> makeStoryQuestionsCard(LiveLanguage& language);
std::unique_ptr<Card> makeTextTokensCard(LiveLanguage& language);
std::unique_ptr<Card> makeShapePicturesCard(LiveShapes& shapes);
std::unique_ptr<Card> makeShapeCurvesCard(LiveShapes& shapes);

/// Draws the heading of a card in the page's middle, as tabs that open the other cards.
void middleTabs(const PanelContext& panel, TrainTab tab, const char* explanation);

/// Returns the task that the view names, or the first one where there is none of that name.
const training::Task& chosenTask(const TrainView& view);
/// Returns the settings of the view's run: the task's, with the view's own changes.
training::TrainingSettings chosenSettings(const TrainView& view);
/// Returns whether the page shows runs of a width, batch and rate of their own: those that compare
/// scores with and without ÷√d_k. The settings of the view's run would mislead there.
bool showsOwnSettings(const TrainView& view);
/// Restarts the view's run, or reports why it cannot run.
void beginRun(const PanelContext& panel, LiveTraining& training);
/// Where the view names another run, or where there is none, returns to the run that was put aside
/// or begins a new one. A view may be set from anywhere: by hand, by a lesson, by a session.
void beginWhereAnotherIsAsked(const PanelContext& panel, LiveTraining& training);

/// Draws the buttons that train or pause, take one step, and reset the run.
void runButtons(const PanelContext& panel, LiveTraining& training, const TrainingMoment& moment);

/// Draws the buttons that show the run's curves and a training step, and hide them.
void detailPills(const PanelContext& panel);

/// Returns the cells of one head of weights (1, H, T, T); `causal`: later keys are masked.
CellRows weightCells(const Tensor& weights, Index head, bool causal);

/// Returns the names of an example's places: "red 7"; for a series, "1", "2" …
std::vector<std::string> placesOf(const training::Task& task, const training::Examples& example);

/// Returns the colour of a relation, and of the question with the same index: that of the head that
/// it has found at the shown step; muted until then.
ImU32 relationColor(const Theme& theme, const TrainingMoment& moment, std::size_t relation);

}  // namespace headscope::ui
