// Single letters: heads, parts, tabs, and the switches of the tool that is open.
#include "app/ui/tools/tools.h"
#include "app_driver.h"
#include "core/attention/switches.h"

namespace headscope::ui {
namespace {

TEST(ViewKeys, GoThroughHeadsItemsPartsAndTabsRoundInACircle) {
  AppDriver ui(presetDocument("rul"));  // two items
  ui.press(Key{'H'});
  EXPECT_EQ(ui.view().selection.head, 1);
  ui.press(Key{'H'}, false, true);
  ui.press(Key{'H'}, false, true);
  EXPECT_EQ(ui.view().selection.head, ui.config().numHeads - 1);
  ui.press(Key{'N'});
  EXPECT_EQ(ui.view().selection.item, 1);
  ui.press(Key{'N'});
  EXPECT_EQ(ui.view().selection.item, 0);
  ui.press(Key{'Q'});
  EXPECT_EQ(ui.view().selection.part, TensorId::k);
  ui.press(Key{'G'});
  EXPECT_EQ(ui.view().selection.scope, StepViewScope::allHeads);
  ui.press(Key{'G'});
  EXPECT_EQ(ui.view().selection.scope, StepViewScope::thisHead);
  ui.press(Key{'I'});
  EXPECT_EQ(ui.view().selection.inspectorTab, InspectorTab::history);
  ui.press(Key{'I'}, false, true);
  EXPECT_EQ(ui.view().selection.inspectorTab, InspectorTab::cell);
}

TEST(ViewKeys, ChooseNothingOnPagesThatDoNotShowTheLayer) {
  AppDriver ui;
  for (const char* page : {kModelPage, kTrainPage, kLearnPage}) {
    ui.view().selection.page = page;
    ui.settle();
    ui.view().selection.cell = CellRef{TensorId::weights, 0, 0, 1, 1};
    const Selection before = ui.view().selection;
    for (const Key key :
         {Key{'H'}, Key{'G'}, Key{'E'}, Key::right, Key::down, Key::backspace, Key::escape}) {
      ui.press(key);
    }
    EXPECT_EQ(ui.view().selection.cell, before.cell) << page;
    EXPECT_EQ(ui.view().selection.head, before.head) << page;
    EXPECT_EQ(ui.view().selection.scope, before.scope) << page;
    EXPECT_EQ(ui.view().selection.tool, before.tool) << page;
    EXPECT_EQ(ui.view().selection.step, before.step) << page;
    EXPECT_FALSE(ui.view().selection.playTime) << page;
  }
}

TEST(ViewKeys, ChangeTheTemperatureWhereItsToolIsOpenAndNowhereElse) {
  AppDriver ui;
  ui.pressAlt(Key::equal);
  EXPECT_EQ(ui.config().switches->temperature, 1.0);
  ui.press(Key{'S'});
  ui.pressAlt(Key::equal);
  EXPECT_GT(ui.config().switches->temperature, 1.0);
  ui.pressAlt(Key::minus);
  EXPECT_EQ(ui.config().switches->temperature, 1.0);
  ui.pressAlt(Key{'R'});
  EXPECT_FALSE(ui.config().switches->scale);
  ui.pressAlt(Key{'O'});
  EXPECT_EQ(ui.config().dropout.rate, 0.1);
  ui.pressAlt(Key{'O'});
  EXPECT_FALSE(ui.config().dropout.on());
  for (int i = 0; i < 40; ++i) ui.pressAlt(Key::minus);
  EXPECT_EQ(ui.config().switches->temperature, 0.05);
}

TEST(ViewKeys, NothingTypedOutsideOfAFieldChangesTheLayer) {
  AppDriver ui;
  const Cards all = makeTools();
  for (const auto& tool : all.all()) {
    for (const char* page : {kFlowPage, kHeadsPage, kStagePage}) {
      ui.view().selection.page = page;
      ui.view().selection.tool = tool->text().id;
      ui.settle();
      const DocumentPtr before = ui.app().document();
      for (const bool shift : {false, true}) {
        for (int key = '0'; key <= 'Z'; ++key) {
          const bool letter = key >= 'A' || key <= '9';
          if (letter) ui.host().press(ui.app(), static_cast<Key>(key), false, shift);
        }
        for (const Key key : {Key::comma, Key::minus, Key::period, Key::slash, Key::equal}) {
          ui.host().press(ui.app(), key, false, shift);
        }
        ui.press(Key::escape);
      }
      EXPECT_EQ(ui.app().document(), before) << tool->text().id << " on " << page;
    }
  }
}

TEST(ViewKeys, SwitchMistakesAndGoBackAlongTheLargestTerm) {
  AppDriver ui;
  ui.press(Key{'W'});
  ui.pressAlt(Key{'2'});
  EXPECT_TRUE(ui.config().mistakes.softmaxOverQueries);
  EXPECT_EQ(ui.view().selection.mistake, Mistake::softmaxOverQueries);
  ui.pressAlt(Key{'2'});
  EXPECT_FALSE(ui.config().mistakes.softmaxOverQueries);
  ui.press(Key{'T'});
  ui.view().selection.cell = CellRef{TensorId::output, 0, -1, 2, 5};
  ui.press(Key{'B'});
  EXPECT_EQ(ui.view().selection.cell->tensor, TensorId::concat);
  ui.press(Key{'B'});
  EXPECT_EQ(ui.view().selection.cell->tensor, TensorId::heads);
  EXPECT_EQ(ui.view().selection.trail.size(), 3U);
}

}  // namespace
}  // namespace headscope::ui
