// Lessons in the window: a scene's state and view, a question, a task done by hand, the way on.
#include <filesystem>
#include <fstream>
#include <string>

#include "app/ui/learn/lesson_run.h"
#include "core/formats/lesson_json.h"
#include "lesson_window.h"

namespace headscope::ui {
namespace {

void openFirstLesson(AppDriver& ui) { openLesson(ui, "One word asks"); }

/// Trains step by step with the keyboard, and waits for each step's results.
void trainSteps(AppDriver& ui, int steps) {
  for (int i = 0; i < steps; ++i) {
    ui.press(Key::right);
    ui.settle();
  }
}

TEST(LearnPage, ListsEveryLesson) {
  AppDriver ui;
  ui.view().selection.page = kLearnPage;
  ui.frame();
  for (const lessons::Lesson& lesson : formats::shippedLessons()) {
    EXPECT_TRUE(ui.shows(onScreen(lesson.title), "lessons")) << lesson.title;
  }
  EXPECT_FALSE(ui.shows("d_model", "top bar"));
}

TEST(LearnPage, ALessonStandsNextToThePage) {
  AppDriver ui;
  openFirstLesson(ui);
  EXPECT_TRUE(ui.shows("1 of 6", "lesson"));
  EXPECT_EQ(ui.view().selection.page, kStagePage);
  EXPECT_EQ(ui.view().selection.step, StepId::project);
  EXPECT_TRUE(ui.shows("of 512 numbers", "lesson")) << ui.screen().all("lesson");
  ui.press(Key::pageDown);
  ui.settle();
  EXPECT_EQ(ui.view().selection.step, StepId::split);
  ui.press(Key::pageUp);
  ui.settle();
  EXPECT_EQ(ui.view().selection.step, StepId::project);
  ui.click("Leave", "lesson");
  EXPECT_EQ(ui.view().selection.page, kLearnPage) << "where the lesson was begun";
  EXPECT_FALSE(ui.shows("One word asks · ", "lesson"));
}

TEST(LearnPage, AnAnswerIsShownAfterAChoiceAlone) {
  AppDriver ui;
  openFirstLesson(ui);
  ui.press(Key::pageDown);
  ui.settle();
  EXPECT_FALSE(ui.shows("512 ÷ 8 = 64", "lesson"));
  ui.click("d_model × heads", "lesson");
  ui.settle();
  EXPECT_TRUE(ui.shows("Not quite.", "lesson")) << ui.screen().all("lesson");
  EXPECT_FALSE(ui.shows("512 ÷ 8 = 64", "lesson"));
  ui.click("d_model ÷ heads", "lesson");
  EXPECT_TRUE(ui.shows("512 ÷ 8 = 64", "lesson"));
  ui.type("1");  // a digit stays with the question
  EXPECT_FALSE(ui.app().message().find("scene") != std::string::npos) << ui.app().message();
  for (const Key key : {Key::pageDown, Key::pageUp}) {  // and the answer with its scene
    ui.press(key);
    ui.settle();
  }
  EXPECT_TRUE(ui.shows("512 ÷ 8 = 64", "lesson")) << ui.screen().all("lesson");
}

TEST(LearnPage, ASceneShowsTheSentenceOfABatchThatItNames) {
  AppDriver ui;
  openLesson(ui, "Masks");
  for (int i = 0; i < 3; ++i) {  // from one sentence to two, as the panel is drawn
    ui.click("Next", "lesson");
    ui.settle();
  }
  EXPECT_EQ(ui.view().selection.item, 1);
  EXPECT_TRUE(ui.shows("item 2 of 2")) << ui.screen().all("input");
}

/// The button of an open lesson is also in the picture that its scenes show.
TEST(LearnPage, ALessonThatIsOpenIsNotBegunAgainByItsButton) {
  AppDriver ui;
  openLesson(ui, "A sentence looks into another");
  ui.press(Key::pageDown);
  ui.settle();
  ASSERT_TRUE(ui.shows("2 of 5", "lesson")) << ui.screen().all("lesson");
  ui.click("lesson", "stage");
  ui.settle();
  EXPECT_TRUE(ui.shows("2 of 5", "lesson")) << ui.screen().all("lesson");
}

/// The word that a scene names is followed, also where its sentence is another.
TEST(LearnPage, ASceneFollowsTheWordThatItNames) {
  AppDriver ui;
  openLesson(ui, "Twelve questions");
  for (int i = 0; i < 5; ++i) ui.press(Key::pageDown);
  EXPECT_TRUE(ui.shows("“bank” looks at “the” (1 of 2).", kSentenceCard)) << ui.screen().all();
}

TEST(LearnPage, ATaskIsSeenToBeDone) {
  AppDriver ui;
  openFirstLesson(ui);
  for (int i = 0; i < 4; ++i) {
    ui.press(Key::pageDown);
    ui.settle();
  }
  ui.frame();
  EXPECT_TRUE(ui.shows("Not yet", "lesson")) << ui.screen().all("lesson");
  ui.click("A hint", "lesson");
  EXPECT_TRUE(ui.shows("can be clicked", "lesson")) << ui.screen().all("lesson");
  ui.click("mat", kSentenceCard);
  EXPECT_TRUE(ui.shows("Done.", "lesson")) << ui.screen().all("lesson");
}

/// A folder of this test's own.
std::filesystem::path ownFolder() {
  const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::path folder = std::filesystem::temp_directory_path() / ("headscope-" + name);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

TEST(StartPanel, IsClosedForGood) {
  const auto folder = ownFolder();
  AppDriver ui;
  EXPECT_FALSE(ui.shows("Where to begin"));  // nothing is kept: it would come back each time
  ui.restartKeeping(folder, presetDocument("original-transformer"));
  EXPECT_TRUE(ui.shows("Where to begin", "start"));
  ui.click("Do not show again", "start");
  ui.frame();
  EXPECT_FALSE(ui.shows("Where to begin"));
  ui.restartKeeping(folder, presetDocument("original-transformer"));
  EXPECT_FALSE(ui.shows("Where to begin"));
  std::filesystem::remove_all(folder);
}

/// A lesson that is continued later has the state that its first scenes set, whatever document is
/// open then.
TEST(LearnPage, KeepsWhatWasDoneAndIsGoneOnWithAsItsScenesLeftIt) {
  const auto folder = ownFolder();
  AppDriver ui;
  ui.restartKeeping(folder, presetDocument("original-transformer"));
  openFirstLesson(ui);
  ui.press(Key::pageDown);
  ui.settle();
  ui.restartKeeping(folder, presetDocument("bert-base"));
  ui.view().selection.tool = kTermsTool;
  ui.view().selection.page = kLearnPage;
  ui.frame();
  EXPECT_TRUE(ui.shows("1 of 6 done", "lessons")) << ui.screen().all("lessons");
  ui.click("Go on", "lessons");
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("A head's share", "lesson")) << ui.screen().all("lesson");
  EXPECT_EQ(ui.document().config.seqLen, 6);
  EXPECT_EQ(ui.view().selection.tool, kFlowTool);
  for (int scene = 0; scene < 2; ++scene) {
    ui.press(Key::pageDown);
    ui.settle();
    ui.frame();
    EXPECT_FALSE(ui.shows("–", "lesson")) << ui.screen().all("lesson");
  }
  std::filesystem::remove_all(folder);
}

TEST(LearnPage, OpensATeachersOwnLesson) {
  const auto file = ownFolder() / "mine.lesson.json";
  std::ofstream(file)
      << R"({"title": "Mine", "scenes": [{"title": "One", "text": "{heads} heads"}]})";
  AppDriver ui;
  ui.app().dropFiles({file});
  ui.frame();
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("8 heads", "lesson")) << ui.screen().all();
  std::ofstream(file) << "{\n\n,";
  ui.app().dropFiles({file});
  ui.frame();
  ui.frame();
  EXPECT_TRUE(ui.shows("line 3")) << ui.screen().all();
  EXPECT_TRUE(ui.shows("8 heads", "lesson"));  // the one that is open stays
  std::filesystem::remove_all(file.parent_path());
}

TEST(LearnPage, ATaskIsJudgedByTheTrainingRun) {
  AppDriver ui;
  openLesson(ui, "Heads specialise by training");
  EXPECT_EQ(ui.view().selection.page, kTrainPage);
  for (int i = 0; i < 4; ++i) ui.press(Key::pageDown);
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("Two heads for four jobs", "lesson"));
  EXPECT_EQ(ui.view().train.heads, 2);
  EXPECT_FALSE(ui.shows("Head 3", kLiveHeadsCard)) << "the run is the one that the scene asks for";
  EXPECT_TRUE(choose(ui, "share their weight among several jobs each"));  // then comes the task
  trainSteps(ui, 3);
  EXPECT_TRUE(ui.shows("Not yet", "lesson"));
  ui.click("fast", kLiveHeadsCard);
  ui.press(Key::enter);
  for (int i = 0; i < 2000 && !ui.shows("Done.", "lesson"); ++i) ui.settle();
  EXPECT_TRUE(ui.shows("Done.", "lesson")) << ui.screen().all("lesson");
  EXPECT_FALSE(ui.shows("–", "lesson"));
}

