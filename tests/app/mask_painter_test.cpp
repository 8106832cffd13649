// Mask painter: pairs painted by mouse and keys, starting points, and what is said about them.
#include <algorithm>
#include <cmath>

#include "app/ui/tools/mask_picture.h"
#include "app_driver.h"
#include "core/attention/mask.h"
#include "core/document/trace.h"
#include "core/editing/make_document.h"
#include "core/words/mask.h"

namespace headscope::ui {
namespace {

ViewState maskView() {
  ViewState view;
  view.selection.tool = "mask";
  view.selection.step = StepId::softmax;
  return view;
}

class MaskPainter : public testing::Test {
 protected:
  const Mask& mask() { return ui_.config().mask; }
  bool allowed(Index query, Index key) {
    return allowedKeys(mask(), ui_.view().selection.item, query, ui_.config().keys())(key);
  }
  float weight(Index query, Index key) {
    return ui_.trace().value({TensorId::weights, ui_.view().selection.item, 0, query, key});
  }
  ImVec2 pair(Index query, Index key) {
    return cellAt(ui_.heatmaps("flow").at(0), ui_.config().seqLen, ui_.config().keys(), query, key);
  }
  void drag(ImVec2 from, ImVec2 to, bool shift = false) {
    ui_.host().modifiers(false, shift);
    ui_.host().drag(ui_.app(), from, to);
    ui_.host().modifiers(false);
    ui_.settle();
  }
  /// Checks that the mask is this paint and has no rules.
  void expectPaint(const PaintedMask& expected) {
    ASSERT_NE(mask().painted, nullptr);
    EXPECT_EQ(*mask().painted, expected);
    EXPECT_FALSE(mask().causal);
    EXPECT_EQ(mask().window, 0);
  }

  AppDriver ui_{textDocument("The cat sat on the mat"), 1600, 1000, maskView()};
};

TEST_F(MaskPainter, AClickForbidsAPairAndASecondAllowsIt) {
  EXPECT_TRUE(ui_.shows("36 of 36 pairs allowed", "flow"));
  ui_.clickAt(pair(2, 4));
  EXPECT_FALSE(allowed(2, 4));
  EXPECT_EQ(weight(2, 4), 0.0F);
  EXPECT_GT(weight(2, 3), 0.0F);
  EXPECT_TRUE(ui_.shows("35 of 36 pairs allowed", "flow"));
  EXPECT_TRUE(ui_.shows("'sat' → 'the': forbidden by paint", "flow"));
  EXPECT_EQ(ui_.view().selection.cell, (CellRef{TensorId::weights, 0, 0, 2, 4}));
  ui_.clickAt(pair(2, 4));
  EXPECT_GT(weight(2, 4), 0.0F);
  EXPECT_EQ(mask().painted, nullptr);  // nothing forbidden is no paint
}

TEST_F(MaskPainter, ADragIsOneEntryAndLeavesNoPairOut) {
  drag(pair(1, 0), pair(1, 5));
  for (Index key = 0; key < 6; ++key) EXPECT_FALSE(allowed(1, key)) << key;
  drag(pair(0, 0), pair(5, 5));
  for (Index i = 0; i < 6; ++i) EXPECT_FALSE(allowed(i, i)) << i;
  EXPECT_EQ(ui_.undoAll(), 2);
  EXPECT_EQ(mask().painted, nullptr);
}

TEST_F(MaskPainter, ADragPaintsTheOppositeOfItsFirstPairAlone) {
  ui_.clickAt(pair(3, 3));
  drag(pair(3, 2), pair(3, 4));  // forbids, also what is forbidden already
  for (const Index key : {2, 3, 4}) EXPECT_FALSE(allowed(3, key)) << key;
  drag(pair(3, 2), pair(3, 4));
  for (const Index key : {2, 3, 4}) EXPECT_TRUE(allowed(3, key)) << key;
}

TEST_F(MaskPainter, WithShiftADragPaintsARectangle) {
  drag(pair(4, 4), pair(1, 2), true);
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 6; ++j) {
      EXPECT_EQ(allowed(i, j), !(i >= 1 && i <= 4 && j >= 2 && j <= 4)) << i << ", " << j;
    }
  }
  EXPECT_EQ(ui_.undoAll(), 1);
}

