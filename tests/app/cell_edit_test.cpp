// Any cell can be typed, dragged and scrolled, with the mouse or the keyboard; pins likewise.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/cells/cell_access.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"
#include "app_driver.h"
#include "core/attention/dropped_cells.h"
#include "core/document/trace.h"
#include "core/editing/make_document.h"

namespace headscope::ui {
namespace {

const CellRef kScore{TensorId::rawScores, 0, 0, 2, 4};

/// The program with a cell chosen on a step.
struct CellDriver : AppDriver {
  CellDriver(StepId step, const CellRef& cell) { choose(step, cell); }
  void choose(StepId step, const CellRef& cell) {
    view().selection.step = step;
    view().selection.cell = cell;
    settle();
  }
  float value(const CellRef& cell) { return trace().value(cell); }
  void typeCell(const std::string& text) {
    press(Key::enter);
    type(text);
    press(Key::enter);
  }
  /// The inspector's field: above its buttons.
  ImVec2 field() {
    const auto button = screen().find("edit ▾", "inspector");
    EXPECT_TRUE(button);
    return {button->min.x + 40.0F, button->min.y - 32.0F};
  }
};

TEST(CellEdit, AWeightIsTypedOverOnTheStepView) {
  const CellRef cell{TensorId::wQ, -1, -1, 3, 17};
  CellDriver ui(StepId::project, cell);
  const TracePtr before = ui.app().trace();
  ui.typeCell("0.5");
  EXPECT_EQ(ui.value(cell), 0.5F);
  EXPECT_EQ(ui.document().weights.wQ.at({3, 17}), 0.5F);
  EXPECT_TRUE(ui.shows("0.5", "inspector"));
  EXPECT_FALSE(sameValues(ui.trace(), *before, TensorId::rawScores));
  EXPECT_EQ(ui.undoAll(), 1);
  EXPECT_TRUE(sameValues(ui.trace(), *before, TensorId::output));
}

TEST(CellEdit, EveryOperandIsTypedOverAndEveryPinnableCellPinned) {
  CellDriver ui(StepId::project, {TensorId::x, 0, -1, 1, 2});
  float number = 1.0F;
  for (const auto& [step, cell] :
       {std::pair<StepId, CellRef>{StepId::project, {TensorId::x, 0, -1, 1, 2}},
        {StepId::project, {TensorId::wQ, -1, -1, 1, 2}},
        {StepId::project, {TensorId::bQ, -1, -1, 0, 2}},
        {StepId::output, {TensorId::wO, -1, -1, 1, 2}},
        {StepId::output, {TensorId::bO, -1, -1, 0, 2}},
        {StepId::score, kScore},
        {StepId::scale, {TensorId::scores, 0, 0, 1, 2}},
        {StepId::softmax, {TensorId::weights, 0, 0, 1, 2}},
        {StepId::weigh, {TensorId::heads, 0, 0, 1, 2}}}) {
    ui.choose(step, cell);
    number += 0.25F;
    ui.typeCell(fieldText(number));
    EXPECT_EQ(ui.value(cell), number) << toString(cell);
  }
  EXPECT_EQ(ui.document().pins.all().size(), 4U);
  EXPECT_EQ(ui.undoAll(), 9);
}

TEST(CellEdit, APinIsMarkedNamedAndRemoved) {
  CellDriver ui(StepId::score, kScore);
  const float computed = ui.value(kScore);
  EXPECT_TRUE(ui.shows("type to pin", "inspector"));
  ui.typeCell("−3");
  ASSERT_EQ(ui.document().pins.at(kScore), -3.0F);
  EXPECT_TRUE(ui.shows("computed " + number(computed, 4), "inspector"));
  EXPECT_TRUE(ui.shows("pinned · computed", "stage"));
  ui.press(Key::del);
  EXPECT_TRUE(ui.document().pins.empty());
  EXPECT_EQ(ui.value(kScore), computed);
  ui.press(Key{'Z'}, true);
  EXPECT_TRUE(ui.document().pins.at(kScore));
  ui.click("unpin", "inspector");
  EXPECT_TRUE(ui.document().pins.empty());
}

TEST(CellEdit, AMaskedScoreIsPinnedAmongTheScoresUnlessItIsForbidden) {
  CellDriver ui(StepId::mask, {TensorId::maskedScores, 0, 0, 4, 2});
  ui.click("causal", "top bar");
  ui.typeCell("7");
  EXPECT_EQ(ui.document().pins.at({TensorId::scores, 0, 0, 4, 2}), 7.0F);
  EXPECT_TRUE(ui.shows("pinned in scores", "inspector"));
  ui.choose(StepId::mask, {TensorId::maskedScores, 0, 0, 2, 4});
  EXPECT_TRUE(ui.shows("allow the pair in the mask painter", "inspector"));
  ui.typeCell("7");
  EXPECT_EQ(ui.document().pins.all().size(), 1U);
  EXPECT_NE(ui.app().message().find("is read only"), std::string::npos) << ui.app().message();
}

TEST(CellEdit, WhatIsNoNumberIsRefusedInASentenceAndNothingChanges) {
  CellDriver ui(StepId::score, kScore);
  const DocumentPtr before = ui.app().document();
  for (const char* text : {"lots", "nan", "inf", "1e99", "0,5"}) {
    ui.press(Key::enter);
    ui.type(text);
    ui.press(Key::enter);
    EXPECT_EQ(ui.app().document(), before) << text;
    EXPECT_NE(ui.app().message().find("raw_scores[0, 0, 2, 4]"), std::string::npos) << text;
    EXPECT_NE(ui.app().message().find("the old value stays"), std::string::npos) << text;
    EXPECT_TRUE(ui.shows(text, "stage"));  // the typed text stays, to be corrected
    EXPECT_TRUE(ui.shows(text, "inspector"));
    ui.press(Key::escape);
    EXPECT_EQ(ui.app().document(), before) << text;
    EXPECT_FALSE(ui.shows(text, "inspector"));
    EXPECT_EQ(ui.view().selection.cell, kScore);
  }
  ui.typeCell("5");
  EXPECT_EQ(ui.document().pins.at(kScore), 5.0F);
}

TEST(CellEdit, EscapeLeavesTheValueAndAClickElsewhereTakesIt) {
  CellDriver ui(StepId::score, kScore);
  ui.press(Key::enter);
  ui.type("5");
  ui.press(Key::escape);
  EXPECT_TRUE(ui.document().pins.empty());
  ui.press(Key::enter);
  ui.type("6");
  const auto maps = ui.heatmaps("stage");
  ui.clickAt(cellAt(maps[2], 6, 6, 5, 0));
  EXPECT_EQ(ui.document().pins.at(kScore), 6.0F);
  EXPECT_EQ(ui.document().pins.all().size(), 1U);
  EXPECT_EQ(ui.view().selection.cell, (CellRef{TensorId::rawScores, 0, 0, 5, 0}));
}

TEST(CellEdit, TheInspectorsFieldIsTypedInto) {
  CellDriver ui(StepId::score, kScore);
  ui.clickAt(ui.field());
  ui.press(Key{'A'}, true);
  ui.type("2.5");
  ui.press(Key::enter);
  EXPECT_EQ(ui.document().pins.at(kScore), 2.5F);
  ui.press(Key::right);  // the step view has the keyboard again
  EXPECT_EQ(ui.view().selection.cell, (CellRef{TensorId::rawScores, 0, 0, 2, 5}));
}

/// A card that is closed also closes its field.
TEST(CellEdit, TypingEndsWhereItsFieldIsNoLongerShown) {
  CellDriver ui(StepId::score, kScore);
  ui.clickAt(ui.field());
  ui.press(Key{'A'}, true);
  ui.type("2.5.");
  ui.press(Key::enter);
  ASSERT_TRUE(ui.shows("not a number", "inspector"));
  ui.view().selection.page = kHeadsPage;
  ui.settle();
  EXPECT_FALSE(ImGui::GetIO().WantTextInput);
  ui.view().selection.page = kFlowPage;
  ui.settle();
  EXPECT_FALSE(ui.shows("not a number", "inspector"));
  EXPECT_FALSE(ImGui::GetIO().WantTextInput);
  EXPECT_TRUE(ui.document().pins.empty());
}

TEST(CellEdit, DraggingTheFieldIsOneEntry) {
  CellDriver ui(StepId::score, kScore);
  const float before = ui.value(kScore);
  float magnitude = 0.0F;
  for (Index r = 0; r < 6; ++r) {
    for (Index c = 0; c < 6; ++c) {
      magnitude = std::max(magnitude, std::abs(ui.value({TensorId::rawScores, 0, 0, r, c})));
    }
  }
  const ImVec2 from = ui.field();
  ui.host().drag(ui.app(), from, {from.x + 60.0F, from.y});
  ui.settle();
  const auto pin = ui.document().pins.at(kScore);
  ASSERT_TRUE(pin);
  EXPECT_NEAR(*pin, before + 60.0 * dragStep(magnitude, false, false), 0.01 * magnitude);
  EXPECT_EQ(ui.undoAll(), 1);
  ui.host().drag(ui.app(), from, {from.x + 60.0F, from.y});
  ui.host().drag(ui.app(), from, {from.x + 60.0F, from.y});
  EXPECT_EQ(ui.undoAll(), 2);
}

TEST(CellEdit, DraggingTheChosenCellOnTheStepViewChangesItUpwards) {
  CellDriver ui(StepId::score, kScore);
  const float before = ui.value(kScore);
  const ImVec2 from = cellAt(ui.heatmaps("stage")[2], 6, 6, 2, 4);
  ui.host().drag(ui.app(), from, {from.x, from.y - 60.0F});
  ui.settle();
  ASSERT_TRUE(ui.document().pins.at(kScore));
  EXPECT_GT(*ui.document().pins.at(kScore), before);
  EXPECT_EQ(ui.view().selection.cell, kScore);
  EXPECT_EQ(ui.undoAll(), 1);
  const ImVec2 other = cellAt(ui.heatmaps("stage")[2], 6, 6, 4, 1);  // not chosen yet
  ui.host().drag(ui.app(), other, {other.x, other.y - 60.0F});
  EXPECT_TRUE(ui.document().pins.empty());
}

TEST(CellEdit, TheWheelOverACellIsOneEntryWhileItContinues) {
  const CellRef cell{TensorId::weights, 0, 0, 2, 4};
  CellDriver ui(StepId::softmax, cell);
  const float before = ui.value(cell);
  const ImVec2 at = cellAt(ui.heatmaps("stage")[1], 6, 6, 2, 4);
  const auto notch = [&](float lines) {
    ui.host().wheel(lines);
    ui.frame();
    ui.settle();
  };
  ui.hover(at);
  for (int i = 0; i < 3; ++i) notch(1.0F);
  ASSERT_TRUE(ui.document().pins.at(cell));
  EXPECT_NEAR(*ui.document().pins.at(cell), before + 0.15F, 0.002F);  // weights: of 1
  ui.host().advance(2.0);
  notch(-1.0F);
  EXPECT_NEAR(*ui.document().pins.at(cell), before + 0.10F, 0.002F);
  EXPECT_EQ(ui.undoAll(), 2);
  ui.hover(cellAt(ui.heatmaps("stage")[1], 6, 6, 0, 0));  // another cell
  notch(1.0F);
  EXPECT_TRUE(ui.document().pins.empty());
  ui.hover(ui.field());
  notch(1.0F);
  EXPECT_NEAR(*ui.document().pins.at(cell), before + 0.05F, 0.002F);
}

TEST(CellKeys, ArrowsMoveTheChosenCellAndPagesTheStep) {
  CellDriver ui(StepId::score, kScore);
  ui.press(Key::down);
  ui.press(Key::left);
  EXPECT_EQ(ui.view().selection.cell, (CellRef{TensorId::rawScores, 0, 0, 3, 3}));
  EXPECT_EQ(ui.view().selection.step, StepId::score);
  for (int i = 0; i < 9; ++i) ui.press(Key::up);
  ui.press(Key::right, false, true);
  EXPECT_EQ(ui.view().selection.cell, (CellRef{TensorId::rawScores, 0, 0, 0, 5}));
  ui.press(Key::home);
  EXPECT_EQ(ui.view().selection.cell, (CellRef{TensorId::rawScores, 0, 0, 0, 0}));
  ui.press(Key::pageDown);
  EXPECT_EQ(ui.view().selection.step, StepId::scale);
  EXPECT_EQ(ui.view().selection.cell,
            (CellRef{TensorId::rawScores, 0, 0, 0, 0}));  // shown there too
  ui.press(Key::pageUp);
  ui.press(Key::escape);
  EXPECT_FALSE(ui.view().selection.cell);
  ui.press(Key::right);
  EXPECT_EQ(ui.view().selection.step, StepId::scale);
}

TEST(CellKeys, TabGoesThroughTheMatricesAndDownEnters) {
  AppDriver ui;
  ui.press(Key::down);
  EXPECT_EQ(ui.view().selection.cell, (CellRef{TensorId::rawScores, 0, 0, 0, 0}));
  ui.press(Key::tab);
  EXPECT_EQ(ui.view().selection.cell, (CellRef{TensorId::q, 0, 0, 0, 0}));
  ui.press(Key::down);
  ui.press(Key::tab);
  EXPECT_EQ(ui.view().selection.cell, (CellRef{TensorId::k, 0, 0, 0, 1}));  // shown transposed
  ui.press(Key::tab, false, true);
  EXPECT_EQ(ui.view().selection.cell, (CellRef{TensorId::q, 0, 0, 1, 0}));
  ui.view().selection.scope = StepViewScope::allHeads;
  ui.press(Key::escape);
  ui.press(Key::down);
  ui.press(Key::tab);
  EXPECT_EQ(ui.view().selection.cell, (CellRef{TensorId::rawScores, 0, 1, 0, 0}));
  EXPECT_EQ(ui.view().selection.head, 1);
  ui.press(Key::enter);  // opens the inspector's field
  ui.type("4");
  ui.press(Key::enter);
  EXPECT_EQ(ui.document().pins.at({TensorId::rawScores, 0, 1, 0, 0}), 4.0F);
}

/// Half the size of a cell in a 6 × 6 matrix, without the margin that belongs to its neighbours.
ImVec2 halfCell(const gl::Bounds& map) {
  return {(map.x1 - map.x0) / 12.0F - 3.0F, (map.y1 - map.y0) / 12.0F - 3.0F};
}

/// The number of vertices of a colour near a point.
int verticesNear(ImVec2 middle, ImVec2 reach, ImU32 color) {
  int found = 0;
  const ImDrawData* data = ImGui::GetDrawData();
  for (int l = 0; l < data->CmdListsCount; ++l) {
    for (const ImDrawVert& v : data->CmdLists[l]->VtxBuffer) {
      const bool near =
          std::abs(v.pos.x - middle.x) < reach.x && std::abs(v.pos.y - middle.y) < reach.y;
      if (near && v.col == color) ++found;
    }
  }
  return found;
}

TEST(CellMarks, DroppedCellsAreCrossedOut) {
  AppDriver ui;
  ui.view().selection.step = StepId::softmax;
  AttentionConfig config = ui.config();
  config.dropout = {0.4, 3};
  ui.restart(makeDocument("", config, TextSource{{"The cat sat on the mat"}, {}}, Positions::named,
                          {}, kTestBudget),
             ui.view());
  const gl::Bounds map = ui.heatmaps("stage")[1];
  const ImU32 ink = withAlpha(theme(ThemeKind::light).text, 0.55F);
  const DroppedCells dropped(config);
  for (Index r = 0; r < 6; ++r) {
    for (Index c = 0; c < 6; ++c) {
      const bool crossed = verticesNear(cellAt(map, 6, 6, r, c), halfCell(map), ink) > 0;
      EXPECT_EQ(crossed, dropped(0, 0, r, c)) << r << " " << c;
    }
  }
}

TEST(CellMarks, PinsRowSumsAndMaskedRowsAreShown) {
  const CellRef weight{TensorId::weights, 0, 0, 2, 4};
  CellDriver ui(StepId::softmax, weight);
  const ImU32 accent = theme(ThemeKind::light).accent;
  const auto verticesOf = [&](ImU32 color) {
    const gl::Bounds map = ui.heatmaps("stage")[1];
    return verticesNear(cellAt(map, 6, 6, 2, 4), halfCell(map), color);
  };
  EXPECT_EQ(verticesOf(accent), 0);
  EXPECT_FALSE(ui.shows("Σ = ", "stage"));
  ui.typeCell("0.9");
  EXPECT_GT(verticesOf(accent), 0);
  double sum = 0.0;
  for (Index c = 0; c < 6; ++c) sum += ui.value({TensorId::weights, 0, 0, 2, c});
  EXPECT_TRUE(ui.shows("Σ = " + cellNumber(sum, 2), "stage"));
  EXPECT_TRUE(ui.shows("its row sums to " + cellNumber(sum, 3), "inspector"));
}

TEST(CellMarks, AFullyMaskedRowSaysWhy) {
  AttentionConfig config = presetDocument("original-transformer")->config;
  config.mask.lengths = {0};
  ViewState view;
  view.selection.step = StepId::softmax;
  view.selection.cell = CellRef{TensorId::weights, 0, 0, 2, 1};
  AppDriver ui(makeDocument("", config, TextSource{{"The cat sat on the mat"}, {}},
                            Positions::named, {}, kTestBudget),
               1600, 1000, view);
  EXPECT_TRUE(
      ui.shows("every key of 'sat' is masked: no softmax, weights 0, output b_O", "inspector"));
  const gl::Bounds map = ui.heatmaps("stage")[1];
  const ImVec2 mark(map.x0 - 4.0F, cellAt(map, 6, 6, 2, 0).y);
  EXPECT_GT(verticesNear(mark, {5.0F, 5.0F}, theme(ThemeKind::light).bad), 0);
  ui.hover(cellAt(map, 6, 6, 1, 1));
  EXPECT_TRUE(ui.shows("every key of 'cat' is masked", "Tooltip"));
}

TEST(CellValue, AWeightPinnedToAnyNumberHasABarOfItsCard) {
  const CellRef cell{TensorId::weights, 0, 0, 2, 4};
  CellDriver ui(StepId::softmax, cell);
  ui.app().apply(SetPin{{cell, 3.4e38F}});
  ui.settle();
  const ImDrawData* drawn = ImGui::GetDrawData();
  for (int i = 0; i < drawn->CmdListsCount; ++i) {
    for (const ImDrawVert& corner : drawn->CmdLists[i]->VtxBuffer) {
      ASSERT_TRUE(std::isfinite(corner.pos.x) && std::isfinite(corner.pos.y));
    }
  }
}

TEST(CellValue, ReadOnlyCellsLeadToWhatTheyFollowFrom) {
  CellDriver ui(StepId::score, {TensorId::q, 0, 0, 2, 5});
  EXPECT_TRUE(ui.shows("a view of q_proj, which follows from x and W_Q", "inspector"));
  ui.click("W_Q →", "inspector");
  EXPECT_EQ(ui.view().selection.step, StepId::project);
  EXPECT_EQ(ui.view().selection.cell, (CellRef{TensorId::wQ, -1, -1, 5, 0}));
}

TEST(CellValue, AColumnOfXNamesItsCoordinate) {
  CellDriver ui(StepId::project, {TensorId::x, 0, -1, 2, 1});
  EXPECT_TRUE(ui.shows("column 1 of X: " + ui.document().input->coordinates[1], "inspector"));
}

}  // namespace
}  // namespace headscope::ui
