// The train page: a run in the background, its buttons and fields, looking back, and a layer of it
// opened as the document.
#include <algorithm>
#include <cmath>
#include <string>

#include "app/live_study.h"
#include "app/live_training.h"
#include "app/ui/head_purposes.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/train/train_page.h"
#include "app_driver.h"
#include "core/attention/switches.h"
#include "tests/core/support/documents.h"

namespace headscope::ui {
namespace {

/// Opens the page with its run at the start.
void openTrainPage(AppDriver& ui) {
  ui.view().selection.page = kTrainPage;
  ui.frame();
  ui.settle();
  ui.frame();
}

TEST(TrainPage, TakesSingleStepsAndStartsAgain) {
  AppDriver ui;
  ui.view().train.step = true;
  openTrainPage(ui);
  EXPECT_TRUE(ui.shows("Head 4", "live heads"));
  EXPECT_TRUE(ui.shows("step 0 of 300"));
  ui.click("Step", kLiveHeadsCard);
  ui.settle();
  EXPECT_TRUE(ui.shows("step 1 of 300"));
  ui.press(Key::right);
  ui.settle();
  EXPECT_TRUE(ui.shows("step 2 of 300"));
  EXPECT_TRUE(ui.shows("whole gradient"));
  ui.click("Reset");
  ui.settle();
  EXPECT_TRUE(ui.shows("step 0 of 300"));
}

/// The arrows go from one evaluation to the next, and from the newest step on to a new one.
TEST(TrainPage, ArrowsLookBackAndForward) {
  AppDriver ui;
  openTrainPage(ui);
  const auto press = [&](Key key) {
    ui.press(key);
    ui.settle();
  };
  for (int i = 0; i < 12; ++i) press(Key::right);
  EXPECT_TRUE(ui.shows("step 12 of 300"));
  press(Key::left);
  EXPECT_TRUE(ui.shows("step 10 of 300 (the run is at 12)")) << ui.screen().all(kLiveHeadsCard);
  press(Key::left);
  EXPECT_TRUE(ui.shows("step 5 of 300 (the run is at 12)")) << ui.screen().all(kLiveHeadsCard);
  press(Key::right);
  press(Key::right);
  EXPECT_TRUE(ui.shows("step 12 of 300")) << ui.screen().all(kLiveHeadsCard);
  press(Key::right);
  EXPECT_TRUE(ui.shows("step 13 of 300")) << ui.screen().all(kLiveHeadsCard);
}

TEST(TrainPage, HeadsTakeItAndTheRestComesOnDemand) {
  AppDriver ui;
  openTrainPage(ui);
  const auto whole = ui.window("/live heads_");
  ASSERT_TRUE(whole);
  EXPECT_GT((whole->x1 - whole->x0) * (whole->y1 - whole->y0), 0.6F * 1600 * 1000);
  EXPECT_FALSE(ui.window("/curves_"));
  ui.click("curves", kLiveHeadsCard);
  ui.click("a step", kLiveHeadsCard);
  EXPECT_TRUE(ui.window("/curves_"));
  EXPECT_TRUE(ui.window("/training step_"));
  ui.click("curves", kLiveHeadsCard);
  EXPECT_FALSE(ui.window("/curves_"));
}

TEST(TrainPage, ItsButtonDiffersFromAChosenOne) {
  AppDriver ui;
  openTrainPage(ui);
  const Theme& t = theme(ThemeKind::light);
  const auto colorOf = [&](const char* text) {
    return ui.screen().find(text, kLiveHeadsCard).value_or(Spot{}).color;
  };
  EXPECT_EQ(colorOf("20/s"), t.accentText);
  EXPECT_EQ(colorOf("Train"), t.textOnAccent);
}

/// The wheel over a field steps its number.
TEST(TrainPage, TheWheelStepsANumber) {
  AppDriver ui;
  openTrainPage(ui);
  ui.hover(ui.after("layers", kTaskCard));
  ui.host().wheel(1.0F);
  ui.settle();
  EXPECT_EQ(chosenSettings(ui.view().train).model.layers, 2);
  ui.host().wheel(-1.0F);
  ui.settle();
  EXPECT_EQ(chosenSettings(ui.view().train).model.layers, 1);
}

TEST(TrainPage, AnotherTaskKeepsTheRunThatOneReturnsTo) {
  AppDriver ui;
  openTrainPage(ui);
  ui.view().train.heads = 2;
  ui.settle();
  for (int i = 0; i < 3; ++i) ui.click("Step", kLiveHeadsCard);
  EXPECT_TRUE(ui.shows("step 3 of 300"));
  ui.click("Pointer", kTaskCard);
  EXPECT_TRUE(ui.shows("step 0 of"));
  ui.click("Cards", kTaskCard);
  EXPECT_TRUE(ui.shows("step 3 of 300")) << ui.screen().all(kLiveHeadsCard);
  EXPECT_EQ(ui.view().train.heads, 2);
  ui.click("Step", kLiveHeadsCard);
  EXPECT_TRUE(ui.shows("step 4 of 300"));
  ui.click("Reset", kLiveHeadsCard);
  EXPECT_TRUE(ui.shows("step 0 of 300"));
}

/// A relation is muted until a head has found it, then it has that head's colour everywhere.
TEST(TrainPage, ARelationHasTheColourOfTheHeadThatFoundIt) {
  const training::Task& task = training::taskFromString("cards");
  TrainingMoment moment;
  moment.task = &task;
  moment.settings = training::settingsOf(task);
  const Theme& t = theme(ThemeKind::light);
  EXPECT_EQ(relationColor(t, moment, 0), t.textMuted);
  training::Evaluation evaluation;
  evaluation.roles.relations.resize(task.relations.size());
  evaluation.roles.relations[0] = {HeadOfLayer{0, 3}, 0.9, true};
  evaluation.roles.relations[1] = {HeadOfLayer{0, 1}, 0.3, false};
  moment.evaluations.push_back(evaluation);
  EXPECT_EQ(relationColor(t, moment, 0), headColor(t, 3));
  EXPECT_EQ(relationColor(t, moment, 1), t.textMuted);
}

TEST(TrainPage, ChoicesAreUndoneAndRedone) {
  AppDriver ui;
  openTrainPage(ui);
  const auto& train = ui.view().train;
  ui.click("Pointer", kTaskCard);
  ui.click("try another", kTaskCard);
  EXPECT_EQ(train.seed, 2U);
  ui.press(Key{'Z'}, true);
  EXPECT_EQ(train.seed, 1U);
  EXPECT_EQ(train.task, "pointer");
  ui.press(Key{'Z'}, true);
  EXPECT_EQ(train.task, "cards");
  EXPECT_TRUE(ui.shows("Sixteen cards", kTaskCard)) << ui.screen().all(kTaskCard);
  ui.press(Key{'Z'}, true);  // nothing is left
  EXPECT_EQ(train.task, "cards");
  ui.press(Key{'Z'}, true, true);
  EXPECT_EQ(train.task, "pointer");
  ui.click("Recall", kTaskCard);
  ui.press(Key{'Z'}, true, true);  // another choice leaves nothing to redo
  EXPECT_EQ(train.task, "recall");
}

/// The mask tool also uses Enter, but only on the page that shows it.
TEST(TrainPage, EnterTrainsWhateverToolIsOpen) {
  AppDriver ui;
  ui.view().selection.tool = "mask";
  openTrainPage(ui);
  ui.press(Key::enter);
  ui.frame();
  EXPECT_TRUE(ui.shows("Pause", kLiveHeadsCard));
  EXPECT_FALSE(ui.view().selection.cell);
}

TEST(TrainPage, EveryTaskOpensAndTakesAStep) {
  AppDriver ui;
  openTrainPage(ui);
  for (const training::Task& task : training::allTasks()) {
    ui.click(task.title, "task");
    ui.settle();
    EXPECT_EQ(ui.view().train.task, task.id);
    ui.click("Step", kLiveHeadsCard);
    ui.settle();
    EXPECT_TRUE(ui.shows("step 1 of")) << task.id;
    for (const training::Relation& relation : task.relations) {
      EXPECT_TRUE(ui.shows(relation.name, "task")) << relation.name;
    }
  }
}

TEST(TrainPage, OpensALayerAsTheDocumentWithItsOwnWeights) {
  AppDriver ui;
  openTrainPage(ui);
  ui.click("Step", kLiveHeadsCard);
  ui.settle();
  ui.click("open in Flow");
  ui.settle();
  EXPECT_EQ(ui.view().selection.page, kFlowPage);
  EXPECT_EQ(ui.config().dModel, 64);
  EXPECT_EQ(ui.config().numHeads, 4);
  EXPECT_EQ(ui.config().seqLen, 16);
  EXPECT_FALSE(ui.config().switches->bias);

  // what the page drew is what the engine computes of that document
  const training::Task& task = training::taskFromString("cards");
  training::Trainer trainer(task, chosenSettings(ui.view().train), Index{1} << 30);
  ASSERT_TRUE(trainer.step({}));
  const training::Parameter& wQ = trainer.model().weight(0, TensorId::wQ);
  EXPECT_EQ(ui.document().weights.wQ.values(), wQ.value.values());
  ui.press(Key{'Z'}, true);
  ui.settle();
  EXPECT_EQ(ui.config().dModel, 512);  // undo leads back
}

TEST(TrainPage, OpensALayerWithTheRelationThatAHeadFound) {
  AppDriver ui;
  openTrainPage(ui);
  for (int step = 0; step < 40; ++step) {  // the first of four relations is found
    ui.click("Step", kLiveHeadsCard);
    ui.settle();
  }
  ASSERT_TRUE(ui.shows("found at", kLiveHeadsCard));
  ui.click("open in Flow");
  ui.settle();
  const auto purposes = headPurposes(ui.document());
  EXPECT_TRUE(
      std::ranges::any_of(purposes, [](const HeadPurpose& head) { return head.title == "first"; }));
}

TEST(TrainPage, ALayerInFlowKeepsTheRelationsOfItsHeads) {
  const auto document = test::fromSource(TensorSource{"cards, layer 1",
                                                      test::randomTensor({1, 3, 8}, 1, "x", 1.0F),
                                                      {},
                                                      {"red 7", "blue 2", "red 4"},
                                                      {},
                                                      {},
                                                      {{1, "partner", {{2}, {}, {0}}}}},
                                         test::sized(8, 2, 3));
  AppDriver ui(
      test::changed(document, [](Document& d) { d.weightSource.loadedFrom = "cards, layer 1"; }));
  const auto purposes = headPurposes(ui.document());
  ASSERT_EQ(purposes.size(), 2U);
  EXPECT_EQ(purposes[0].title, "");
  EXPECT_EQ(namedHead(&purposes, 0), "head 1");
  EXPECT_EQ(namedHead(&purposes, 1), "head 2: partner");
  EXPECT_EQ(purposesInWords(&purposes), "learned, not designed");
  EXPECT_TRUE(ui.shows("partner"));

  ui.view().selection.page = kHeadsPage;
  ui.view().heads.effectTab = EffectTab::howLearned;
  ui.settle();
  EXPECT_TRUE(ui.shows("These heads learned with a task"));
  ui.click("to Train");
  EXPECT_EQ(ui.view().selection.page, kTrainPage);
}

TEST(TrainPage, HeadCountsAreRunSideBySideAndCanBeStopped) {
  AppDriver ui;
  ui.view().train.task = "pointer";
  openTrainPage(ui);
  ui.click("How many heads", kLiveHeadsCard);
  EXPECT_TRUE(ui.shows("5 runs of 120 steps", "head counts"));
  EXPECT_FALSE(ui.shows("16 heads", "head counts"));
  ui.click("Run", "head counts");
  ui.settle();
  EXPECT_TRUE(ui.shows("16 heads", "head counts"));
  EXPECT_TRUE(ui.shows("relations with a head of their own", "head counts"));
  // another task has no run yet
  ui.click("Brackets", "task");
  EXPECT_FALSE(ui.shows("16 heads", "head counts"));
}

TEST(TrainPage, AHeadThatIsOffIsSaidOfTheMomentLookedAt) {
  AppDriver ui;
  openTrainPage(ui);
  ui.click("Switch a head off", kLiveHeadsCard);
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("head 4", "head off"));
  EXPECT_TRUE(
      ui.shows("Still guessed: “previous”, “next”, “first”, “partner”. Train first", "head off"));
  EXPECT_FALSE(ui.shows("does not need any single head", "head off"));
  ui.click("Over steps", "head off");
  ui.click("Step", kOverStepsCard);
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("step 1", kOverStepsCard));
  EXPECT_TRUE(ui.shows("step 0", kOverStepsCard));
}