TEST(LearnPage, ASceneThatSaysSoBeginsItsRunAgain) {
  AppDriver ui;
  ui.view().selection.page = kTrainPage;
  ui.settle();
  trainSteps(ui, 3);
  EXPECT_TRUE(ui.shows("step 3 of", kLiveHeadsCard));
  openLesson(ui, "Heads specialise by training");
  EXPECT_TRUE(ui.shows("step 0 of", kLiveHeadsCard)) << ui.screen().all(kLiveHeadsCard);
  trainSteps(ui, 2);
  ui.press(Key::pageDown);
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("step 2 of", kLiveHeadsCard)) << "later scenes go on with it";
}

/// Only one card is drawn while presenting.
TEST(LearnPage, APresentedSceneShowsTheRunItAsksFor) {
  AppDriver ui;
  ui.view().selection.page = kTrainPage;
  ui.view().train.task = "induction";
  ui.settle();
  trainSteps(ui, 2);
  ui.view().selection.page = kLearnPage;
  ui.frame();
  ui.click("In a classroom", "lessons");
  ui.settle();
  for (int i = 0; i < 60 && ui.view().selection.page != kTrainPage; ++i) {
    ui.press(Key::pageDown);
    ui.settle();
  }
  ui.frame();
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("step 0")) << ui.screen().all();
  EXPECT_TRUE(ui.shows("Head 4")) << ui.screen().all();
  EXPECT_FALSE(ui.shows("Layer 2"));
}

