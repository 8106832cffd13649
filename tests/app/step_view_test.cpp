// The step view: what is pointed at is named, lit and explained; what is clicked stays.
#include <map>
#include <set>
#include <utility>

#include "app/ui/step_view/step_view_items.h"
#include "app/ui/widgets.h"
#include "app_driver.h"
#include "core/attention/steps/step.h"
#include "core/document/trace.h"
#include "core/words/cell_sentence.h"

namespace headscope::ui {
namespace {

TEST(StepView, TheCellUnderTheMouseIsTheOneThatIsNamed) {
  AppDriver ui;
  const auto maps = ui.heatmaps("stage");
  ASSERT_EQ(maps.size(), 3U);  // Q, K^T, S
  for (const auto& [row, col] : {std::pair<Index, Index>{0, 0}, {2, 4}, {5, 1}, {5, 5}}) {
    ui.hover(cellAt(maps[2], 6, 6, row, col));
    ASSERT_TRUE(ui.view().frame.hovered);
    const CellRef cell{TensorId::rawScores, 0, 0, row, col};
    EXPECT_EQ(ui.view().frame.hovered->cell, cell);
    EXPECT_EQ(ui.view().frame.hovered->rowLane, Lane::query);
    EXPECT_EQ(ui.view().frame.hovered->row, row);
    EXPECT_EQ(ui.view().frame.hovered->colLane, Lane::key);
    EXPECT_EQ(ui.view().frame.hovered->col, col);
    EXPECT_TRUE(ui.shows(number(ui.trace().value(cell), 6), "Tooltip"));
    EXPECT_TRUE(ui.shows(cellInWords(ui.trace(), cell), "Tooltip"));
  }
  ui.hover({1, 1});
  EXPECT_FALSE(ui.view().frame.hovered);
}

TEST(StepView, ItsRowAndColumnAreLitInWhatItIsMadeOf) {
  AppDriver ui;
  const auto maps = ui.heatmaps("stage");
  const Theme& t = theme(ThemeKind::light);
  const auto colorOf = [&](const char* token) { return ui.screen().find(token, "chips")->color; };
  EXPECT_EQ(colorOf("sat"), t.text);
  ui.hover(cellAt(maps[2], 6, 6, 2, 4));
  EXPECT_EQ(colorOf("sat"), t.queryText);
  EXPECT_EQ(colorOf("cat"), t.text);
  int lit = 0;
  const ScreenText screen = ui.screen();
  for (const TextRun& run : screen.runs()) {
    const bool onAxis = run.window.find("stage") != std::string::npos;
    if (onAxis && run.text == "sat" && run.glyphs[0].color == t.queryText) ++lit;
    if (onAxis && run.text == "the" && run.glyphs[0].color == t.keyText) ++lit;
  }
  EXPECT_EQ(lit, 4);  // Q's row, K's column, and both of S
}

TEST(StepView, OperandsAreCellsOfTheirOwn) {
  AppDriver ui;
  const auto maps = ui.heatmaps("stage");
  ui.hover(cellAt(maps[0], 6, 64, 3, 10));
  ASSERT_TRUE(ui.view().frame.hovered);
  EXPECT_EQ(ui.view().frame.hovered->cell, (CellRef{TensorId::q, 0, 0, 3, 10}));
  EXPECT_EQ(ui.view().frame.hovered->colLane, Lane::inner);
  ui.hover(cellAt(maps[1], 64, 6, 10, 3));  // shown transposed
  ASSERT_TRUE(ui.view().frame.hovered);
  EXPECT_EQ(ui.view().frame.hovered->cell, (CellRef{TensorId::k, 0, 0, 3, 10}));
}

TEST(StepView, AClickKeepsTheCellAndItsArithmetic) {
  AppDriver ui;
  const auto maps = ui.heatmaps("stage");
  ui.clickAt(cellAt(maps[2], 6, 6, 2, 4));
  const CellRef cell{TensorId::rawScores, 0, 0, 2, 4};
  ASSERT_EQ(ui.view().selection.cell, cell);
  ui.hover({1, 1});
  EXPECT_EQ(ui.view().selection.cell, cell);
  EXPECT_TRUE(ui.shows(R"(S["sat", "the"])", "stage"));
  EXPECT_TRUE(ui.shows(number(ui.trace().value(cell), 5), "stage"));
  EXPECT_TRUE(ui.shows("next: × 0.1250 →", "stage"));
  EXPECT_TRUE(ui.shows("query 'sat'", "inspector"));
  ui.press(Key::escape);
  EXPECT_FALSE(ui.view().selection.cell);
}

TEST(StepView, EveryStepShowsItsMatricesAndTheirNumbers) {
  AppDriver ui(exampleDocument("english-german"));
  const std::map<StepId, std::size_t> matrices{
      {StepId::project, 4}, {StepId::split, 2},  {StepId::score, 3},
      {StepId::scale, 2},   {StepId::mask, 3},   {StepId::softmax, 2},
      {StepId::weigh, 3},   {StepId::concat, 2}, {StepId::output, 4}};
  for (const Step* step : stepsOf(ui.config())) {
    ui.view().selection.step = step->id();
    ui.settle();
    const auto maps = ui.heatmaps("stage");
    EXPECT_EQ(maps.size(), matrices.at(step->id())) << step->text(ui.config()).id;
    for (const gl::Bounds& map : maps) {
      ui.hover(middle(map));
      EXPECT_TRUE(ui.view().frame.hovered) << step->text(ui.config()).id;
    }
  }
}

/// The table of the step view lists exactly the operands and results of each step.
TEST(StepView, EveryStepShowsItsOperandsAndItsResults) {
  const AttentionConfig c = exampleDocument("english-german")->config;  // with a memory
  for (const Step* step : stepsOf(c)) {
    std::set<TensorId> taken;
    std::set<TensorId> given;
    for (const TensorId part : {TensorId::q, TensorId::k, TensorId::v}) {
      ViewState view;
      view.selection.part = part;
      for (const StepViewItem& item : stepViewItems(step->id(), c, view)) {
        if (item.sign || item.ref.maskOnly) continue;
        (item.result ? given : taken).insert(item.ref.tensor);
      }
    }
    const auto inputs = step->inputs(c);
    const auto outputs = step->outputs();
    EXPECT_EQ(taken, std::set<TensorId>(inputs.begin(), inputs.end())) << step->text(c).id;
    EXPECT_EQ(given, std::set<TensorId>(outputs.begin(), outputs.end())) << step->text(c).id;
  }
}

/// Short names in a low step view are not turned: turning would not fit more of them below a
/// smaller matrix.
TEST(StepView, NamesAreNotTurnedInVain) {
  AppDriver ui(textDocument("The cat sat on the mat"), 1280, 720);
  ui.view().selection.step = StepId::score;
  ui.settle();
  const auto maps = ui.heatmaps("stage");
  ASSERT_EQ(maps.size(), 3U);
  EXPECT_GE(maps[2].y1 - maps[2].y0, 80.0F);
}

/// Names that are too long for their columns are turned where that leaves the matrix room, else
/// thinned out on a line, and take no more room than that.
TEST(StepView, LongNamesLeaveTheMatricesTheirRoom) {
  struct Case {
    Index tokens;
    float least;  // points of the matrix' height
  };
  for (const auto& [tokens, least] : {Case{4, 60.0F}, Case{9, 60.0F}, Case{30, 80.0F}}) {
    std::string text = "The internationalizationalist saw it";
    for (Index i = 4; i < tokens; ++i) text += " again";
    AppDriver ui(textDocument(text, 384, 96), 1280, 720);
    ui.view().selection.step = StepId::score;
    ui.settle();
    const auto maps = ui.heatmaps("stage");
    ASSERT_EQ(maps.size(), 3U);
    EXPECT_GE(maps[2].y1 - maps[2].y0, least) << tokens;
    const ScreenText screen = ui.screen();
    const auto axis = screen.find("key →", "stage");
    ASSERT_TRUE(axis);
    for (const TextRun& run : screen.runs()) {
      if (run.window.find("stage") == std::string::npos || run.text == "key→") continue;
      for (const Spot& glyph : run.glyphs) {
        const bool apart = glyph.max.x <= axis->min.x || glyph.min.x >= axis->max.x ||
                           glyph.max.y <= axis->min.y || glyph.min.y >= axis->max.y;
        EXPECT_TRUE(apart) << run.text << " on the name of the axis, " << tokens << " tokens";
      }
    }
  }
}

TEST(StepView, NumbersAreTheTraces) {
  AppDriver ui(presetDocument("by-hand"));
  ui.view().selection.step = StepId::softmax;
  ui.settle();
  for (Index row = 0; row < 3; ++row) {
    for (Index col = 0; col < 3; ++col) {
      const float value = ui.trace().value({TensorId::weights, 0, 0, row, col});
      EXPECT_TRUE(ui.shows(cellNumber(value, 2), "stage")) << value;
    }
  }
}

TEST(StepView, AMaskedCellSaysWhy) {
  AppDriver ui;
  ui.click("causal", "top bar");
  ui.view().selection.step = StepId::mask;
  ui.settle();
  const auto maps = ui.heatmaps("stage");
  ASSERT_EQ(maps.size(), 3U);
  ui.hover(cellAt(maps[1], 6, 6, 2, 4));
  EXPECT_TRUE(ui.shows("causal: key 4 comes after query 2", "Tooltip"));
  ui.hover(cellAt(maps[1], 6, 6, 4, 2));
  EXPECT_TRUE(ui.shows("allowed", "Tooltip"));
  EXPECT_TRUE(ui.shows("−∞", "stage"));
}

TEST(StepView, QKAndVAreChosen) {
  AppDriver ui;
  ui.view().selection.step = StepId::split;
  ui.settle();
  ui.click("K", "stage");
  EXPECT_EQ(ui.view().selection.part, TensorId::k);
  ui.click("V", "stage");
  EXPECT_EQ(ui.view().selection.part, TensorId::v);
}

/// The items of a step for head 6 of 8 with d_k 64.
std::vector<StepViewItem> itemsOf(StepId step, const AttentionConfig& config) {
  ViewState view;
  view.selection.head = 5;
  return stepViewItems(step, config, view);
}

TEST(StepView, UnderAMistakeAHeadIsShownWithTheColumnsItTakes) {
  const AttentionConfig right = presetDocument("original-transformer")->config;
  auto items = itemsOf(StepId::split, right);
  EXPECT_EQ(items[0].outlinedFrom, 320);
  EXPECT_EQ(items[0].outlinedTo, 384);
  EXPECT_EQ(items[2].colOffset, 320);

  AttentionConfig shared = right;
  shared.mistakes.sharedHead = true;
  items = itemsOf(StepId::split, shared);
  EXPECT_EQ(items[0].outlinedFrom, 0);
  EXPECT_EQ(items[0].outlinedTo, 64);
  EXPECT_EQ(items[2].colOffset, 0);
  EXPECT_TRUE(items[2].linked);
  EXPECT_EQ(itemsOf(StepId::project, shared)[2].ref.row0, 0);
  EXPECT_EQ(itemsOf(StepId::concat, shared)[2].outlinedFrom, 320);  // outputs stay their own

  AttentionConfig reshaped = right;
  reshaped.mistakes.reshapeWithoutTranspose = true;
  items = itemsOf(StepId::split, reshaped);
  EXPECT_EQ(items[0].outlinedTo, 0);
  EXPECT_FALSE(items[2].linked);
  EXPECT_EQ(itemsOf(StepId::project, reshaped)[2].text, "W^Q_{320…383}");
  EXPECT_EQ(itemsOf(StepId::project, right)[2].text, "W^Q_{6}");
}

/// Eight heads of Q share two of K and V.
TEST(StepView, KeysAndValuesAreNamedByTheirOwnHead) {
  AttentionConfig c = presetDocument("original-transformer")->config;
  c.numKvHeads = 2;
  EXPECT_EQ(itemsOf(StepId::score, c)[0].text, "Q_{6}");
  EXPECT_EQ(itemsOf(StepId::score, c)[2].text, "K_{2}^T");
  EXPECT_EQ(itemsOf(StepId::score, c)[4].text, "S_{6}");
  EXPECT_EQ(itemsOf(StepId::weigh, c)[2].text, "V_{2}");
  ViewState view;
  view.selection.head = 5;
  view.selection.part = TensorId::k;
  EXPECT_EQ(stepViewItems(StepId::project, c, view)[2].text, "W^K_{2}");
  EXPECT_EQ(stepViewItems(StepId::split, c, view)[2].text, "K_{2}");
}

/// Reshaped without the transpose, head 1 of “sat” is what lies in row 0, columns 128 … 191.
TEST(StepView, ReshapedRowsAreNotLitAsTheTokensOwn) {
  AppDriver ui(apply(*presetDocument("original-transformer"),
                     SetMistake{Mistake::reshapeWithoutTranspose, true}, kTestBudget)
                   .document);
  ui.view().selection.step = StepId::split;
  ui.settle();
  const auto maps = ui.heatmaps("stage");
  ASSERT_EQ(maps.size(), 2U);
  const auto litLabels = [&] {
    int lit = 0;
    const ScreenText screen = ui.screen();
    for (const TextRun& run : screen.runs()) {
      if (run.window.find("stage") == std::string::npos || run.text != "sat") continue;
      lit += run.glyphs[0].color == theme(ThemeKind::light).queryText ? 1 : 0;
    }
    return lit;
  };
  ui.hover(cellAt(maps[0], 6, 512, 2, 10));
  EXPECT_EQ(litLabels(), 1);  // only Q's label
  ui.hover(cellAt(maps[1], 6, 64, 2, 10));
  ASSERT_TRUE(ui.view().frame.hovered);
  EXPECT_EQ(ui.view().frame.hovered->cell, (CellRef{TensorId::q, 0, 0, 2, 10}));
  EXPECT_EQ(litLabels(), 0);
}

TEST(StepView, AForbiddenScoreThatGetsZeroIsSaidTo) {
  Mask mask;
  mask.causal = true;
  const auto causal =
      apply(*presetDocument("original-transformer"), SetMask{mask}, kTestBudget).document;
  const auto signsOf = [](const AttentionConfig& config) {
    const auto items = itemsOf(StepId::mask, config);
    return items[1].text + " " + items[2].text;
  };
  EXPECT_EQ(signsOf(causal->config), "+ mask: 0 or −∞");
  AppDriver ui(apply(*causal, SetMistake{Mistake::zeroForMasked, true}, kTestBudget).document);
  EXPECT_EQ(signsOf(ui.config()), "⊙ mask: 1 or 0");
  ui.view().selection.step = StepId::mask;
  ui.settle();
  ui.hover(cellAt(ui.heatmaps("stage").at(1), 6, 6, 2, 4));
  EXPECT_TRUE(ui.shows("0 in place of −∞: causal: key 4 comes after query 2", "Tooltip"));
}

TEST(StepView, WhatAScoreBecomesIsSaidAsSoftmaxIsTaken) {
  for (const bool down : {false, true}) {
    AppDriver ui(apply(*presetDocument("original-transformer"),
                       SetMistake{Mistake::softmaxOverQueries, down}, kTestBudget)
                     .document);
    ui.view().selection.cell = CellRef{TensorId::rawScores, 0, 0, 2, 4};
    ui.settle();
    EXPECT_EQ(ui.shows("softmax over the row →", "stage"), !down);
    EXPECT_EQ(ui.shows("softmax down the column →", "stage"), down);
  }
}

/// Pointing at another cell shows its tooltip alone.
TEST(StepView, TheChosenCellsFormulaStaysWhileOthersArePointedAt) {
  AppDriver ui;
  ui.view().selection.cell = CellRef{TensorId::rawScores, 0, 0, 2, 4};
  ui.hover({1.0F, 1.0F});
  const auto formula = [&] {
    const std::string card = ui.screen().all(kStepViewCard);
    return card.substr(std::min(card.find("S["), card.size()));
  };
  const std::string strip = formula();
  const std::string inspector = ui.screen().all("inspector");
  EXPECT_NE(strip.find(R"(S["sat","the"])"), std::string::npos) << strip;
  ui.hover(cellAt(ui.heatmaps(kStepViewCard)[2], 6, 6, 5, 1));
  EXPECT_TRUE(ui.view().frame.hovered);
  EXPECT_NE(ui.screen().all("Tooltip"), "");
  EXPECT_EQ(formula(), strip);
  EXPECT_EQ(ui.screen().all("inspector"), inspector);
  // without a chosen cell the one under the mouse is explained
  ui.view().selection.cell.reset();
  ui.settle();
  EXPECT_TRUE(ui.shows(R"(S["mat", "cat"])", kStepViewCard)) << ui.screen().all(kStepViewCard);
}

}  // namespace
}  // namespace headscope::ui