/// No further frame is drawn before the next event.
TEST(TrainPage, ItsRunIsThereInTheFrameThatOpensIt) {
  AppDriver ui;
  const auto at = ui.screen().find("Train", "top bar");
  ASSERT_TRUE(at);
  ui.host().moveMouse(at->centre());
  ui.host().frame(ui.app());
  ui.host().button(0, true);
  ui.host().frame(ui.app());
  ui.host().button(0, false);
  while (ui.view().selection.page != kTrainPage) ui.host().frame(ui.app());
  EXPECT_EQ(ui.app().nextChange(), 0.0) << "it goes on by itself";
  ui.press(Key::enter);
  for (int i = 0; i < 3; ++i) ui.settle();
  EXPECT_TRUE(ui.shows("Pause", kLiveHeadsCard)) << ui.screen().all(kLiveHeadsCard);
}

TEST(LiveStudy, ContinuesUntilAllRunsHaveTakenTheirSteps) {
  Scheduler scheduler;
  LiveStudy study(scheduler, Index{1} << 30);
  const training::Task& task = training::taskFromString("pointer");
  training::TrainingSettings settings = training::settingsOf(task);
  settings.model.dModel = 16;
  settings.batch = 4;
  settings.steps = 20;
  const auto variants = training::headCountVariants(settings);
  EXPECT_FALSE(study.isOf(task, variants));
  study.begin(task, variants);
  EXPECT_TRUE(study.isOf(task, variants));
  while (study.playing()) {
    study.follow();
    study.finish();
  }
  const auto moment = study.moment();
  ASSERT_NE(moment, nullptr);
  EXPECT_TRUE(moment->finished);
  ASSERT_EQ(moment->runs.size(), 5U);
  for (const StudyMoment::Run& run : moment->runs) EXPECT_EQ(run.figures.step, 20);
  settings.seed = 2;
  EXPECT_FALSE(study.isOf(task, training::headCountVariants(settings)));

  // a picture of it shows the same, and runs nothing
  LiveStudy shown(scheduler, Index{1} << 30, moment);
  EXPECT_TRUE(shown.isOf(task, variants));
  shown.play(true);
  EXPECT_FALSE(shown.playing());
}

