// Heads: the strip and the grid of all; choosing one; very many.
#include "app_driver.h"
#include "core/attention/steps/step.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

TEST(Heads, AClickInTheStripChooses) {
  AppDriver ui;
  EXPECT_EQ(ui.heatmaps("strip").size(), 8U);
  ui.click("Head 5", "strip");
  EXPECT_EQ(ui.view().selection.head, 4);
  EXPECT_TRUE(ui.shows("head 5", "stage"));
  EXPECT_TRUE(ui.shows("head 5", "inspector"));
  ui.clickAt(middle(ui.heatmaps("strip")[1]));
  EXPECT_EQ(ui.view().selection.head, 1);
}

TEST(Heads, TheStripScrollsWhereTheyAreMany) {
  AppDriver ui(textDocument("The cat sat on the mat", 768, 96));
  EXPECT_FALSE(ui.screen().find("Head 96", "strip"));
  ui.host().moveMouse(middle(*ui.window("strip")));
  for (int i = 0; i < 200; ++i) {
    ui.host().wheel(-1);
    ui.frame();
  }
  ui.settle();
  ASSERT_TRUE(ui.screen().find("Head 96", "strip"));
  EXPECT_LT(ui.heatmaps("strip").size(), 30U);  // only what is seen is drawn
  ui.click("Head 96", "strip");
  EXPECT_EQ(ui.view().selection.head, 95);
}

TEST(Heads, KeepTheirNamesInALowWindow) {
  const auto designed = makePreset(presetByName("original-transformer"),
                                   WeightSource{WeightInit::designed, 1, {}}, kTestBudget);
  AppDriver high(designed, 1600, 950);
  EXPECT_TRUE(high.shows("Previous", "strip"));  // the start of "Previous token"
  EXPECT_TRUE(high.shows("weights 0 to 1", "heads"));
  AppDriver low(designed, 1280, 720);
  EXPECT_TRUE(low.shows("Head 1", "strip"));
  EXPECT_TRUE(low.shows("Previous", "strip"));
  EXPECT_FALSE(low.shows("weights 0 to 1", "heads"));
}

TEST(Heads, AllOfThemStandInOneGrid) {
  AppDriver ui;
  ui.click("all heads", "stage");
  EXPECT_EQ(ui.view().selection.scope, StepViewScope::allHeads);
  const auto maps = ui.heatmaps("stage");
  ASSERT_EQ(maps.size(), 8U);
  ui.hover(cellAt(maps[3], 6, 6, 1, 2));
  ASSERT_TRUE(ui.view().frame.hovered);
  EXPECT_EQ(ui.view().frame.hovered->cell, (CellRef{TensorId::rawScores, 0, 3, 1, 2}));
  EXPECT_TRUE(ui.shows("head 4", "Tooltip"));
  ui.clickAt(cellAt(maps[6], 6, 6, 5, 0));
  EXPECT_EQ(ui.view().selection.head, 6);
  EXPECT_EQ(ui.view().selection.cell, (CellRef{TensorId::rawScores, 0, 6, 5, 0}));
  ui.click("this head", "stage");
  EXPECT_EQ(ui.view().selection.scope, StepViewScope::thisHead);
  EXPECT_EQ(ui.heatmaps("stage").size(), 3U);
}

TEST(Heads, TheGridHasOneOfEachKeyValueHead) {
  AppDriver ui;
  ui.view().selection.scope = StepViewScope::allHeads;
  ui.view().selection.step = StepId::split;
  ui.view().selection.part = TensorId::k;
  ui.click("More ▾", "top bar");
  ui.typeInto("Key/value heads", "2", "Popup");
  ui.press(Key::enter);
  ui.press(Key::escape);
  ASSERT_EQ(ui.trace().config().numKvHeads, 2);
  const auto maps = ui.heatmaps("stage");
  ASSERT_EQ(maps.size(), 2U);
  ui.clickAt(middle(maps[1]));
  EXPECT_EQ(ui.view().selection.head, 4);  // the first that reads it
}

TEST(Heads, ACardNamesTheColumnsAndTheKeyValueHeadItReads) {
  AppDriver ui(textDocument("The cat sat on the mat", 512, 2));
  EXPECT_TRUE(ui.shows("columns 256–511", "strip"));
  EXPECT_FALSE(ui.shows("K, V", "strip"));
  ui.click("More ▾", "top bar");
  ui.typeInto("Key/value heads", "1", "Popup");
  ui.press(Key::enter);
  ui.press(Key::escape);
  ASSERT_EQ(ui.trace().config().numKvHeads, 1);
  EXPECT_TRUE(ui.shows("Q columns 256–511", "strip"));
  EXPECT_TRUE(ui.shows("K, V head 1", "strip"));
}

TEST(Heads, KeysAndValuesGoByTheHeadThatTheyAreOf) {
  AppDriver ui;
  ui.click("More ▾", "top bar");
  ui.typeInto("Key/value heads", "2", "Popup");
  ui.press(Key::enter);
  ui.press(Key::escape);
  ui.click("Head 8", "strip");
  ASSERT_EQ(ui.view().selection.head, 7);
  ui.view().selection.step = StepId::score;
  ui.settle();
  EXPECT_TRUE(ui.shows("Q8", "stage"));
  EXPECT_TRUE(ui.shows("K2T", "stage")) << ui.screen().all("stage");
  EXPECT_TRUE(ui.shows("S8", "stage"));
  EXPECT_FALSE(ui.shows("K8", "stage"));
  ui.hover(cellAt(ui.heatmaps("stage")[1], 64, 6, 3, 2));
  EXPECT_TRUE(ui.shows("key of ‘sat’, number 3", "Tooltip")) << ui.screen().all("Tooltip");
  EXPECT_TRUE(ui.shows("key/value head 2", "Tooltip"));
  ui.view().selection.step = StepId::weigh;
  ui.settle();
  EXPECT_TRUE(ui.shows("V2", "stage"));
  EXPECT_FALSE(ui.shows("V8", "stage"));
  ui.view().selection.part = TensorId::k;
  for (const StepId step : {StepId::project, StepId::split}) {
    ui.view().selection.step = step;
    ui.settle();
    EXPECT_TRUE(ui.shows("K2", "stage"));
    EXPECT_FALSE(ui.shows("K8", "stage"));
    EXPECT_TRUE(ui.shows(", key/value head 2", "stage")) << ui.screen().all("stage");
  }
  EXPECT_NE(
      explainCell(ui.trace(), {TensorId::rawScores, 0, 7, 0, 0}).rule.find("k[b, ⌊h/4⌋, j, d]"),
      std::string::npos);
}

TEST(Heads, TheChosenOneIsKeptWithinWhatThereIs) {
  AppDriver ui;
  ui.click("Head 8", "strip");
  ui.clickAt(cellAt(ui.heatmaps("stage")[2], 6, 6, 5, 5));
  ui.typeInto("heads", "2");
  EXPECT_EQ(ui.view().selection.head, 1);
  EXPECT_FALSE(ui.view().selection.cell);
  EXPECT_TRUE(ui.shows("head 2", "stage"));
}

}  // namespace
}  // namespace headscope::ui
