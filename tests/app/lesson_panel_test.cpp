// The lesson panel: questions that stay open after a wrong answer, the pointer of “Show me”, the
// dimmed cards, the end of a lesson and the paths of the list.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/learn/lesson_picture.h"
#include "app/ui/learn/lesson_run.h"
#include "core/formats/lesson_json.h"
#include "lesson_window.h"

namespace headscope::ui {
namespace {

TEST(LessonPanel, AWrongAnswerSaysWhatItMeansAndLeavesTheQuestionOpen) {
  AppDriver ui;
  openLesson(ui, "Twelve questions");
  for (int i = 0; i < 3; ++i) ui.press(Key::pageDown);
  for (const char* wrong : {"dk", "h"}) {
    const ScreenText screen = ui.screen();
    for (const TextRun& run : screen.runs()) {
      if (run.text != wrong) continue;
      ui.clickAt(run.spot(0, run.text.size()).centre());
      break;
    }
  }
  EXPECT_TRUE(ui.shows("That is how many heads there are", "lesson")) << ui.screen().all("lesson");
  EXPECT_FALSE(ui.shows("That is one headi", "lesson")) << "the last one alone";
  ui.click("h × dk", "lesson");
  EXPECT_TRUE(ui.shows("8 × 64 = 512", "lesson")) << ui.screen().all("lesson");
  EXPECT_TRUE(ui.shows("A question counts where its first choice was right", "lesson"));
}

TEST(LessonPanel, DigitsAnswerAnOpenQuestion) {
  AppDriver ui;
  openLesson(ui, "One word asks");
  ui.press(Key::pageDown);
  ui.type("2");
  EXPECT_TRUE(ui.shows("Not quite.", "lesson")) << ui.screen().all("lesson");
  ui.press(Key{'E'}, true);  // a sentence is typed
  ui.type("1");
  EXPECT_FALSE(ui.shows("Yes.", "lesson"));
  ui.press(Key::escape);
  ui.type("1");
  EXPECT_TRUE(ui.shows("Yes.", "lesson")) << ui.screen().all("lesson");
}

TEST(LessonPanel, SaysWhatAnAttemptMeans) {
  AppDriver ui = lessonDriver();
  openLesson(ui, "Twelve questions");
  ui.press(Key::pageDown);
  EXPECT_TRUE(ui.shows("“Switch a head off” is open", "lesson")) << ui.screen().all("lesson");
  ui.click("More heads", "effects");
  EXPECT_TRUE(ui.shows("gives none of them two jobs", "lesson")) << ui.screen().all("lesson");
  ui.view().selection.page = kFlowPage;
  ui.settle();
  EXPECT_TRUE(ui.shows("The place is on the page Heads.", "lesson")) << ui.screen().all("lesson");
}

TEST(LessonPanel, ATaskDoneEarlyTellsNothingBeforeTheQuestionIsAnswered) {
  AppDriver ui;
  openLesson(ui, "Twelve questions");
  for (int i = 0; i < 5; ++i) ui.press(Key::pageDown);
  ui.view().selection.head = 5;
  ui.settle();
  EXPECT_FALSE(ui.shows("whatever a bank is", "lesson")) << ui.screen().all("lesson");
  ui.type("2");
  EXPECT_TRUE(ui.shows("Done.", "lesson")) << ui.screen().all("lesson");
  EXPECT_TRUE(ui.shows("whatever a bank is", "lesson")) << ui.screen().all("lesson");
}

TEST(LessonPanel, TheEndAsksTheOpenQuestionsAgainAndThemAlone) {
  AppDriver ui = lessonDriver();
  openLesson(ui, "Twelve questions");
  for (int i = 0; i < 3; ++i) ui.press(Key::pageDown);
  ui.type("1");
  ui.type("2");
  EXPECT_TRUE(ui.shows("8 × 64 = 512", "lesson")) << ui.screen().all("lesson");
  for (int i = 0; i < 2; ++i) ui.press(Key::pageDown);
  ui.type("2");
  ui.view().selection.head = 5;
  ui.settle();
  EXPECT_TRUE(ui.shows("Done.", "lesson")) << ui.screen().all("lesson");
  for (int i = 0; i < 7; ++i) ui.press(Key::pageDown);
  EXPECT_TRUE(ui.shows("1 of 12 done", "lesson")) << ui.screen().all("lesson");
  ui.click("Ask those left", "lesson");
  for (int i = 0; i < 3; ++i) ui.press(Key::pageDown);
  EXPECT_TRUE(ui.shows("How wide is", "lesson")) << ui.screen().all("lesson");
  EXPECT_FALSE(ui.shows("8 × 64 = 512", "lesson")) << "it is asked anew";
  for (int i = 0; i < 2; ++i) ui.press(Key::pageDown);
  EXPECT_TRUE(ui.shows("7 of 12", "lesson")) << "the sixth is done";
}

TEST(LessonPanel, TheArrowOfShowMeGoesToACellThatIsInSight) {
  AppDriver ui;
  openLesson(ui, "A sentence looks into another");
  for (const char* answer : {"1", "2", "3"}) ui.type(answer);
  EXPECT_FALSE(ui.shows("Watch the pointer.", "lesson"));
  ui.host().click(ui.app(), ui.at("Show me", "lesson"));
  ui.host().frames(ui.app(), 15);
  EXPECT_TRUE(ui.shows("Watch the pointer.", "lesson")) << ui.screen().all("lesson");
  for (int i = 0; i < 200 && !ui.shows("Shown.", "lesson"); ++i) ui.settle();
  EXPECT_TRUE(ui.shows("Shown.", "lesson")) << ui.screen().all("lesson");
}

TEST(LessonPanel, LightsTheFieldsThatASceneSpeaksOf) {
  AppDriver ui;
  openLesson(ui, "Twelve questions");
  for (int i = 0; i < 4; ++i) ui.press(Key::pageDown);
  const auto& lit = ui.view().frame.spotlight;
  EXPECT_EQ(lit, (std::vector<std::string>{"stage", "field d_model", "field heads"}));
  ui.click("Show me", "lesson");
  for (int i = 0; i < 3; ++i) ui.settle();
  EXPECT_TRUE(lit.empty()) << "the task is done";
}

TEST(LessonPanel, EndsWithWhatWasSeenAndTheNextLesson) {
  AppDriver ui;
  openLesson(ui, "One word asks");
  for (int i = 0; i < 6; ++i) ui.press(Key::pageDown);
  EXPECT_TRUE(ui.shows("What you saw", "lesson")) << ui.screen().all("lesson");
  EXPECT_TRUE(ui.shows("Head 2: “sat” looks at “cat”.", "lesson")) << ui.screen().all("lesson");
  EXPECT_TRUE(ui.shows("2 of 6 scenes done", "lesson")) << ui.screen().all("lesson");
  ui.press(Key::pageUp);
  EXPECT_TRUE(ui.shows("6 of 6", "lesson")) << "back to the last scene";
  ui.press(Key::pageDown);
  ui.click("Next: One head for two jobs", "lesson");
  EXPECT_TRUE(ui.shows("One head for two jobs · 1 of", "lesson")) << ui.screen().all("lesson");
}

void goToTheEnd(AppDriver& ui, std::string_view title) {
  for (const lessons::Lesson& lesson : formats::shippedLessons()) {
    if (lesson.title != title) continue;
    openLesson(ui, onScreen(lesson.title));
    for (std::size_t i = 0; i < lesson.scenes.size(); ++i) ui.press(Key::pageDown);
  }
  EXPECT_TRUE(ui.shows("What you saw", "lesson")) << title << ui.screen().all("lesson");
}

TEST(LessonPanel, ContinuesToTheNextPathAndToTheQuestionsAtLast) {
  AppDriver ui;
  goToTheEnd(ui, "More heads");
  EXPECT_TRUE(ui.shows("Next: Decoding", "lesson")) << ui.screen().all("lesson");
  goToTheEnd(ui, "An image as words");
  EXPECT_TRUE(ui.shows("Next: Twelve questions", "lesson")) << ui.screen().all("lesson");
  EXPECT_TRUE(ui.shows("Where “class” looks with head", "lesson")) << ui.screen().all("lesson");
  goToTheEnd(ui, "Why ÷ √d_k");  // the title of the next one has a raised letter
  EXPECT_TRUE(ui.shows("Next: What WO is for", "lesson")) << ui.screen().all("lesson");
}

TEST(LessonPanel, EndsWithTheCurvesOfAStudyThatRan) {
  AppDriver ui;
  goToTheEnd(ui, "Why ÷ √d_k");
  EXPECT_FALSE(ui.shows("The loss of 2 runs", "lesson")) << "nothing was run yet";
  ui.press(Key::pageUp);
  ui.click("Run", "body");
  ui.press(Key::pageDown);
  EXPECT_TRUE(ui.shows("The loss of 2 runs", "lesson")) << ui.screen().all("lesson");
}

TEST(LessonPanel, TheLayerOfALessonCanBeKept) {
  AppDriver ui(presetDocument("bert-base"));
  openLesson(ui, "One word asks");
  for (int i = 0; i < 6; ++i) ui.press(Key::pageDown);
  ui.click("Keep this layer", "lesson");
  EXPECT_EQ(ui.config().numHeads, 8);
  ui.view().selection.page = kStagePage;  // the page Learn has nothing to undo
  ui.settle();
  EXPECT_EQ(ui.undoAll(), 1);
  EXPECT_EQ(ui.config().numHeads, 12);
}

TEST(LessonPanel, ShowsThePathsWithTheirProgress) {
  AppDriver ui;
  for (const lessons::Lesson& lesson : formats::shippedLessons()) {
    EXPECT_TRUE(isLessonPicture(lesson.picture)) << lesson.id;
  }
  EXPECT_FALSE(isLessonPicture("none"));
  openLesson(ui, "One word asks");
  ui.press(Key::pageDown);
  ui.click("Leave", "lesson");
  for (const char* path : {"Ten minutes", "An hour", "A course", "A lecture"}) {
    EXPECT_TRUE(ui.shows(path, "lessons")) << path;
  }
  EXPECT_TRUE(ui.shows("1 of 10", "lessons")) << ui.screen().all("lessons");
}

/// The pointer takes its way before anything changes.
TEST(LessonPanel, ShowMePointsAtTheControlFirst) {
  AppDriver ui;
  openLesson(ui, "Splitting is a reshape");
  ui.press(Key::pageDown);
  ui.host().click(ui.app(), ui.at("Show me", "lesson"));
  ui.host().frames(ui.app(), 15);
  EXPECT_TRUE(ui.shows("Watch the pointer.", "lesson")) << ui.screen().all("lesson");
  EXPECT_EQ(ui.config().numHeads, 8);
  ui.settle();
  EXPECT_EQ(ui.config().numHeads, 12);
  EXPECT_TRUE(ui.shows("Shown.", "lesson")) << ui.screen().all("lesson");
}

/// The chosen cell's numbers are what the result speaks of.
TEST(LessonPanel, AChangeOfTheLayerThatIsShownKeepsTheChosenCell) {
  AppDriver ui;
  openLesson(ui, onScreen("Why ÷ √d_k"));
  ui.press(Key::pageDown);
  ui.type("3");
  const auto chosen = ui.view().selection.cell;
  ASSERT_TRUE(chosen);
  ui.click("Show me", "lesson");
  for (int i = 0; i < 3; ++i) ui.settle();
  EXPECT_TRUE(ui.shows("Shown.", "lesson")) << ui.screen().all("lesson");
  EXPECT_EQ(ui.view().selection.cell, chosen);
}

TEST(LessonPanel, DimsWhatASceneDoesNotSpeakOf) {
  AppDriver ui;
  EXPECT_FALSE(ui.window("spotlight"));
  openLesson(ui, "One word asks");
  EXPECT_TRUE(ui.window("spotlight"));
  ui.view().selection.page = kTrainPage;  // the reader goes elsewhere
  ui.settle();
  EXPECT_FALSE(ui.window("spotlight"));
  ui.view().selection.page = kStagePage;
  ui.settle();
  ui.click("Leave", "lesson");
  EXPECT_FALSE(ui.window("spotlight"));
}

/// The lessons come in the reverse order.
TEST(LessonPanel, EveryQuestionIsAnsweredWronglyAndThenRightly) {
  AppDriver ui = lessonDriver();
  const auto& all = formats::shippedLessons();
  for (auto lesson = all.rbegin(); lesson != all.rend(); ++lesson) {
    openLesson(ui, onScreen(lesson->title));
    for (const lessons::Scene& scene : lesson->scenes) {
      if (scene.predict) {
        const auto& choices = scene.predict->choices;
        for (std::size_t i = 0; i < choices.size(); ++i) {
          if (i == scene.predict->right) continue;
          EXPECT_TRUE(choose(ui, choices[i].text))
              << choices[i].text << ": " << ui.screen().all("lesson");
          EXPECT_TRUE(ui.shows("Not quite.", "lesson")) << scene.title;
        }
        EXPECT_FALSE(ui.shows("Yes.", "lesson")) << scene.title;
        EXPECT_TRUE(choose(ui, choices[scene.predict->right].text))
            << scene.title << ": " << ui.screen().all("lesson");
        EXPECT_TRUE(ui.shows("Yes.", "lesson")) << scene.title;
      }
      if (scene.check) {
        EXPECT_FALSE(ui.shows("The program notices", "lesson"))
            << scene.title << " does not say how its task stands: " << ui.screen().all("lesson");
      }
      ui.press(Key::pageDown);
    }
    ui.press(Key::pageDown);
  }
}

}  // namespace
}  // namespace headscope::ui
