// Pace: nothing is drawn when nothing changes, the interface never waits for the engine, and the
// smallest and largest sizes are as good as any.
#include "app/worker.h"
#include "app_driver.h"
#include "core/attention/switches.h"
#include "core/document/trace.h"
#include "core/editing/make_document.h"
#include "long_pass.h"

namespace headscope::ui {
namespace {

constexpr StepId kAllSteps[] = {StepId::project, StepId::split,  StepId::score,
                                StepId::scale,   StepId::mask,   StepId::softmax,
                                StepId::weigh,   StepId::concat, StepId::output};

/// Draws every step for one head and for all, and checks that no number is NaN or infinite.
void lookAtEverything(AppDriver& ui) {
  for (const StepViewScope scope : {StepViewScope::thisHead, StepViewScope::allHeads}) {
    for (const StepId step : kAllSteps) {
      for (const TensorId part : {TensorId::q, TensorId::k, TensorId::v}) {
        if (step != StepId::project && step != StepId::split && part != TensorId::q) continue;
        ui.view().selection.scope = scope;
        ui.view().selection.step = step;
        ui.view().selection.part = part;
        ui.settle();
        const auto maps = ui.heatmaps("stage");
        ASSERT_FALSE(maps.empty()) << static_cast<int>(step);
        ui.hover(middle(maps.back()));
        const ScreenText screen = ui.screen();
        EXPECT_FALSE(screen.shows("nan")) << static_cast<int>(step);
        EXPECT_FALSE(screen.shows("notanumber")) << static_cast<int>(step);
      }
    }
  }
}

TEST(Pace, AsksForNoFramesWhenNothingChanges) {
  AppDriver ui;
  for (int i = 0; i < 5; ++i) {
    ui.frame();
    EXPECT_FALSE(ui.app().wantsFrame());
  }
  ui.click("bias", "top bar");
  ui.host().advance(1);
  ui.settle();
  for (int i = 0; i < 5; ++i) {
    ui.frame();
    EXPECT_FALSE(ui.app().wantsFrame());
  }
}

/// Large enough for its pass to take a while.
DocumentPtr slowDocument() {
  std::string text;
  for (int i = 0; i < 1536; ++i) text += i % 2 == 0 ? "tick " : "tock ";
  return textDocument(text, 1024, 16);
}

TEST(Pace, TheLastResultIsDrawnWhileTheNextIsComputed) {
  AppDriver ui(slowDocument());
  const TracePtr before = ui.app().trace();
  ui.click("causal", "top bar");
  ASSERT_NE(ui.app().trace(), before);
  ui.host().moveMouse(ui.at("causal", "top bar"));
  ui.host().frames(ui.app(), 2);
  ui.host().button(0, true);
  ui.frame();
  const TracePtr shown = ui.app().trace();
  ui.host().button(0, false);
  ui.frame();  // asked for
  EXPECT_FALSE(ui.config().mask.causal);
  EXPECT_EQ(ui.app().trace(), shown);
  EXPECT_TRUE(ui.shows("Step 3", "stage"));
  ui.settle();
  EXPECT_EQ(ui.trace().documentPtr(), ui.app().document());
}

TEST(Pace, TheNewestOfManyEditsWins) {
  AppDriver ui(slowDocument());
  ui.host().moveMouse(ui.at("bias", "top bar"));
  ui.host().frames(ui.app(), 2);
  for (int i = 0; i < 7; ++i) {  // faster than they can be computed
    ui.host().button(0, true);
    ui.frame();
    ui.host().button(0, false);
    ui.frame();
  }
  EXPECT_FALSE(ui.config().switches->bias);
  ui.settle();
  EXPECT_EQ(ui.trace().documentPtr(), ui.app().document());
}

TEST(Pace, WhatTakesLongSaysHowFarItIs) {
  AppDriver ui(longDocument());
  ui.host().moveMouse(ui.at("bias", "top bar"));
  ui.host().frames(ui.app(), 2);
  while (!ui.shows("any edit cancels it")) {                // otherwise this test would not end
    if (ui.trace().documentPtr() == ui.app().document()) {  // not yet begun, or missed
      ui.host().button(0, true);
      ui.frame();
      ui.host().button(0, false);
    }
    ui.frame();
  }
  ui.settle();
  EXPECT_FALSE(ui.shows("any edit cancels it"));
}

TEST(Pace, AnItemNotYetComputedIsNotLookedAt) {
  AppDriver ui(slowDocument());
  ui.click("More ▾", "top bar");
  ui.clickAt(ui.after("Batch", "Popup"));
  ui.press(Key{'A'}, true);
  ui.host().type(ui.app(), "2");
  ui.host().press(ui.app(), Key::enter);
  ui.host().press(ui.app(), Key::escape);
  ui.host().click(ui.app(), ui.at("▶", "tokens"));
  if (ui.trace().config().batch == 1) {
    EXPECT_EQ(ui.view().selection.item, 0);
  }
  ui.settle();
  EXPECT_EQ(ui.trace().config().batch, 2);
}

TEST(Pace, WhatTheWorkerGivesIsTheNewest) {
  const DocumentPtr first = textDocument("one", 16, 2);
  const DocumentPtr second = textDocument("one two", 16, 2);
  Scheduler scheduler;
  Worker worker(scheduler, Priority::edit, 1);
  for (const DocumentPtr& document : {first, second}) {
    worker.request(document);
    worker.wait();
  }
  const auto update = worker.take();
  ASSERT_TRUE(update && update->trace);
  EXPECT_EQ(update->trace->documentPtr(), second);
  EXPECT_FALSE(worker.take());
  EXPECT_FALSE(worker.progress().busy);
}

TEST(Extremes, OneTokenOneHeadOneFeature) {
  AppDriver ui(textDocument("Cat", 1, 1));
  lookAtEverything(ui);
  EXPECT_EQ(ui.trace().value({TensorId::weights, 0, 0, 0, 0}), 1.0F);
}

TEST(Extremes, OneFeatureAHead) {
  AppDriver ui(textDocument("The cat sat on the mat", 16, 16));
  lookAtEverything(ui);
}

TEST(Extremes, AHundredAndTwentyEightHeads) {
  AppDriver ui(textDocument("The cat sat on the mat", 512, 128));
  lookAtEverything(ui);
  ui.view().selection.head = 127;
  ui.view().selection.scope = StepViewScope::thisHead;
  ui.view().selection.step = StepId::score;
  ui.settle();
  EXPECT_TRUE(ui.shows("head 128", "stage"));
}

TEST(Extremes, FiveHundredAndTwelveTokens) {
  AppDriver ui(textDocument("The cat sat on the mat", 64, 4));
  ui.typeInto("tokens", "512");
  ASSERT_EQ(ui.trace().config().seqLen, 512);
  lookAtEverything(ui);
  ui.view().selection.scope = StepViewScope::thisHead;
  ui.view().selection.step = StepId::softmax;
  ui.settle();
  const auto maps = ui.heatmaps("stage");
  ui.hover(cellAt(maps.back(), 512, 512, 511, 511));
  ASSERT_TRUE(ui.view().frame.hovered);
  EXPECT_NEAR(static_cast<double>(ui.view().frame.hovered->row), 511, 4);  // several to a pixel
  EXPECT_NEAR(static_cast<double>(ui.view().frame.hovered->col), 511, 4);
}

TEST(Extremes, OneTokenSeesManyOfTheMemory) {
  AttentionConfig config;
  config.dModel = 24;
  config.numHeads = config.numKvHeads = 3;
  std::string memory;
  for (int i = 0; i < 300; ++i) memory += "word ";
  AppDriver ui(
      makeDocument("", config, TextSource{{"Cat"}, {memory}}, Positions::named, {}, kTestBudget));
  lookAtEverything(ui);
}

TEST(Extremes, WhatIsChosenGoesWithWhatItWasChosenFrom) {
  AppDriver ui;
  ui.view().selection.step = StepId::softmax;
  ui.settle();
  ui.clickAt(cellAt(ui.heatmaps("stage").back(), 6, 6, 5, 5));
  ASSERT_TRUE(ui.view().selection.cell);
  ui.typeInto("tokens", "2");
  EXPECT_FALSE(ui.view().selection.cell);
  EXPECT_EQ(ui.trace().config().seqLen, 2);
  ui.host().moveMouse(middle(ui.heatmaps("stage").back()));
  ui.typeSentence("Cat");  // under the mouse
  EXPECT_EQ(ui.trace().config().seqLen, 1);
  lookAtEverything(ui);
}

}  // namespace
}  // namespace headscope::ui
