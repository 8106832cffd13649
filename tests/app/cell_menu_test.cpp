// The commands on rows, columns, heads and matrices, by mouse and keyboard; copy and paste.
#include <algorithm>
#include <tuple>

#include "app/ui/cells/cell_commands.h"
#include "app_driver.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

const CellRef kQuery{TensorId::wQ, -1, -1, 70, 17};  // a weight of head 2

AppDriver& choose(AppDriver& ui, StepId step, const CellRef& cell) {
  ui.view().selection.step = step;
  ui.view().selection.head = info(cell.tensor).perHead ? cell.head : 1;
  ui.view().selection.cell = cell;
  ui.settle();
  return ui;
}

/// Opens the menu, chooses the target and does the command, all with the mouse.
void command(AppDriver& ui, const std::string& target, const std::string& title) {
  ui.click("edit ▾", "inspector");
  ui.click(target, "Popup");
  ui.click(title, "Popup");
}

/// The values of the last two axes.
Tensor valuesOf(AppDriver& ui, TensorId tensor) { return ui.trace().materialise(tensor); }

TEST(CellMenu, ARightClickOpensItForTheCell) {
  AppDriver ui;
  ui.view().selection.step = StepId::project;
  ui.settle();
  const ImVec2 at = cellAt(ui.heatmaps("stage")[0], 6, 512, 2, 100);
  ui.hover(at);
  const CellRef cell = ui.view().frame.hovered->cell;
  EXPECT_EQ(cell.tensor, TensorId::x);
  ui.host().click(ui.app(), at, 1);
  ui.settle();
  EXPECT_EQ(ui.view().selection.cell, cell);
  EXPECT_TRUE(ui.shows("Set to 0", "Popup"));
  EXPECT_FALSE(ui.shows("head", "Popup"));  // X has no part per head
  EXPECT_FALSE(ui.shows("Tie", "Popup"));
  ui.press(Key::escape);
  EXPECT_FALSE(ui.shows("Set to 0"));
  EXPECT_TRUE(ui.view().selection.cell);
}

TEST(CellMenu, AnOperandsBlocksAreFilled) {
  AppDriver ui;
  choose(ui, StepId::project, kQuery);
  command(ui, "column", "Set to 0");  // a column on the screen is a row of W_Q
  const Tensor w = valuesOf(ui, TensorId::wQ);
  for (Index i = 0; i < 512; ++i) EXPECT_EQ(w.at({70, i}), 0.0F);
  EXPECT_NE(w.at({71, 17}), 0.0F);
  command(ui, "head 2", "Identity");
  const Tensor v = valuesOf(ui, TensorId::wQ);
  for (Index r = 0; r < 64; ++r) {
    for (Index c = 0; c < 512; ++c) ASSERT_EQ(v.at({64 + r, c}), r == c ? 1.0F : 0.0F);
  }
  EXPECT_TRUE(v.at({0, 0}) == w.at({0, 0}));
  command(ui, "all", "Scale by");
  EXPECT_EQ(valuesOf(ui, TensorId::wQ).at({64, 0}), 0.5F);
  EXPECT_EQ(ui.undoAll(), 3);
}

TEST(CellMenu, EveryKindOfOperandTakesEveryCommandItIsOffered) {
  AppDriver ui;
  const std::vector<std::string> titles{"Set to 0",          "Identity",       "Scale by",
                                        "Re-draw with seed", "Copy from head", "Tie WK to WQ"};
  int done = 0;
  for (const auto& [step, part, cell] :
       {std::tuple<StepId, TensorId, CellRef>{
            StepId::project, TensorId::q, {TensorId::x, 0, -1, 1, 2}},
        {StepId::project, TensorId::q, {TensorId::wQ, -1, -1, 70, 2}},
        {StepId::project, TensorId::k, {TensorId::wK, -1, -1, 70, 2}},
        {StepId::project, TensorId::v, {TensorId::wV, -1, -1, 70, 2}},
        {StepId::project, TensorId::q, {TensorId::bQ, -1, -1, 0, 70}},
        {StepId::project, TensorId::k, {TensorId::bK, -1, -1, 0, 70}},
        {StepId::output, TensorId::q, {TensorId::wO, -1, -1, 70, 70}},
        {StepId::output, TensorId::q, {TensorId::bO, -1, -1, 0, 2}}}) {
    ui.view().selection.part = part;
    choose(ui, step, cell);
    for (const CellTarget target : targetsOf(cell, ui.config())) {
      for (const std::string& title : titles) {
        ui.click("edit ▾", "inspector");
        ui.click(nameOf(target, cell, ui.config()), "Popup");
        if (!ui.shows(title, "Popup")) {
          ui.press(Key::escape);
          continue;
        }
        const DocumentPtr before = ui.app().document();
        ui.click(title, "Popup");
        EXPECT_NE(ui.app().document(), before) << toString(cell) << " " << title;
        ++done;
      }
    }
  }
  // zero, scale and re-draw for each of 32 targets; identity for 4 heads and 5 matrices; copying
  // a head for 6; one tie
  EXPECT_EQ(done, 3 * 32 + 9 + 6 + 1);
  EXPECT_EQ(ui.undoAll(), done);
}

