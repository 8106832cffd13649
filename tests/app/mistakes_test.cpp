// Common mistakes: each can be made, is compared with the right way, and is marked while it is on.
#include "core/attention/mistakes.h"

#include <filesystem>
#include <string>

#include "app/ui/status_bar.h"
#include "app/ui/widgets.h"
#include "app_driver.h"
#include "core/analysis/trace_difference.h"
#include "core/attention/switches.h"
#include "core/document/attention.h"
#include "core/formats/model_directory.h"
#include "core/input/input.h"
#include "core/model/model_trace.h"

namespace headscope::ui {
namespace {

/// A causal document, in which every mistake makes a difference.
DocumentPtr causalDocument() {
  Mask mask;
  mask.causal = true;
  return apply(*presetDocument("original-transformer"), SetMask{mask}, kTestBudget).document;
}

ViewState mistakesTool() {
  ViewState view;
  view.selection.tool = kMistakesTool;
  view.selection.head = 2;
  return view;
}

TEST(Mistakes, TheKeyOpensFiveSwitches) {
  AppDriver ui;
  ui.press(Key{'W'});
  EXPECT_EQ(ui.view().selection.tool, kMistakesTool);
  for (const char* title : {"Reshape without the transpose", "Softmax over the queries",
                            "0 instead of −∞ in the mask", "One head's weights for all"}) {
    EXPECT_TRUE(ui.shows(title, "mistakes")) << title;
  }
  EXPECT_FALSE(ui.shows("##", "mistakes"));
  EXPECT_FALSE(ui.shows("mistake on"));
}

TEST(Mistakes, TheChosenWordIsAmongTheLabels) {
  ViewState view = mistakesTool();
  AppDriver ui(causalDocument(), 1280, 720, view);
  for (const Index row : {1, 2, 3}) {
    ui.view().selection.cell = CellRef{TensorId::weights, 0, 2, row, 0};
    ui.settle();
    const std::string& word = ui.document().input->tokens.front()[static_cast<std::size_t>(row)];
    EXPECT_TRUE(ui.shows(word, "compared with")) << word << ": " << ui.screen().all("flow");
  }
}

TEST(Mistakes, EachIsMadeByItsSwitchMarkedAndTakenBack) {
  AppDriver ui(causalDocument(), 1600, 1000, mistakesTool());
  const DocumentPtr right = ui.app().document();
  float line = -1.0F;
  for (const MistakeText& text : allMistakes()) {
    // its box is left of its title, whose index letters are drawn separately
    const std::string title(text.title.substr(0, text.title.find('_')));
    const ImVec2 at = ui.at(title, "mistakes");
    EXPECT_GT(at.y, line);
    line = at.y;
    const ImVec2 box(ui.window("mistakes")->x0 + 9.0F, at.y);
    ui.clickAt(box);
    EXPECT_TRUE(isOn(ui.config(), text.mistake)) << text.title;
    EXPECT_EQ(ui.view().selection.mistake, text.mistake);
    EXPECT_TRUE(ui.shows("mistake on: ")) << text.title;
    EXPECT_TRUE(ui.shows("Wrong, and on: ", "flow")) << ui.screen().all("flow");
    ui.clickAt(box);
    EXPECT_EQ(ui.config(), right->config) << text.title;
    EXPECT_FALSE(ui.shows("mistake on")) << text.title;
  }
}

TEST(Mistakes, WrongRightAndTheDifferenceAreThoseOfTheTwoPasses) {
  AppDriver ui(causalDocument(), 1600, 1000, mistakesTool());
  const TracePtr right = runAttention(ui.app().document(), nullptr, {1});
  for (const MistakeText& text : allMistakes()) {
    const auto made = apply(*right->documentPtr(), SetMistake{text.mistake, true}, kTestBudget);
    const TracePtr wrong = runAttention(made.document, nullptr, {1});
    const TensorId shown =
        text.mistake == Mistake::reshapeWithoutTranspose ? TensorId::q : TensorId::weights;
    const CellRef cell{shown, 0, 2, 4, 1};
    ASSERT_NE(wrong->value(cell), right->value(cell)) << text.title;
    const std::string numbers = "wrong " + number(wrong->value(cell), 6) + " · right " +
                                number(right->value(cell), 6) + " · difference";
    const std::string figures =
        "weights " + number(tensorDifference(*right, *wrong, TensorId::weights).largest, 3) +
        " · output " + number(tensorDifference(*right, *wrong, TensorId::output).largest, 3);
    for (const bool on : {false, true}) {  // shown before it is made as well
      ui.restart(on ? made.document : right->documentPtr(), mistakesTool());
      ui.view().selection.mistake = text.mistake;
      ui.view().selection.step = StepId::output;
      ui.view().selection.cell = cell;
      ui.settle();
      EXPECT_EQ(ui.heatmaps("compared with the correct computation").size(), 3U);
      EXPECT_TRUE(ui.shows(numbers, "compared with the correct computation"))
          << numbers << ui.screen().all("compared with the correct computation");
      EXPECT_TRUE(ui.shows(figures, "compared with the correct computation"))
          << figures << ui.screen().all("compared with the correct computation");
    }
  }
}

TEST(Mistakes, TheWholePassesAreMeasuredInTheBackground) {
  AppDriver ui(causalDocument(), 1600, 1000, mistakesTool());
  ASSERT_TRUE(
      ui.shows("largest difference over all heads", "compared with the correct computation"));
  ui.view().selection.mistake = Mistake::sharedHead;
  ui.frame();  // requests the other pass, which may be done already
  if (ui.shows("computing …", "compared with the correct computation")) {
    ui.app().finish();
    ui.frame();
  }
  EXPECT_TRUE(ui.shows("measuring …", "compared with the correct computation"));
  EXPECT_FALSE(
      ui.shows("largest difference over all heads", "compared with the correct computation"));
  ui.app().finish();
  ui.frame();
  EXPECT_TRUE(
      ui.shows("largest difference over all heads", "compared with the correct computation"));
}

TEST(Mistakes, ZeroForMaskedNeedsAMaskAndOffersOne) {
  ViewState view = mistakesTool();
  view.selection.mistake = Mistake::zeroForMasked;
  AppDriver ui(presetDocument("original-transformer"), 1600, 1000, view);
  EXPECT_TRUE(ui.shows("Nothing is masked here", "compared with the correct computation"));
  ui.click("switch causal on", "compared with the correct computation");
  EXPECT_TRUE(ui.config().mask.causal);
  EXPECT_TRUE(
      ui.shows("largest difference over all heads", "compared with the correct computation"));
}

TEST(Mistakes, TheirWordsAreSetWithRaisedAndLoweredLetters) {
  ViewState view = mistakesTool();
  view.selection.mistake = Mistake::sharedHead;
  AppDriver ui(causalDocument(), 1600, 1000, view);
  EXPECT_TRUE(
      ui.shows("first head's columns of WQ, WK and WV.", "compared with the correct computation"))
      << ui.screen().all("compared with the correct computation");
  EXPECT_FALSE(ui.shows("^"));
  ui.view().selection.mistake = Mistake::noScale;
  ui.settle();
  EXPECT_TRUE(ui.shows("divided by √dk.", "compared with the correct computation"))
      << ui.screen().all("compared with the correct computation");
  EXPECT_FALSE(ui.shows("_", "compared with the correct computation"));
  // where there is room for one line alone, its tooltip has all of them
  ui.host().resize(1280, 560);
  ui.view().selection.mistake = Mistake::sharedHead;
  ui.settle();
  ASSERT_FALSE(ui.shows("Right:", "compared with the correct computation"));
  ui.hover(ui.at("Why:", "compared with the correct computation"));
  for (int i = 0; i < 40; ++i) ui.frame();
  EXPECT_TRUE(ui.shows("columns of WQ, WK and WV.", "Tooltip")) << ui.screen().all("Tooltip");
}

TEST(Mistakes, TheBadgeOpensTheTool) {
  AppDriver ui(apply(*causalDocument(), SetMistake{Mistake::softmaxOverQueries, true}, kTestBudget)
                   .document);
  ASSERT_EQ(ui.view().selection.tool, kFlowTool);
  EXPECT_TRUE(ui.shows("mistake on: softmax over the queries", "heads"));
  const auto badge = ui.screen().find("mistake on: softmax over the queries");
  ASSERT_TRUE(badge);
  EXPECT_GT(badge->min.y, 960.0F);  // in the status bar, always in sight
  EXPECT_EQ(badge->color, theme(ThemeKind::light).bad);
  ui.clickAt(badge->centre());
  EXPECT_EQ(ui.view().selection.tool, kMistakesTool);
  EXPECT_EQ(ui.view().selection.mistake, Mistake::softmaxOverQueries);
}

TEST(Mistakes, APanelAloneIsMarkedToo) {
  for (const char* focus : {kStepViewCard, kStripCard, kToolsCard}) {
    ViewState view;
    view.selection.focus = focus;
    AppDriver ui(
        apply(*causalDocument(), SetMistake{Mistake::sharedHead, true}, kTestBudget).document, 900,
        600, view);
    EXPECT_TRUE(ui.shows("mistake on: one head's weights for all"));
    ui.restart(causalDocument(), view);
    EXPECT_FALSE(ui.shows("mistake on"));
  }
}

/// GPT-Neo has no ÷√d_k.
TEST(Mistakes, WhatTheModelOfALayerDoesIsNone) {
  const auto model = formats::openModel(
      std::filesystem::path(HEADSCOPE_TEST_DATA) / "families" / "gpt_neo", kTestBudget);
  const auto trace = model::runModel(model::makeModelDocument(model, {{1, 2, 3}, {}, {}}), nullptr,
                                     {}, kTestBudget);
  ViewState view = mistakesTool();
  view.selection.mistake = Mistake::noScale;
  AppDriver ui(trace->documentOfLayer(0, kTestBudget), 1600, 1000, view);
  EXPECT_FALSE(ui.config().switches->scale);
  EXPECT_FALSE(ui.shows("mistake on"));
  EXPECT_TRUE(ui.shows("to leave it out is no mistake here", "flow")) << ui.screen().all("flow");
  const DocumentPtr before = ui.app().document();
  ui.clickAt({ui.window("mistakes")->x0 + 9.0F, ui.at("No ÷√d", "mistakes").y});
  EXPECT_EQ(ui.app().document(), before);
  ui.restart(apply(*before, SetMistake{Mistake::sharedHead, true}, kTestBudget).document, view);
  EXPECT_TRUE(ui.shows("mistake on: one head's weights for all"));
}

TEST(Mistakes, InWordsNamesAllThatAreOn) {
  AttentionConfig config;
  EXPECT_EQ(mistakesInWords(config), "");
  config.mistakes.sharedHead = true;
  EXPECT_EQ(mistakesInWords(config), "mistake on: one head's weights for all");
  config.switches->scale = false;
  EXPECT_EQ(mistakesInWords(config), "mistakes on: no ÷√d_k, one head's weights for all");
}

}  // namespace
}  // namespace headscope::ui