TEST_F(MaskPainter, ARectangleFollowsTheMouseBack) {
  ui_.clickAt(pair(4, 4));
  ui_.host().modifiers(false, true);
  ui_.host().moveMouse(pair(0, 0));
  ui_.host().frames(ui_.app(), 2);
  ui_.host().button(0, true);
  ui_.frame();
  for (const Index corner : {5, 1}) {
    ui_.host().moveMouse(pair(corner, corner));
    ui_.host().frames(ui_.app(), 2);
  }
  ui_.host().button(0, false);
  ui_.host().modifiers(false);
  ui_.settle();
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 6; ++j) {
      EXPECT_EQ(allowed(i, j), !((i < 2 && j < 2) || (i == 4 && j == 4))) << i << ", " << j;
    }
  }
  EXPECT_EQ(ui_.undoAll(), 2);
}

TEST_F(MaskPainter, BrushesPaintWholeRowsAndColumns) {
  ui_.click("columns", "flow");
  ui_.clickAt(pair(3, 1));
  ui_.click("rows", "flow");
  ui_.clickAt(pair(5, 4));
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 6; ++j) EXPECT_EQ(allowed(i, j), j != 1 && i != 5) << i << ", " << j;
  }
}

TEST_F(MaskPainter, StartingPoints) {
  AttentionConfig config;
  config.mask.window = 3;  // rules go off, so that every pair can be painted
  ui_.restart(makeDocument("", config, TextSource{{"The cat sat on the mat"}, {}}, Positions::named,
                           {}, kTestBudget),
              maskView());
  ui_.click("causal", "flow");
  expectPaint(causalPattern(6, 6));
  ui_.click("window 2", "flow");
  expectPaint(windowPattern(6, 6, 2));
  ui_.typeInto("n", "3", "flow");
  ui_.click("prefix 3", "flow");
  expectPaint(prefixPattern(6, 6, 3));
  ui_.click("padding 3", "flow");
  expectPaint(paddingPattern(6, 6, 3));
  ui_.click("invert", "flow");
  expectPaint(inverted(paddingPattern(6, 6, 3)));
  ui_.click("all allowed", "flow");
  EXPECT_TRUE(mask().none());
  EXPECT_EQ(ui_.undoAll(), 6);
}

TEST_F(MaskPainter, DocumentsAreTheItemsSentences) {
  ui_.restart(textDocument("It rains . The cat sat . So"), maskView());
  ui_.click("documents", "flow");
  expectPaint(documentPattern(8, 8, {3, 7}, {3, 7}));
  EXPECT_EQ(weight(1, 4), 0.0F);
  EXPECT_GT(weight(1, 2), 0.0F);
}

TEST_F(MaskPainter, ANumberThatCannotBeUsedIsExplained) {
  ui_.typeInto("n", "many", "flow");
  EXPECT_TRUE(ui_.shows("n: 'many' is not a whole number; give 1 to 6", "flow"));
  ui_.typeInto("n", "7", "flow");
  EXPECT_TRUE(ui_.shows("n is 7: give 1 to 6", "flow"));
  EXPECT_TRUE(ui_.shows("window 2", "flow"));
}

TEST_F(MaskPainter, ClearTakesThePaintAndLeavesTheRules) {
  ui_.click("causal", "top bar");
  ui_.clickAt(pair(4, 0));
  EXPECT_FALSE(allowed(4, 0));
  ui_.click("clear paint", "flow");
  EXPECT_TRUE(allowed(4, 0));
  EXPECT_TRUE(mask().causal);
  EXPECT_EQ(mask().painted, nullptr);
}

TEST_F(MaskPainter, WhatARuleForbidsCannotBePaintedUntilTheRulesArePaint) {
  ui_.click("causal", "top bar");
  ui_.clickAt(pair(1, 4));
  EXPECT_FALSE(allowed(1, 4));
  EXPECT_TRUE(ui_.shows("causal forbids 'cat' → 'the' anyway", "flow"));
  EXPECT_TRUE(ui_.shows("'cat' → 'the': forbidden by causal ('the' comes after 'cat')", "flow"));
  ui_.click("turn the rules into painted pairs", "flow");
  EXPECT_FALSE(mask().causal);
  EXPECT_EQ(*mask().painted, causalPattern(6, 6));
  EXPECT_FALSE(ui_.shows("anyway", "flow"));
  ui_.clickAt(pair(1, 4));
  EXPECT_TRUE(allowed(1, 4));
  EXPECT_GT(weight(1, 4), 0.0F);
}

