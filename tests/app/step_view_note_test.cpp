// The note below the matrices of the step view, and the columns of X that the step view leaves out.
#include <gtest/gtest.h>

#include "app/ui/step_view/used_columns.h"
#include "app_driver.h"

namespace headscope::ui {
namespace {

class StepViewNotes : public testing::Test {
 protected:
  AppDriver ui_{presetDocument("original-transformer")};

  std::string stepView() { return ui_.screen().all("stage"); }
  void show(StepId step) {
    ui_.view().selection.step = step;
    ui_.settle();
  }
};

TEST_F(StepViewNotes, SaysWhichColumnsOfXAreShownAndShowsTheOthersOnAClick) {
  show(StepId::project);
  EXPECT_TRUE(ui_.shows("Shown: columns 0 to ", "stage")) << stepView();
  ui_.click("show all 512", "stage");
  ui_.settle();
  EXPECT_TRUE(ui_.view().preferences.faintColumns);
  EXPECT_FALSE(ui_.shows("Shown: columns", "stage"));
  ui_.click("leave them out", "stage");
  ui_.settle();
  EXPECT_TRUE(ui_.shows("Shown: columns 0 to ", "stage"));
}

TEST_F(StepViewNotes, AChosenCellIsNeverLeftOut) {
  ui_.view().selection.cell = CellRef{TensorId::x, 0, -1, 1, 400};
  show(StepId::project);
  EXPECT_FALSE(ui_.shows("Shown: columns", "stage")) << stepView();
}

TEST_F(StepViewNotes, SaysHowMuchSmallerTheScoresBecome) {
  show(StepId::scale);
  EXPECT_TRUE(ui_.shows("One colour scale for both", "stage")) << stepView();
}

TEST_F(StepViewNotes, OffersAMaskWhereNothingIsMasked) {
  show(StepId::mask);
  ASSERT_TRUE(ui_.shows("Nothing is masked", "stage")) << stepView();
  ui_.click("make it causal", "stage");
  ui_.settle();
  EXPECT_TRUE(ui_.config().mask.causal);
  EXPECT_FALSE(ui_.shows("Nothing is masked", "stage"));
}

/// A bias without a mask is a step by its own name, with no empty mask next to its matrix.
TEST(StepViewOfABias, IsNoMask) {
  AppDriver ui(presetDocument("alphafold2-evoformer"));
  ui.view().selection.page = kFlowPage;
  ui.view().selection.step = StepId::mask;
  ui.settle();
  EXPECT_TRUE(ui.shows("· Bias", "stage")) << ui.screen().all("stage");
  EXPECT_TRUE(ui.shows("Each pair of query and key adds its own bias", "stage"));
  EXPECT_FALSE(ui.shows("mask: 0", "stage")) << ui.screen().all("stage");
  ui.click("make it causal", "stage");
  ui.settle();
  EXPECT_TRUE(ui.shows("· Bias and mask", "stage")) << ui.screen().all("stage");
  EXPECT_TRUE(ui.shows("mask: 0", "stage")) << ui.screen().all("stage");
}

TEST(UsedColumns, OfASmallXAreAll) {
  AppDriver ui(presetDocument("by-hand"));
  ui.view().selection.step = StepId::project;
  ui.settle();
  EXPECT_FALSE(ui.shows("Shown: columns", "stage"));
}

}  // namespace
}  // namespace headscope::ui
