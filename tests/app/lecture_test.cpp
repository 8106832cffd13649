// A lecture: the speaker's own lessons and scenes presented to a room, the sentence and the
// pointer, the notes that only the speaker sees, and letters that can be read from the last row.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/learn/lesson_run.h"
#include "app/ui/stage/journey.h"
#include "core/attention/switches.h"
#include "core/base/numbers.h"
#include "core/formats/lesson_json.h"
#include "session_window.h"

namespace headscope::ui {
namespace {

constexpr int kRoomWidth = 1280;
constexpr int kRoomHeight = 720;
constexpr float kSmallest = 14.0F;  // pixels of an em

/// The document with which the window opens.
DocumentPtr openingDocument() {
  const DocumentPtr document =
      makePreset(presetByName("original-transformer"), {WeightInit::learned, 1, {}}, kTestBudget);
  const SetText text{0, false, "The cat, which was very fluffy, slept by the warm fire."};
  return apply(*document, text, kTestBudget).document;
}

class LectureWindow : public testing::Test {
 protected:
  LectureWindow() : ui_(openingDocument(), kRoomWidth, kRoomHeight) {}

  const lessons::Lesson& lecture() const { return formats::shippedLessons().back(); }
  void present() {
    ui_.view().selection.page = kLearnPage;
    ui_.frame();
    ui_.click("In a classroom: “" + lecture().title + "”", "lessons");
    on();
  }
  /// Draws frames until the effect of a key is on the screen.
  void on() {
    ui_.settle();
    ui_.frame();
  }
  void key(Key which) {
    ui_.press(which);
    on();
  }
  /// The texts in letters too small to be read from the last row.
  std::string tooSmall() {
    const Fonts& fonts = ui_.host().session().fonts();
    const std::vector<std::pair<const ImFont*, float>> points{
        {fonts.regular, 14.0F},    {fonts.small, 12.0F}, {fonts.tiny, 10.0F},
        {fonts.semibold, 15.0F},   {fonts.title, 19.0F}, {fonts.mono, 13.0F},
        {fonts.monoSmall, 11.5F},  {fonts.large, 22.0F}, {fonts.display, 40.0F},
        {fonts.displayBold, 36.0F}};
    std::string found;
    const ScreenText screen = ui_.screen();
    for (const TextRun& run : screen.runs()) {
      for (const Spot& letter : run.glyphs) {
        const auto font = std::find_if(points.begin(), points.end(),
                                       [&](const auto& each) { return each.first == letter.font; });
        const float em = font->second * ui_.app().scale() * letter.stretch;
        if (em >= kSmallest) continue;
        found += run.window + ": " + run.text + "\n";
        break;
      }
    }
    return found;
  }