TEST_F(MaskPainter, PaddingThatDiffersBetweenItemsStaysARule) {
  AttentionConfig config;
  config.batch = 2;
  ui_.restart(makeDocument("", config, TextSource{{"The cat sat", "It did"}, {}}, Positions::named,
                           {}, kTestBudget),
              maskView());
  ui_.view().selection.item = 1;
  ui_.settle();
  ui_.clickAt(pair(0, 2));
  EXPECT_TRUE(ui_.shows("padding that differs between items cannot be painted over", "flow"));
  const Mask before = mask();
  ui_.click("turn the rules into painted pairs", "flow");
  EXPECT_EQ(mask(), before);
  ui_.click("causal", "flow");
  EXPECT_EQ(mask().lengths, before.lengths);
}

TEST_F(MaskPainter, FullyMaskedQueriesAreExplained) {
  EXPECT_FALSE(ui_.shows("masked: no softmax", "flow"));
  drag(pair(2, 0), pair(2, 5));
  EXPECT_TRUE(ui_.shows(
      "Every key of 'sat' is masked: no softmax, weights 0, output b_O alone, not NaN.", "flow"));
  drag(pair(4, 0), pair(4, 5));
  EXPECT_TRUE(ui_.shows("2 of 6 queries have every key masked ('sat', 'the'): no softmax", "flow"));
  const auto output = ui_.trace().tensor(TensorId::output).values();
  EXPECT_TRUE(std::all_of(output.begin(), output.end(), [](float v) { return std::isfinite(v); }));
  EXPECT_EQ(ui_.trace().fullyMaskedRows.size(), 2U * 8U);
}

TEST_F(MaskPainter, ByKeyboard) {
  ui_.press(Key::right);
  EXPECT_EQ(ui_.view().selection.step,
            StepId::weigh);  // without a cursor the arrows are the steps'
  ui_.press(Key::left);
  ui_.press(Key::enter);
  ui_.press(Key::down);
  ui_.press(Key::down);
  ui_.press(Key::right);
  EXPECT_EQ(ui_.view().selection.step, StepId::softmax);
  EXPECT_EQ(ui_.view().selection.cell, (CellRef{TensorId::weights, 0, 0, 2, 1}));
  ui_.pressAlt(Key{'X'});
  EXPECT_EQ(weight(2, 1), 0.0F);
  EXPECT_TRUE(ui_.shows("'sat' → 'cat': forbidden by paint", "flow"));
  ui_.press(Key::up);
  ui_.pressAlt(Key{'X'});
  EXPECT_FALSE(allowed(1, 1));
  ui_.pressAlt(Key{'X'});
  EXPECT_TRUE(allowed(1, 1));
  for (int i = 0; i < 9; ++i) ui_.press(Key::left);
  EXPECT_EQ(ui_.view().selection.cell, (CellRef{TensorId::weights, 0, 0, 1, 0}));
  ui_.press(Key::escape);
  EXPECT_FALSE(ui_.view().selection.cell);
  ui_.press(Key::right);
  EXPECT_EQ(ui_.view().selection.step, StepId::weigh);
  EXPECT_EQ(ui_.undoAll(), 3);
}

TEST_F(MaskPainter, OpensByItsKeyAndFollowsTheDocumentsSize) {
  ui_.restart(textDocument("a b c d"));
  ui_.press(Key{'M'});
  EXPECT_EQ(ui_.view().selection.tool, "mask");
  ui_.clickAt(pair(3, 3));
  EXPECT_FALSE(allowed(3, 3));
  ui_.typeSentence("a b");
  EXPECT_TRUE(ui_.shows("4 of 4 pairs allowed", "flow"));
  EXPECT_FALSE(ui_.shows("forbidden", "flow"));  // the cursor's pair is gone
}