TEST(CellMenu, ReDrawnTiedAndCopiedFromAnotherHead) {
  AppDriver ui;
  const Tensor first = valuesOf(ui, TensorId::wK);
  ui.view().selection.part = TensorId::k;
  choose(ui, StepId::project, {TensorId::wK, -1, -1, 70, 17});
  command(ui, "head 2", "Copy from head");  // 1, as the menu has it at first
  EXPECT_EQ(valuesOf(ui, TensorId::wK).at({70, 17}), first.at({6, 17}));
  EXPECT_EQ(valuesOf(ui, TensorId::wK).at({6, 17}), first.at({6, 17}));
  command(ui, "all", "Tie WK to WQ");
  EXPECT_TRUE(valuesOf(ui, TensorId::wK).values() == valuesOf(ui, TensorId::wQ).values());
  command(ui, "all", "Re-draw with seed");
  EXPECT_EQ(valuesOf(ui, TensorId::wK).values(),
            drawWeights(ui.config(), WeightInit::xavier, 2).wK.values());
  EXPECT_EQ(ui.undoAll(), 3);
}

TEST(CellMenu, TheKeyboardDoesItAll) {
  AppDriver ui;
  choose(ui, StepId::project, kQuery);
  ui.press(Key::enter, false, true);
  ASSERT_TRUE(ui.shows("Set to 0", "Popup"));
  ui.press(Key::right);
  ui.press(Key::right);  // cell, row, column
  EXPECT_TRUE(ui.shows("W_Q column 70 · 512 numbers", "Popup"));
  ui.press(Key::down);  // "Scale by": its number has the keyboard
  ui.press(Key{'A'}, true);
  ui.type("4");
  const float before = ui.trace().value(kQuery);
  ui.press(Key::enter);
  EXPECT_FALSE(ui.shows("Set to 0"));
  EXPECT_EQ(ui.trace().value(kQuery), before * 4.0F);
  EXPECT_EQ(ui.view().selection.cell, kQuery);
  EXPECT_EQ(ui.undoAll(), 1);
}

TEST(CellMenu, ANumberThatIsNoneIsRefused) {
  AppDriver ui;
  choose(ui, StepId::project, kQuery);
  const DocumentPtr before = ui.app().document();
  ui.press(Key::enter, false, true);
  ui.press(Key::down);
  ui.press(Key{'A'}, true);
  ui.type("twice");
  ui.press(Key::enter);
  EXPECT_EQ(ui.app().document(), before);
  EXPECT_NE(ui.app().message().find("the factor: \"twice\" is not a number"), std::string::npos);
}

