// Going through the steps: keys, rail, play, the flow's blocks.
#include "app_driver.h"
#include "core/attention/steps/step.h"

namespace headscope::ui {
namespace {

TEST(Steps, TheKeysGoThroughThem) {
  AppDriver ui;
  EXPECT_EQ(ui.view().selection.step, StepId::score);
  ui.press(Key::right);
  EXPECT_EQ(ui.view().selection.step, StepId::scale);
  ui.press(Key::left);
  ui.press(Key::left);
  EXPECT_EQ(ui.view().selection.step, StepId::split);
  ui.press(Key::end);
  EXPECT_EQ(ui.view().selection.step, StepId::output);
  ui.press(Key::right);
  EXPECT_EQ(ui.view().selection.step, StepId::output);
  ui.press(Key::home);
  EXPECT_EQ(ui.view().selection.step, StepId::project);
  ui.press(Key::left);
  EXPECT_EQ(ui.view().selection.step, StepId::project);
}

TEST(Steps, TheKeysBelongToTheSentenceWhileItIsEdited) {
  AppDriver ui;
  ui.press(Key{'E'}, true);
  ui.press(Key::left);
  ui.press(Key::end);
  ui.type(" ");
  EXPECT_EQ(ui.view().selection.step, StepId::score);
  EXPECT_FALSE(ui.view().frame.playing);
}

TEST(Steps, ARowOfTheRailOpensItsStep) {
  AppDriver ui;
  for (const Step* step : stepsOf({})) {
    const std::string title(step->text(ui.config()).title);
    ui.click(title, "steps");
    EXPECT_EQ(ui.view().selection.step, step->id()) << title;
    EXPECT_TRUE(ui.shows("· " + title, "stage"));
  }
}

TEST(Steps, TheRailNamesTheShapesThereAreNow) {
  AppDriver ui;
  EXPECT_TRUE(ui.shows("(8, 6, 64)", "steps"));
  EXPECT_TRUE(ui.shows("S/√64", "steps"));
  ui.typeInto("heads", "4");
  EXPECT_TRUE(ui.shows("(4, 6, 128)", "steps"));
  EXPECT_FALSE(ui.shows("(8, 6, 64)", "steps"));
}

TEST(Steps, TheRailsButtonsGoThroughThem) {
  AppDriver ui;
  ui.click("▶|", "steps");
  EXPECT_EQ(ui.view().selection.step, StepId::output);
  ui.click("◀", "steps");
  EXPECT_EQ(ui.view().selection.step, StepId::concat);
  ui.click("|◀", "steps");
  EXPECT_EQ(ui.view().selection.step, StepId::project);
  ui.click("▶", "steps");
  EXPECT_EQ(ui.view().selection.step, StepId::split);
}

TEST(Steps, PlayAndPauseByButton) {
  AppDriver ui;
  ui.click("Play", "steps");
  EXPECT_TRUE(ui.view().frame.playing);
  ui.click("Pause", "steps");
  EXPECT_FALSE(ui.view().frame.playing);
}

TEST(Flow, ABlockOpensItsStep) {
  AppDriver ui;
  ui.click("V", "flow");
  EXPECT_EQ(ui.view().selection.step, StepId::project);
  EXPECT_EQ(ui.view().selection.part, TensorId::v);
  const auto maps = ui.heatmaps("flow");
  ASSERT_EQ(maps.size(), 8U);
  ui.clickAt(middle(maps[5]));
  EXPECT_EQ(ui.view().selection.step, StepId::softmax);
  EXPECT_EQ(ui.view().selection.head, 5);
  EXPECT_TRUE(ui.shows("head 6", "stage"));
  ui.click("WO", "flow");
  EXPECT_EQ(ui.view().selection.step, StepId::output);
}

TEST(Flow, MovesToNewDimensionsAndThenRests) {
  AppDriver ui;
  ui.app().finish();
  ui.clickAt(ui.after("heads", "top bar"));
  ui.press(Key{'A'}, true);
  ui.host().type(ui.app(), "4");
  ui.host().press(ui.app(), Key::enter);
  ui.app().finish();
  ui.frame();
  EXPECT_TRUE(ui.app().wantsFrame());
  ui.host().advance(0.4);
  ui.settle();
  EXPECT_FALSE(ui.app().wantsFrame());
  EXPECT_EQ(ui.heatmaps("flow").size(), 4U);
}

}  // namespace
}  // namespace headscope::ui
