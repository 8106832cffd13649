// The tool Code: the pass in PyTorch, step by step.
#include "app/ui/ids.h"
#include "app_driver.h"
#include "core/attention/steps/step.h"

namespace headscope::ui {
namespace {

ViewState withCode() {
  ViewState view;
  view.selection.page = kFlowPage;
  view.selection.tool = kCodeTool;
  return view;
}

TEST(CodeTool, ShowsTheLinesAndShapesOfEachStepAndAClickChoosesIt) {
  AppDriver ui(presetDocument("original-transformer"), 1600, 1000, withCode());
  ui.settle();
  for (const Step* step : stepsOf(ui.config())) {
    ui.view().selection.step = step->id();
    for (int i = 0; i < 3; ++i) ui.frame();  // scrolls there
    ui.settle();
    const StepText text = step->text(ui.config());
    EXPECT_TRUE(ui.shows(text.pytorch.front().c_str(), kToolsCard))
        << text.id << ": " << ui.screen().all(kToolsCard);
  }
  ui.view().selection.step = StepId::weigh;
  for (int i = 0; i < 3; ++i) ui.frame();
  ui.settle();
  EXPECT_TRUE(ui.shows("# Concat: concat (", kToolsCard)) << ui.screen().all(kToolsCard);
  ui.click("# Concat:", kToolsCard);
  EXPECT_EQ(ui.view().selection.step, StepId::concat);
}

TEST(CodeTool, ScrollsToTheChosenStepInALowWindow) {
  AppDriver ui(presetDocument("original-transformer"), 1280, 720, withCode());
  ui.view().selection.step = StepId::output;
  ui.settle();
  ui.frame();
  ui.settle();
  EXPECT_TRUE(ui.shows("# Output:", kToolsCard)) << ui.screen().all(kToolsCard);
}

}  // namespace
}  // namespace headscope::ui
