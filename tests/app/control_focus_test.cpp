// Every button and field can be reached and pressed without the mouse.
#include "app_driver.h"

namespace headscope::ui {
namespace {

/// Walks with the arrows over the controls of a card, pressing space on each, until `done`.
template <typename Done>
bool pressesUntil(AppDriver& ui, Key along, int most, Done done) {
  for (int i = 0; i < most; ++i) {
    ui.press(Key::space);
    if (done()) return true;
    ui.press(along);
  }
  return false;
}

TEST(ControlFocus, GoesFromCardToCardAndEscapeGivesTheArrowsBack) {
  AppDriver ui;
  ui.press(Key::f2);
  EXPECT_TRUE(ui.shows("keyboard on the controls"));
  const StepId before = ui.view().selection.step;
  ui.press(Key::right);
  EXPECT_EQ(ui.view().selection.step, before);
  ui.press(Key::escape);
  EXPECT_FALSE(ui.shows("keyboard on the controls"));
  ui.press(Key::right);
  EXPECT_NE(ui.view().selection.step, before);
}

TEST(ControlFocus, TheTabKeyBeginsItWhereThereAreNoMatricesToGoTo) {
  AppDriver ui;
  ui.press(Key::tab);
  EXPECT_FALSE(ui.shows("keyboard on the controls"));
  ui.view().selection.page = kLearnPage;
  ui.frame();
  ui.press(Key::tab);
  EXPECT_TRUE(ui.shows("keyboard on the controls"));
}

TEST(ControlFocus, TheMouseTakesOver) {
  AppDriver ui;
  ui.press(Key::f2);
  ui.clickAt({700, 980});
  EXPECT_FALSE(ui.shows("keyboard on the controls"));
}

TEST(ControlFocus, OpensAToolAndChoosesWhatChangesAreHeldAgainst) {
  AppDriver ui;
  ui.press(Key{'C'});
  ui.press(Key::f2);
  ui.press(Key::down);  // from the tabs to the compared state
  EXPECT_TRUE(pressesUntil(ui, Key::right, 4, [&] {
    return ui.view().selection.inspectorTab == InspectorTab::history;
  }));
  EXPECT_EQ(ui.view().selection.tool, kChangesTool);
}

TEST(ControlFocus, PaintsAMaskFromAStartingPointWithoutTheMouse) {
  AppDriver ui;
  ui.press(Key{'M'});
  ui.press(Key::f2);
  ui.press(Key::down);
  EXPECT_TRUE(pressesUntil(ui, Key::right, 8, [&] { return ui.config().mask.painted != nullptr; }));
}

TEST(ControlFocus, AnswersTheQuestionOfALesson) {
  AppDriver ui;
  ui.view().selection.page = kLearnPage;
  ui.frame();
  ui.press(Key::tab);
  ui.press(Key::down);  // from the lecture to the lesson below it
  ui.press(Key::left);
  ui.press(Key::space);
  ASSERT_TRUE(ui.shows("One head for two jobs · 1 of 4", "lesson")) << ui.screen().all();
  ui.press(Key::pageDown);
  ui.press(Key::f2);
  // from the tools back over the steps to the lesson
  for (int i = 0; i < 2; ++i) ui.press(Key::f2, false, true);
  ui.press(Key::space);
  EXPECT_TRUE(ui.shows("Not quite.", "lesson")) << ui.screen().all("lesson");
  ui.press(Key::down);
  ui.press(Key::space);
  EXPECT_TRUE(ui.shows("Yes.", "lesson")) << ui.screen().all("lesson");
  ui.press(Key::escape);
  ui.press(Key::pageDown);
  EXPECT_TRUE(ui.shows("3 of 4", "lesson")) << ui.screen().all("lesson");
}

TEST(ControlFocus, JumpsInTheHistoryAndRemovesAPin) {
  AppDriver ui;
  ui.view().selection.cell = CellRef{TensorId::rawScores, 0, 0, 1, 2};
  ui.view().selection.step = StepId::score;
  ui.frame();
  ui.press(Key::enter);
  ui.type("3");
  ui.press(Key::enter);
  ASSERT_EQ(ui.document().pins.all().size(), 1U);
  ui.view().selection.inspectorTab = InspectorTab::history;
  ui.frame();
  // steps, flow, step view, inspector: two cards on from the tools
  for (int i = 0; i < 3; ++i) ui.press(Key::f2);
  for (int i = 0; i < 12 && !ui.document().pins.all().empty(); ++i) {
    ui.press(Key::down);
    ui.press(Key::space);
  }
  EXPECT_TRUE(ui.document().pins.all().empty());
}

TEST(ControlFocus, SetsASceneAndTypesItsTitle) {
  AppDriver ui;
  ui.view().selection.inspectorTab = InspectorTab::scenes;
  ui.frame();
  for (int i = 0; i < 3; ++i) ui.press(Key::f2);
  ui.press(Key::down);
  bool set = false;
  for (int i = 0; i < 4 && !set; ++i) {
    ui.press(Key::right);
    ui.press(Key::space);
    set = ui.shows("×", "scene list");
  }
  ASSERT_TRUE(set);
  ui.press(Key::left);
  ui.press(Key::enter);  // its title
  ui.type("opening");
  ui.press(Key::enter);
  EXPECT_TRUE(ui.shows("opening", "scene list"));
}

}  // namespace
}  // namespace headscope::ui
