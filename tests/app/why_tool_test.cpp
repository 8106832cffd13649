// The tool Why: what of both words makes a score.
#include "app/ui/ids.h"
#include "app_driver.h"
#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/attention/tensor_id.h"
#include "core/editing/make_document.h"

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
  EXPECT_TRUE(shows(ui, "q·k ÷ √64")) << all;
  EXPECT_TRUE(shows(ui, "Head 2: “")) << all;
  EXPECT_TRUE(shows(ui, " meets ")) << all;
  EXPECT_TRUE(shows(ui, "What makes the difference of")) << all;
  EXPECT_TRUE(shows(ui, "word class")) << all;
  EXPECT_TRUE(shows(ui, "position: where the token stands.")) << all;
  EXPECT_TRUE(shows(ui, "the word itself: numbers drawn for each word")) << all;
  ui.click("the score itself", kToolsCard);
  show(ui);
  EXPECT_TRUE(shows(ui, "What the score is made of")) << ui.screen().all(kToolsCard);
}

TEST_F(WhyTool, LeavesOutWhatIsZeroThroughout) {
  AttentionConfig config;
  config.dModel = 512;
  config.numHeads = config.numKvHeads = 8;
  config.switches->bias = false;
  AppDriver ui(makeDocument("", config, TextSource{{"The cat slept."}, {}}, Positions::named,
                            {WeightInit::xavier, 1, {}}, kTestBudget),
               1600, 2000, withWhy());
  show(ui);
  EXPECT_TRUE(shows(ui, "Not shown, since the whole row is 0.00: word class, always the same."))
      << ui.screen().all(kToolsCard);
  EXPECT_FALSE(shows(ui, "bias b")) << "the layer has none";
  EXPECT_FALSE(shows(ui, "nan")) << ui.screen().all(kToolsCard);
}

TEST_F(WhyTool, SaysWhyThereIsNothingToSay) {
  AppDriver ui(presetDocument("gpt2-small"), 1280, 720, withWhy());
  show(ui);
  EXPECT_TRUE(shows(ui, "Head 1: “")) << ui.screen().all(kToolsCard);
  ui.restart(presetDocument("by-hand"), withWhy());
  show(ui);
  EXPECT_TRUE(shows(ui, "column 1")) << ui.screen().all(kToolsCard);
}

/// Columns without names are one kind: X against the biases.
TEST_F(WhyTool, TakesAScoreOfAnyXApart) {
  AttentionConfig config;
  config.dModel = 64;
  config.numHeads = config.numKvHeads = 4;
  AppDriver ui(makeDocument("", config, TextSource{{"The cat slept."}, {}}, Positions::sinusoidal,
                            {WeightInit::xavier, 1, {}}, kTestBudget),
               1600, 1000, withWhy());
  show(ui);
  EXPECT_TRUE(shows(ui, "X meets X")) << ui.screen().all(kToolsCard);
  EXPECT_TRUE(shows(ui, "X is one kind here")) << ui.screen().all(kToolsCard);
}

TEST_F(WhyTool, OpensFromTheStage) {
  AppDriver ui;
  ui.view().selection.page = kStagePage;
  show(ui);
  ui.click("Why does it look there?", kJourneyCard);
  EXPECT_TRUE(ui.shows(" meets the ")) << ui.screen().all();
  ui.click("Show the numbers", kJourneyCard);
  ui.click("Open in Flow", kJourneyCard);
  show(ui);
  EXPECT_EQ(ui.view().selection.page, kFlowPage);
  EXPECT_EQ(ui.view().selection.tool, kWhyTool);
  EXPECT_TRUE(shows(ui, "looks at")) << ui.screen().all(kToolsCard);
  ui.press(Key::escape);
  EXPECT_EQ(ui.view().selection.page, kStagePage);
}

}  // namespace
}  // namespace headscope::ui