TEST(LearnPage, ATaskIsJudgedByTheView) {
  AppDriver ui = lessonDriver();
  openLesson(ui, "Twelve questions");
  for (int i = 0; i < 8; ++i) ui.press(Key::pageDown);
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("Not yet", "lesson")) << ui.screen().all("lesson");
  ui.click("norm-weighted", "all heads");
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("Done.", "lesson")) << ui.screen().all("lesson");
}

TEST(LearnPage, ASentenceIsJudgedOnceItIsWhole) {
  AppDriver ui;
  openLesson(ui, "More heads");
  for (int i = 0; i < 4; ++i) ui.press(Key::pageDown);
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("Not yet", "lesson")) << ui.screen().all("lesson");
  ui.typeSentence("The old cat, which was near the door, did not sleep because it was hungry.",
                  false);
  ui.settle();
  ui.frame();
  EXPECT_FALSE(ui.shows("Done.", "lesson")) << ui.screen().all("lesson");
  EXPECT_TRUE(ui.shows("Press Enter", "lesson")) << ui.screen().all("lesson");
  ui.press(Key::enter);
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("Done.", "lesson")) << ui.screen().all("lesson");
}

TEST(LearnPage, WhatIsShownDoesNotCount) {
  AppDriver ui;
  openLesson(ui, "Twelve questions");
  ui.click("Show me", "lesson");
  for (int i = 0; i < 3; ++i) ui.settle();
  EXPECT_TRUE(ui.shows("Shown.", "lesson")) << ui.screen().all("lesson");
  ui.click("Look again: lesson 1", "lesson");
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("One word asks", "lesson")) << ui.screen().all("lesson");
  ui.click("Leave", "lesson");
  ui.view().selection.page = kLearnPage;
  ui.frame();
  EXPECT_TRUE(ui.shows("12 questions", "lessons")) << ui.screen().all("lessons");
  openLesson(ui, "Twelve questions");
  EXPECT_TRUE(ui.shows("1 of 12", "lesson"));
  ui.view().selection.head = 5;  // the one that looks there
  ui.frame();
  ui.frame();
  EXPECT_TRUE(ui.shows("Done.", "lesson")) << ui.screen().all("lesson");
  ui.click("Leave", "lesson");
  ui.view().selection.page = kLearnPage;
  ui.frame();
  EXPECT_TRUE(ui.shows("1 of 12 done", "lessons")) << ui.screen().all("lessons");
}

TEST(LearnPage, AScenesCardIsInSight) {
  AppDriver ui(presetDocument("original-transformer"), 1280, 720);
  openLesson(ui, "One head for two jobs");
  for (int i = 0; i < 2; ++i) ui.press(Key::pageDown);
  ui.settle();
  ui.frame();
  const auto tab = ui.screen().find("Why several heads", "effects");
  ASSERT_TRUE(tab) << ui.screen().all();
  EXPECT_LT(tab->max.y, 690.0F);
  for (int i = 0; i < 2; ++i) ui.press(Key::pageUp);
  ui.settle();
  ui.frame();
  const auto grid = ui.screen().find("All heads", "all heads");
  ASSERT_TRUE(grid) << "of the first scene the page's top is in sight again";
  EXPECT_GT(grid->min.y, 80.0F);
}