TEST(LiveTraining, TakesTheStepsThatAreDue) {
  Scheduler scheduler;
  LiveTraining live(scheduler, Index{1} << 30);
  const training::Task& task = training::taskFromString("pointer");
  live.begin(task, training::settingsOf(task));
  const auto at = [&](double now) {
    live.follow(now);
    live.finish();
    live.follow(now);
    live.finish();
    live.follow(now);
    return live.moment()->stepsTaken;
  };
  EXPECT_EQ(at(10.0), 0);
  live.play(true);
  EXPECT_EQ(at(10.01), 0);
  EXPECT_EQ(at(10.11), 2);
  EXPECT_EQ(at(10.16), 3);
  EXPECT_EQ(at(13.0), 11);  // a long pause is not caught up
  live.play(false);
  EXPECT_EQ(at(14.0), 11);
  live.stepOnce();
  EXPECT_EQ(at(14.0), 12);
}

TEST(LiveTraining, LooksBackAndContinuesFromThere) {
  Scheduler scheduler;
  LiveTraining live(scheduler, Index{1} << 30);
  const training::Task& task = training::taskFromString("pointer");
  live.begin(task, training::settingsOf(task));
  const auto settled = [&] {
    for (int i = 0; i < 3; ++i) {
      live.follow(0.0);
      live.finish();
    }
    live.follow(0.0);
    return live.moment();
  };
  settled();
  for (int i = 0; i < 6; ++i) live.stepOnce();
  const auto sixth = settled();
  ASSERT_EQ(sixth->stepsTaken, 6);
  live.lookAt(2);
  const auto second = settled();
  EXPECT_EQ(second->step, 2);
  EXPECT_EQ(second->stepsTaken, 6);
  EXPECT_NE(second->weights.front().values(), sixth->weights.front().values());
  live.goBack(2);
  EXPECT_EQ(settled()->stepsTaken, 2);
  for (int i = 0; i < 4; ++i) live.stepOnce();
  const auto again = settled();
  EXPECT_EQ(again->stepsTaken, 6);
  EXPECT_EQ(again->weights.front().values(), sixth->weights.front().values());
  EXPECT_EQ(again->records.size(), sixth->records.size());
}

