// The tool Why: what of both words makes a score.
#include "app/ui/ids.h"
#include "app_driver.h"
#include "core/attention/tensor_id.h"

namespace headscope::ui {
namespace {

class WhyTool : public testing::Test {
 protected:
  static ViewState withWhy() {
    ViewState view;
    view.selection.page = kFlowPage;
    view.selection.tool = kWhyTool;
    return view;
  }
  void show(AppDriver& ui) {
    for (int i = 0; i < 3; ++i) {
      ui.frame();
      ui.settle();
    }
    ui.frame();
  }
  static bool shows(AppDriver& ui, const char* text) { return ui.shows(text, kToolsCard); }
};

TEST_F(WhyTool, SaysWhatMakesTheScoreOfTheChosenCell) {
  AppDriver ui(presetDocument("original-transformer"), 1600, 1000, withWhy());
  ui.view().selection.step = StepId::softmax;
  ui.view().selection.head = 1;
  ui.view().selection.cell = CellRef{TensorId::weights, 0, 1, 2, 1};
  show(ui);
  const std::string all = ui.screen().all(kToolsCard);
  EXPECT_TRUE(shows(ui, "Head 2: “")) << all;
  EXPECT_TRUE(shows(ui, " meets ")) << all;
  EXPECT_TRUE(shows(ui, "What makes the difference of")) << all;
  EXPECT_TRUE(shows(ui, "word class")) << all;
  ui.click("the score itself", kToolsCard);
  show(ui);
  EXPECT_TRUE(shows(ui, "What the score is made of")) << ui.screen().all(kToolsCard);
}

TEST_F(WhyTool, SaysWhyThereIsNothingToSay) {
  AppDriver ui(presetDocument("gpt2-small"), 1280, 720, withWhy());
  show(ui);
  EXPECT_TRUE(shows(ui, "Head 1: “")) << ui.screen().all(kToolsCard);
  ui.restart(presetDocument("by-hand"), withWhy());
  show(ui);
  EXPECT_TRUE(shows(ui, "column 1")) << ui.screen().all(kToolsCard);
}

TEST_F(WhyTool, OpensFromTheStage) {
  AppDriver ui;
  ui.view().selection.page = kStagePage;
  show(ui);
  ui.click("Why does it look there?", kJourneyCard);
  show(ui);
  EXPECT_EQ(ui.view().selection.page, kFlowPage);
  EXPECT_EQ(ui.view().selection.tool, kWhyTool);
  EXPECT_TRUE(shows(ui, "looks at")) << ui.screen().all(kToolsCard);
  ui.press(Key::escape);
  EXPECT_EQ(ui.view().selection.page, kStagePage);
}

}  // namespace
}  // namespace headscope::ui