TEST(CellMenu, ComputedMatricesHaveTheirPinsRemoved) {
  AppDriver ui;
  const CellRef cell{TensorId::scores, 0, 1, 2, 3};
  choose(ui, StepId::scale, cell);
  for (const char* text : {"1", "2", "3"}) {
    ui.press(Key::enter);
    ui.type(text);
    ui.press(Key::enter);
    ui.press(Key::left);
  }
  ASSERT_EQ(ui.document().pins.all().size(), 3U);
  ui.view().selection.cell = cell;
  ui.settle();
  ui.click("edit ▾", "inspector");
  EXPECT_FALSE(ui.shows("Set to 0", "Popup"));
  EXPECT_FALSE(ui.shows("Paste numbers", "Popup"));
  ui.click("Unpin this cell", "Popup");
  EXPECT_EQ(ui.document().pins.all().size(), 2U);
  EXPECT_FALSE(ui.document().pins.at(cell));
  ui.click("edit ▾", "inspector");
  ui.click("Unpin all of this matrix", "Popup");
  EXPECT_TRUE(ui.document().pins.empty());
  ui.press(Key{'Z'}, true);
  EXPECT_EQ(ui.document().pins.all().size(), 2U);
}

TEST(CellPaste, NumbersGoWhereTheyAreSeen) {
  AppDriver ui;
  choose(ui, StepId::project, kQuery);
  ImGui::SetClipboardText("1\t2\t3\n4\t5\t6\n");
  ui.press(Key{'V'}, true);
  const Tensor w = valuesOf(ui, TensorId::wQ);  // shown transposed: right is down in W_Q
  for (Index down = 0; down < 2; ++down) {
    for (Index right = 0; right < 3; ++right) {
      EXPECT_EQ(w.at({70 + right, 17 + down}), static_cast<float>(down * 3 + right + 1));
    }
  }
  EXPECT_EQ(ui.undoAll(), 1);
}

TEST(CellPaste, WhatDoesNotFitIsRefusedWithBothShapes) {
  AppDriver ui;
  choose(ui, StepId::project, {TensorId::wQ, -1, -1, 127, 17});  // the last column on the screen
  const DocumentPtr before = ui.app().document();
  const auto refused = [&](const char* text, const std::string& says) {
    ImGui::SetClipboardText(text);
    ui.press(Key{'V'}, true);
    EXPECT_EQ(ui.app().document(), before) << text;
    EXPECT_NE(ui.app().message().find(says), std::string::npos) << ui.app().message();
  };
  refused("1\t2\n3\t4\n", "the clipboard has 2 × 2 numbers");
  refused("1\t2\n3\t4\n", "has room for 495 × 1");
  refused("1\nmany\n", "row 2, column 1: \"many\" is not a number");
  refused("nan\n1\n", "row 1, column 1 cannot be nan");
  refused("1\t2\n3\n", "row 2 has 1 number where the first has 2");
  ImGui::SetClipboardText("1\t2\n");
  command(ui, "column", "Paste numbers");
  EXPECT_EQ(ui.app().document(), before);
  EXPECT_NE(ui.app().message().find("takes 512 × 1 numbers"), std::string::npos)
      << ui.app().message();
  choose(ui, StepId::score, {TensorId::rawScores, 0, 1, 0, 0});
  refused("1\t2\n", "raw_scores is computed");
  ImGui::SetClipboardText("1.5");
  ui.press(Key{'V'}, true);
  EXPECT_EQ(ui.document().pins.at({TensorId::rawScores, 0, 1, 0, 0}), 1.5F);
}

TEST(CellPaste, WhatIsCopiedIsPastedToTheBit) {
  AppDriver ui;
  choose(ui, StepId::project, kQuery);
  const Tensor w = valuesOf(ui, TensorId::wQ);
  ui.press(Key{'C'}, true);
  EXPECT_NE(ui.app().message().find("copied W_Q[70, 17]: 1 × 1 number"), std::string::npos)
      << ui.app().message();
  command(ui, "column", "Copy numbers");
  EXPECT_NE(ui.app().message().find("copied W_Q column 70: 512 × 1 numbers"), std::string::npos)
      << ui.app().message();
  const std::string copied = ImGui::GetClipboardText();
  EXPECT_EQ(std::count(copied.begin(), copied.end(), '\n'), 512);  // a column, as shown
  choose(ui, StepId::project, {TensorId::wQ, -1, -1, 100, 0});
  ui.press(Key{'V'}, true);
  const Tensor v = valuesOf(ui, TensorId::wQ);
  for (Index i = 0; i < 512; ++i) ASSERT_EQ(v.at({100, i}), w.at({70, i}));
  EXPECT_EQ(ui.undoAll(), 1);
}

}  // namespace
}  // namespace headscope::ui