TEST(LiveTraining, ANewRunTakesNothingOfTheOneBefore) {
  Scheduler scheduler;
  LiveTraining live(scheduler, Index{1} << 30);
  const training::Task& task = training::taskFromString("pointer");
  training::TrainingSettings settings = training::settingsOf(task);
  settings.steps = 1;
  live.begin(task, settings);
  live.setSpeed(0.0);
  live.play(true);
  live.follow(0.0);
  live.finish();  // the run has ended, but its result is not read
  settings.steps = 5;
  live.begin(task, settings);
  live.play(true);
  live.follow(0.0);
  EXPECT_TRUE(live.playing());
  EXPECT_EQ(live.moment(), nullptr);
  live.finish();
  live.follow(0.0);
  ASSERT_NE(live.moment(), nullptr);
  EXPECT_EQ(live.moment()->settings.steps, 5);
}

TEST(LiveTraining, ReturnsToARunThatWasPutAside) {
  Scheduler scheduler;
  LiveTraining live(scheduler, Index{1} << 30);
  const auto settled = [&] {
    for (int i = 0; i < 3; ++i) {
      live.follow(0.0);
      live.finish();
    }
    live.follow(0.0);
    return live.moment();
  };
  const training::Task& pointer = training::taskFromString("pointer");
  const training::Task& cards = training::taskFromString("cards");
  live.begin(pointer, training::settingsOf(pointer));
  for (int i = 0; i < 2; ++i) live.stepOnce();
  const auto second = settled();
  ASSERT_EQ(second->stepsTaken, 2);
  EXPECT_FALSE(live.resume(cards, training::settingsOf(cards)));
  live.begin(cards, training::settingsOf(cards));
  EXPECT_EQ(live.moment(), nullptr);
  EXPECT_EQ(live.kept(pointer), second);
  settled();
  ASSERT_TRUE(live.resume(pointer, training::settingsOf(pointer)));
  EXPECT_EQ(live.moment(), second) << "shown at once";
  EXPECT_FALSE(live.playing());
  live.stepOnce();
  EXPECT_EQ(settled()->stepsTaken, 3);
  EXPECT_EQ(live.kept(pointer), nullptr);
  EXPECT_EQ(live.kept(cards), nullptr) << "a run without steps is not kept";
  // the same run begun again replaces it
  live.begin(pointer, training::settingsOf(pointer));
  EXPECT_EQ(settled()->stepsTaken, 0);
  EXPECT_EQ(live.kept(pointer), nullptr);
}

TEST(LiveTraining, RefusesWhatCannotBeAndKeepsTheRun) {
  Scheduler scheduler;
  LiveTraining live(scheduler, Index{1} << 30);
  const training::Task& task = training::taskFromString("cards");
  live.begin(task, training::settingsOf(task));
  training::TrainingSettings wrong = training::settingsOf(task);
  wrong.model.heads = 5;
  EXPECT_THROW(live.begin(task, wrong), UserError);
  EXPECT_TRUE(live.isOf(task, wrong)) << "not to be asked for again and again";
  live.follow(0.0);
  live.finish();
  live.follow(0.0);
  ASSERT_NE(live.moment(), nullptr);
  EXPECT_EQ(live.moment()->settings.model.heads, training::settingsOf(task).model.heads);
}

}  // namespace
}  // namespace headscope::ui
