// Train page: a small model learns a task before one's eyes: the task and an example of it, all
// heads as they form, the curves, and what a step does. The cards share one live run.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/live_training.h"
#include "app/ui/page.h"

namespace headscope::ui {

std::unique_ptr<Page> makeTrainPage(LiveTraining& training);

std::unique_ptr<Card> makeTaskCard(LiveTraining& training);
std::unique_ptr<Card> makeLiveHeadsCard(LiveTraining& training);
std::unique_ptr<Card> makeCurvesCard(LiveTraining& training);
std::unique_ptr<Card> makeTrainingStepCard(LiveTraining& training);

/// The task that the view names; the first where there is none of that name.
const training::Task& chosenTask(const TrainView& view);
/// The run it asks for: the task's settings, with what the view sets itself.
training::TrainingSettings chosenSettings(const TrainView& view);
/// Begins that run anew, or says why it cannot be.
void beginRun(const Panel& panel, LiveTraining& training);

/// "red 7": what the places of an example are called; "1", "2" … of a series.
std::vector<std::string> placesOf(const training::Task& task, const training::Examples& example);

/// A relation's colour, and a question's: the same where they have one name.
ImU32 relationColor(const Theme& theme, std::size_t relation);

}  // namespace headscope::ui