TEST_F(MaskPainter, ManyTokensPaintWhatIsUnderTheMouse) {
  AttentionConfig config;
  config.dModel = 16;
  config.numHeads = config.numKvHeads = 1;
  config.seqLen = 1500;
  ui_.restart(
      makeDocument("", config, TextSource{{"a b c"}, {}}, Positions::named, {}, kTestBudget, true),
      maskView());
  ui_.clickAt(pair(700, 300));
  EXPECT_FALSE(allowed(700, 300));
  const auto& painted = mask().painted->allowed;
  const auto forbidden = std::count(painted.begin(), painted.end(), 0);
  EXPECT_GT(forbidden, 1);    // all that share the point
  EXPECT_LT(forbidden, 200);  // 1500 pairs over some 250 points: 6 or 7 a side
  std::size_t vertices = 0;
  for (int i = 0; i < ImGui::GetDrawData()->CmdListsCount; ++i) {
    vertices += static_cast<std::size_t>(ImGui::GetDrawData()->CmdLists[i]->VtxBuffer.Size);
  }
  EXPECT_LT(vertices, 40000U);  // no rectangle per pair
}

TEST(MaskWords, EveryRuleIsNamedWithItsReason) {
  AttentionConfig c;
  c.mask.causal = true;
  c.mask.window = 2;
  c.mask.lengths = {3};
  const auto document =
      makeDocument("", c, TextSource{{"The cat sat on"}, {}}, Positions::named, {}, kTestBudget);
  EXPECT_EQ(pairSentence(*document, 0, 0, 3),
            "'The' → 'on': forbidden by causal ('on' comes after 'The') and by window 2 (they are "
            "3 apart) and by padding (only the first 3 keys count)");
  EXPECT_EQ(pairSentence(*document, 0, 1, 0), "'cat' → 'The': allowed");
  EXPECT_EQ(namesOf(rulesInTheWay(*document, 0, 0, 3)), "causal and window and padding");
  EXPECT_TRUE(rulesInTheWay(*document, 0, 1, 0).empty());
}

TEST(MaskPlacing, APointHasItsPair) {
  const MatrixPlace large{{{10, 20}, {70, 50}}, 3, 6};
  EXPECT_EQ(pairsAt(large, {35, 31}), (CellBlock{1, 1, 2, 1}));
  EXPECT_EQ(pairsAt(large, {500, -500}), (CellBlock{0, 1, 5, 1}));
  const MatrixPlace small{{{0, 0}, {100, 100}}, 250, 1000};
  EXPECT_EQ(pairsAt(small, {50.5F, 99.9F}), (CellBlock{247, 3, 500, 10}));
}

/// Enter belongs to the chosen cell: it opens the cell's field or its menu.
TEST_F(MaskPainter, LeavesEnterToTheChosenCell) {
  ui_.press(Key::enter, false, true);
  EXPECT_FALSE(ui_.view().selection.cell);  // with shift it brings no cursor
  for (const CellRef& cell : {CellRef{TensorId::weights, 0, 0, 2, 1},  // the cursor's own
                              CellRef{TensorId::maskedScores, 0, 0, 3, 3}}) {
    ui_.view().selection.cell = cell;
    ui_.settle();
    ui_.press(Key::enter);
    ui_.type("0.75");
    ui_.press(Key::enter);
    ui_.settle();
    EXPECT_EQ(ui_.trace().value(cell), 0.75F) << toString(cell);
    EXPECT_EQ(ui_.view().selection.cell, cell);
    EXPECT_TRUE(allowed(cell.row, cell.col));
  }
  ui_.press(Key::enter, false, true);
  EXPECT_TRUE(ui_.shows("Unpin this cell", "Popup"));
}

/// A cell chosen elsewhere takes the keyboard, and the painter's cursor disappears.
TEST_F(MaskPainter, TheCursorIsTheChosenPair) {
  ui_.clickAt(pair(2, 4));
  ui_.view().selection.step = StepId::project;
  ui_.view().selection.cell = CellRef{TensorId::wQ, -1, -1, 3, 3};
  ui_.settle();
  ui_.pressAlt(Key{'X'});
  EXPECT_FALSE(allowed(2, 4));
  ui_.press(Key::down);
  EXPECT_EQ(ui_.view().selection.cell->tensor, TensorId::wQ);
  ui_.view().selection.step = StepId::softmax;
  ui_.view().selection.cell = CellRef{TensorId::weights, 0, 0, 2, 4};
  ui_.settle();
  ui_.pressAlt(Key{'X'});
  EXPECT_TRUE(allowed(2, 4));
}

}  // namespace
}  // namespace headscope::ui