  AppDriver ui_;
};

/// The text as it is on the screen, without the signs that raise or lower letters.
std::string plain(std::string text) {
  std::erase_if(text,
                [](char c) { return std::string_view("^_{}\\").find(c) != std::string::npos; });
  return text;
}

TEST_F(LectureWindow, EverySceneIsReadFromTheLastRow) {
  present();
  EXPECT_TRUE(ui_.app().wantsFullScreen());
  for (const lessons::Scene& scene : lecture().scenes) {
    EXPECT_FALSE(ui_.shows("–")) << scene.title << ": " << ui_.screen().all();
    EXPECT_EQ(tooSmall(), "") << scene.title;
    EXPECT_NE(scene.view.find('"' + ui_.view().selection.presented + '"'), std::string::npos)
        << scene.title;
    if (scene.predict) {
      key(Key::pageDown);
      EXPECT_TRUE(ui_.shows(plain(scene.predict->ask))) << ui_.screen().all();
      EXPECT_TRUE(ui_.shows("A  " + scene.predict->choices[0].text));
      key(Key::pageDown);
      EXPECT_FALSE(ui_.shows("–")) << scene.title << ": " << ui_.screen().all();
    }
    key(Key::pageDown);
  }
  EXPECT_TRUE(ui_.app().wantsFullScreen()) << "the last scene stays";
  EXPECT_TRUE(ui_.shows("that is multi-head attention")) << ui_.screen().all();
}

TEST_F(LectureWindow, ArrowsGoForwardAndBackAndOnTheTimelineByMoments) {
  present();
  EXPECT_TRUE(ui_.shows("1 of 14")) << ui_.screen().all();
  key(Key::right);
  EXPECT_EQ(momentOf(ui_.view().stage).place, StagePlace::numbers);
  EXPECT_EQ(ui_.view().selection.presented, kSentenceCard);
  EXPECT_TRUE(ui_.shows("2 of 14"));
  key(Key::right);
  EXPECT_EQ(momentOf(ui_.view().stage).place, StagePlace::roles);
  key(Key::left);
  EXPECT_EQ(momentOf(ui_.view().stage).place, StagePlace::numbers);
  ui_.view().selection.page = kFlowPage;
  ui_.view().selection.step = StepId::project;
  key(Key::space);
  key(Key::space);
  ASSERT_TRUE(ui_.view().selection.playTime);
  const double before = *ui_.view().selection.playTime;
  key(Key::right);
  EXPECT_EQ(ui_.view().selection.step, StepId::project);
  EXPECT_GT(ui_.view().selection.playTime.value_or(0.0), before);
}

TEST_F(LectureWindow, AllScoresAppearWithTheAnswer) {
  present();
  while (!ui_.shows("The query of “slept” meets every key.")) key(Key::pageDown);
  EXPECT_LT(momentOf(ui_.view().stage).passed, 0.5);
  key(Key::pageDown);  // the question
  key(Key::pageDown);  // the answer
  EXPECT_EQ(momentOf(ui_.view().stage).place, StagePlace::scores);
  EXPECT_GT(momentOf(ui_.view().stage).passed, 0.9);
  const float last = ui_.trace().value({TensorId::rawScores, 0, 1, 8, 12});
  EXPECT_TRUE(ui_.shows(cellNumber(last, 1))) << ui_.screen().all();
}

TEST_F(LectureWindow, GoingBackFindsTheSceneAsItWasLeft) {
  present();
  key(Key::pageDown);
  ui_.app().apply(SetSwitch{&Switches::scale, false});
  on();
  key(Key::pageDown);
  ui_.app().apply(SetSwitch{&Switches::scale, true});
  on();
  EXPECT_TRUE(ui_.config().switches->scale);
  key(Key::pageUp);
  EXPECT_FALSE(ui_.config().switches->scale);
}

TEST_F(LectureWindow, EveryPresentedCardIsReadFromTheLastRow) {
  for (const char* page : {kFlowPage, kHeadsPage, kTrainPage, kLearnPage}) {
    ui_.view().selection.page = page;
    ui_.frame();
    if (!ui_.app().wantsFullScreen()) key(Key::f11);
    std::string first;
    for (int i = 0; i < 9; ++i) {
      on();
      if (ui_.view().selection.presented == first) break;
      if (first.empty()) first = ui_.view().selection.presented;
      EXPECT_EQ(tooSmall(), "") << page << ", " << ui_.view().selection.presented;
      key(Key::f6);
    }
  }
}

TEST_F(LectureWindow, HeadsKeepTheirNamesAndStepsTheirStory) {
  ui_.view().selection.head = 1;
  key(Key::f11);
  EXPECT_TRUE(ui_.shows("head 2: Verb → its subject")) << ui_.screen().all();
  EXPECT_TRUE(ui_.shows("“The” asks “The”"));
  key(Key{'V'});
  EXPECT_TRUE(ui_.shows("Head 2 of 8: Verb → its subject"));
  for (const char* name : {"Previous word", "Verb → its subject", "Adjective → its noun",
                           "Noun → its adjectives", "Determiner → its noun",
                           "Preposition → its object", "Pronoun → its noun", "Word → its verb"}) {
    EXPECT_TRUE(ui_.shows(name, "panel")) << name << " is not whole: " << ui_.screen().all("panel");
  }
  EXPECT_TRUE(ui_.shows("Its largest share here: “")) << ui_.screen().all();
}

TEST_F(LectureWindow, ThePointerIsSwitchedByL) {
  key(Key::f11);
  ui_.hover({600.0F, 300.0F});
  const auto drawn = [] { return ImGui::GetForegroundDrawList()->VtxBuffer.Size; };
  const int with = drawn();
  key(Key{'L'});
  EXPECT_LT(drawn(), with);
  key(Key{'L'});
  EXPECT_EQ(drawn(), with);
  key(Key::escape);
  EXPECT_LT(drawn(), with);
}

TEST_F(LectureWindow, TheSpeakersLinesStandInAWindowOfTheirOwn) {
  ImDrawList list(ImGui::GetDrawListSharedData());
  present();
  EXPECT_FALSE(ui_.app().wantsSpeakerWindow());
  key(Key::f10);
  EXPECT_TRUE(ui_.app().wantsSpeakerWindow());
  ui_.app().setSpeakerWindow(&list, {900.0F, 540.0F});
  key(Key::pageDown);
  const ScreenText notes = ScreenText::read(list);
  EXPECT_TRUE(notes.shows("2 of 14")) << notes.all();
  EXPECT_TRUE(notes.shows("The bar is one row of X"));
  EXPECT_TRUE(notes.shows("as many questions asked at once")) << notes.all();  // the next slide
  EXPECT_TRUE(notes.shows("Next: Several heads"));
  EXPECT_TRUE(notes.shows("of 10:00"));
  EXPECT_FALSE(ui_.shows("Point at a row of X")) << "the room does not see them";
  key(Key::f10);
  EXPECT_FALSE(ui_.app().wantsSpeakerWindow());
}

TEST_F(LectureWindow, TheSpeakerSeesThePictureOfTheNextSlide) {
  ImDrawList list(ImGui::GetDrawListSharedData());
  present();
  EXPECT_FALSE(ui_.app().takeNextSlide()) << "nobody would see it";
  key(Key::f10);
  ui_.app().setSpeakerWindow(&list, {900.0F, 540.0F});
  key(Key::pageDown);
  const auto slide = ui_.app().takeNextSlide();
  ASSERT_TRUE(slide);
  EXPECT_EQ(slide->program.view.selection.page, kStagePage);
  EXPECT_EQ(slide->program.view.selection.presented, kSentenceCard);
  ASSERT_TRUE(slide->program.view.stage.at);
  EXPECT_NEAR(*slide->program.view.stage.at, 3.0, 0.01);
  EXPECT_FALSE(ui_.app().takeNextSlide()) << "once for each scene";
  const auto pictures = [&] {
    return std::count_if(list.CmdBuffer.begin(), list.CmdBuffer.end(), [&](const ImDrawCmd& c) {
      return c.GetTexID() != list.CmdBuffer.front().GetTexID();
    });
  };
  EXPECT_EQ(pictures(), 0);
  const int texture = 0;  // any other than that of the letters
  ui_.app().setNextSlide((ImTextureID)(std::uintptr_t)&texture, {960.0F, 540.0F});
  ui_.settle();
  ui_.frame();
  EXPECT_EQ(pictures(), 1);
  const ScreenText notes = ScreenText::read(list);
  EXPECT_TRUE(notes.shows("Next: Several heads")) << notes.all();
  key(Key::pageDown);
  ui_.frame();
  EXPECT_FALSE(ui_.app().takeNextSlide()) << "the question of this scene comes next";
  ui_.frame();
  EXPECT_EQ(pictures(), 0) << "that of the scene before is gone";
}

TEST_F(LectureWindow, TheClockRunsFromWhenItIsPresented) {
  ImDrawList list(ImGui::GetDrawListSharedData());
  present();
  ui_.host().press(ui_.app(), Key::f10);
  ui_.app().setSpeakerWindow(&list, {900.0F, 540.0F});
  ui_.host().advance(75.0);
  ui_.frame();
  EXPECT_TRUE(ScreenText::read(list).shows("1:15 of 10:00")) << ScreenText::read(list).all();
  key(Key::escape);
  present();
  const ScreenText again = ScreenText::read(list);
  EXPECT_TRUE(again.shows("0:00 of 10:00")) << again.all();
}

TEST_F(LectureWindow, AWindowThatCannotBeIsSaidInWords) {
  present();
  key(Key::f10);
  ui_.app().speakerWindowGone("a second window cannot be opened here");
  on();
  EXPECT_FALSE(ui_.app().wantsSpeakerWindow());
  EXPECT_TRUE(ui_.shows("a second window cannot be opened here")) << ui_.screen().all();
}

TEST_F(SessionWindow, ScenesOfOnesOwnArePresentedWithTheirWords) {
  ui_.view().selection.inspectorTab = InspectorTab::scenes;
  ui_.press(Key{'1'}, true);
  ui_.press(Key::right);
  ui_.press(Key{'2'}, true);
  ui_.frame();
  ui_.click("a sentence for the audience", "scene list");
  ui_.type("Now it is scaled_down");
  ui_.click("what you say", "scene list");
  ui_.type("Wait here.");
  ui_.press(Key::enter);
  ui_.press(Key{'1'});
  ui_.settle();
  ui_.press(Key::f11);
  EXPECT_FALSE(ui_.shows("scaled"));
  ui_.press(Key::pageDown);
  ui_.settle();
  ui_.frame();
  EXPECT_EQ(ui_.view().selection.step, StepId::scale);
  EXPECT_TRUE(ui_.shows("Now it is scaled_down")) << ui_.screen().all();
  EXPECT_FALSE(ui_.shows("Wait here."));
  ImDrawList list(ImGui::GetDrawListSharedData());
  ui_.press(Key::f10);
  ui_.app().setSpeakerWindow(&list, {900.0F, 540.0F});
  ui_.frame();
  EXPECT_TRUE(ScreenText::read(list).shows("Wait here.")) << ScreenText::read(list).all();
  ui_.app().setSpeakerWindow(nullptr);
  ui_.press(Key::pageUp);
  ui_.settle();
  EXPECT_EQ(ui_.view().selection.step, StepId::score);
}

/// A click on a small stage chooses a head; the scene is still the sentence.
TEST_F(SessionWindow, ASceneKeptOnStageIsPresentedAsItWasKept) {
  ui_.view().selection.page = kStagePage;
  ui_.settle();
  ui_.press(Key{'1'}, true);
  ui_.click("4", "small stages");
  ui_.press(Key{'2'}, true);
  EXPECT_EQ(ui_.view().selection.head, 3);
  ui_.press(Key{'1'});
  ui_.settle();
  ui_.press(Key::f11);
  ui_.settle();
  EXPECT_TRUE(ui_.shows("In head 1 its largest share")) << ui_.screen().all();
  ui_.press(Key::pageDown);
  ui_.settle();
  EXPECT_EQ(ui_.view().selection.head, 3);
  EXPECT_TRUE(ui_.shows("In head 4 its largest share")) << ui_.screen().all();
}

TEST(FirstLook, ANumberIsChosenAndSomethingToTryGoesOnceTheUserActs) {
  AppDriver ui;
  AppOptions options;
  options.document = openingDocument();
  options.firstLook = true;
  options.memoryBudget = kTestBudget;
  options.threads = 1;
  App program(options);
  program.finish();
  ui.host().frames(program, 3);
  ASSERT_TRUE(program.view().selection.cell);
  EXPECT_EQ(program.view().selection.head, program.view().selection.cell->head);
  EXPECT_EQ(program.view().selection.page, kStagePage);
  EXPECT_TRUE(ui.shows("“slept” looks at “cat”.")) << ui.screen().all();
  program.view().selection.page = kFlowPage;
  ui.host().frames(program, 2);
  EXPECT_TRUE(ui.shows("“slept” asks “cat” in head 2: Verb → its subject")) << ui.screen().all();
  ui.host().press(program, Key::right);
  EXPECT_FALSE(ui.shows("Try it"));
  ui.host().press(program, Key::left);
  ui.host().frames(program, 2);
  EXPECT_FALSE(ui.shows("Try it")) << "once and for all";
}

TEST(StartPanel, ComesBackWhereItIsAskedForUnderHelp) {
  AppDriver ui;
  EXPECT_FALSE(ui.shows("Where to begin"));
  ui.press(Key::f1);
  ui.frame();
  ui.click("Where to begin", "help");
  ui.frame();
  EXPECT_TRUE(ui.shows("Watch a word travel", "start")) << ui.screen().all();
  ui.click("Do not show again", "start");
  EXPECT_FALSE(ui.shows("Watch a word travel"));
}

}  // namespace
}  // namespace headscope::ui
