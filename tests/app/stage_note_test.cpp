// What the stage says below its matrices, and what of X it leaves out.
#include <gtest/gtest.h>

#include "app/ui/stage/used_columns.h"
#include "app_driver.h"

namespace headscope::ui {
namespace {

class StageNotes : public testing::Test {
 protected:
  AppDriver ui_{presetDocument("original-transformer")};

  std::string stage() { return ui_.screen().all("stage"); }
  void show(StepId step) {
    ui_.view().step = step;
    ui_.settle();
  }
};

TEST_F(StageNotes, SaysWhichColumnsOfXAreShownAndShowsTheOthersOnAClick) {
  show(StepId::project);
  EXPECT_NE(stage().find("Shown: columns 0–"), std::string::npos) << stage();
  ui_.click("show all 512", "stage");
  ui_.settle();
  EXPECT_TRUE(ui_.view().faintColumns);
  EXPECT_EQ(stage().find("Shown: columns"), std::string::npos);
  ui_.click("leave them out", "stage");
  ui_.settle();
  EXPECT_NE(stage().find("Shown: columns 0–"), std::string::npos);
}

TEST_F(StageNotes, AChosenCellIsNeverLeftOut) {
  ui_.view().selected = CellRef{TensorId::x, 0, -1, 1, 400};
  show(StepId::project);
  EXPECT_EQ(stage().find("Shown: columns"), std::string::npos) << stage();
}

TEST_F(StageNotes, SaysHowMuchSmallerTheScoresBecome) {
  show(StepId::scale);
  EXPECT_NE(stage().find("One colour scale for both"), std::string::npos) << stage();
}

TEST_F(StageNotes, OffersAMaskWhereNothingIsMasked) {
  show(StepId::mask);
  ASSERT_NE(stage().find("Nothing is masked"), std::string::npos) << stage();
  ui_.click("make it causal", "stage");
  ui_.settle();
  EXPECT_TRUE(ui_.config().mask.causal);
  EXPECT_EQ(stage().find("Nothing is masked"), std::string::npos);
}

TEST(UsedColumns, OfASmallXAreAll) {
  AppDriver ui(presetDocument("by-hand"));
  ui.view().step = StepId::project;
  ui.settle();
  EXPECT_EQ(ui.screen().all("stage").find("Shown: columns"), std::string::npos);
}

}  // namespace
}  // namespace headscope::ui