/// In every scene of every lesson all text is visible, and the suggested steps solve the task.
TEST(LearnPage, EverySceneCanBeGoneThrough) {
  AppDriver ui = lessonDriver();
  for (const lessons::Lesson& lesson : formats::shippedLessons()) {
    openLesson(ui, onScreen(lesson.title));
    for (const lessons::Scene& scene : lesson.scenes) {
      EXPECT_TRUE(ui.shows(onScreen(scene.title), "lesson")) << lesson.title << ": " << scene.title;
      EXPECT_FALSE(ui.shows("–", "lesson")) << ui.screen().all("lesson");
      EXPECT_FALSE(ui.shows("Done.", "lesson")) << "done before it is begun: " << scene.title;
      if (scene.check) {
        if (scene.predict) {  // its task comes after the question
          EXPECT_TRUE(choose(ui, scene.predict->choices[scene.predict->right].text)) << scene.title;
        }
        const bool stories = ui.view().train.task == "stories";
        if (!scene.check->way.trainStep.empty()) {
          ui.click("fast", stories ? kSentenceHeadsCard : kLiveHeadsCard);
        }
        if (!scene.check->way.control.empty()) {  // it is in sight, or the pointer would not go
          ui.host().click(ui.app(), ui.at("Show me", "lesson"));
          ui.host().frames(ui.app(), 15);
          EXPECT_TRUE(ui.shows("Watch the pointer.", "lesson"))
              << scene.title << ": " << scene.check->way.control;
        } else {
          ui.click("Show me", "lesson");
        }
        for (int i = 0; i < 2000 && !ui.shows("Shown.", "lesson"); ++i) ui.settle();
        EXPECT_TRUE(ui.shows("Shown.", "lesson")) << scene.title << ui.screen().all("lesson");
        EXPECT_FALSE(ui.shows("–", "lesson")) << ui.screen().all("lesson");
      }
      ui.press(Key::pageDown);
      ui.settle();
      ui.frame();
    }
    ui.press(Key::pageDown);  // from the lesson's end to the list
  }
}

/// A quiz shows the actual answer, read from the pass; its end lists the questions still open.
TEST(LearnPage, AQuizSaysHowItStandsAndEndsWithWhatIsLeft) {
  AppDriver ui = lessonDriver();
  openLesson(ui, "Twelve questions");
  const std::string before = "In head 1 “on” looks most at";
  EXPECT_TRUE(ui.shows("Not yet. " + before, "lesson"));
  ui.click("Head 3", "heads");
  EXPECT_TRUE(ui.shows("Not yet. In head 3 “on” looks most at", "lesson"));
  ui.click("Head 6", "heads");
  EXPECT_TRUE(ui.shows("Done.", "lesson"));
  EXPECT_TRUE(ui.shows("In head 6 it gives", "lesson"));
  ui.click("Next", "lesson");
  for (int i = 1; i < 12; ++i) ui.click("Skip", "lesson");
  EXPECT_TRUE(ui.shows("1 of 12 done", "lesson"));
  EXPECT_TRUE(ui.shows("Done: 1. What is multi-head attention?", "lesson"));
  EXPECT_TRUE(ui.shows("Look again: lesson 2", "lesson"));
  EXPECT_TRUE(ui.shows("Head 1: “sat” looks at", "lesson")) << "what was seen last";
  EXPECT_TRUE(ui.shows("Next: Nobody told it", "lesson"));
  ui.click("Ask those left", "lesson");
  EXPECT_TRUE(ui.shows("2 of 12", "lesson"));
  ui.click("Back", "lesson");
  EXPECT_TRUE(ui.shows("1 of 12 · answered before", "lesson"));
}

TEST(LearnPage, FromALessonToLookAtAgainOneComesBackToTheQuestion) {
  AppDriver ui;
  openLesson(ui, "Twelve questions");
  ui.click("Head 6", "heads");
  ui.click("Look again: lesson 1", "lesson");
  EXPECT_TRUE(ui.shows("One word asks · 1 of", "lesson"));
  ui.click("To question 1", "lesson");
  EXPECT_TRUE(ui.shows("Twelve questions · 1 of 12", "lesson"));
  EXPECT_FALSE(ui.shows("To question", "lesson"));
}

/// A click opens another page, with other content under the mouse.
TEST(Tooltips, WaitForTheMouseToMoveAfterAClick) {
  AppDriver ui;
  const ImVec2 play = ui.at("Play", "steps");
  const auto tipIsShown = [&] {
    ui.host().advance(1.0);  // the mouse rests
    ui.frame();
    return ui.shows("Play the steps number by number", "Tooltip");
  };
  ui.hover(play);
  ASSERT_TRUE(tipIsShown());
  ui.view().selection.page = kLearnPage;
  ui.clickAt(play);
  ui.view().selection.page = kFlowPage;
  ui.settle();
  EXPECT_FALSE(tipIsShown());
  ui.hover({play.x + 1.0F, play.y});
  EXPECT_TRUE(tipIsShown());
}

}  // namespace
}  // namespace headscope::ui
