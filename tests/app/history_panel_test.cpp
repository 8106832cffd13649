// The history and the pins in the right card: every state can be reached, every pin removed.
#include <vector>

#include "app/ui/widgets.h"
#include "app_driver.h"
#include "core/document/attention.h"
#include "core/words/arithmetic.h"

namespace headscope::ui {
namespace {

/// Three edits by hand: causal, no bias, no scale.
class HistoryPanel : public testing::Test {
 protected:
  void SetUp() override {
    documents_.push_back(ui_.app().document());
    for (const char* item : {"causal", "bias", "÷√d"}) {
      ui_.click(item, "top bar");
      documents_.push_back(ui_.app().document());
    }
    ui_.view().selection.inspectorTab = InspectorTab::history;
    ui_.settle();
  }

  AppDriver ui_;
  std::vector<DocumentPtr> documents_;
};

TEST_F(HistoryPanel, ListsEveryEditAndTheMemoryHeld) {
  for (const char* name : {"start", "causal on", "bias off", "÷√d_k off"}) {
    EXPECT_TRUE(ui_.shows(name, "states")) << name << ": " << ui_.screen().all("states");
  }
  EXPECT_TRUE(ui_.shows("3 edits", "inspector"));
  EXPECT_TRUE(ui_.shows("of 256 MB held", "inspector"));
}

TEST_F(HistoryPanel, AClickGoesToAnyStateAndBackBitForBit) {
  const std::vector<const char*> names{"start", "causal on", "bias off", "÷√d_k off"};
  for (const std::size_t index : {1U, 3U, 0U, 2U}) {
    ui_.click(names[index], "states");
    EXPECT_EQ(ui_.app().document(), documents_[index]) << names[index];
    const TracePtr alone = runAttention(documents_[index], nullptr, {1});
    EXPECT_TRUE(sameValues(ui_.trace(), *alone, TensorId::output)) << names[index];
  }
}

TEST_F(HistoryPanel, UndoneStatesAreGreyAndTheCurrentOneMarked) {
  ui_.click("causal on", "states");
  ui_.hover({1, 1});
  const Theme& t = theme(ThemeKind::light);
  EXPECT_EQ(ui_.screen().find("start", "states")->color, t.text);
  EXPECT_EQ(ui_.screen().find("causal on", "states")->color, t.accentText);
  EXPECT_EQ(ui_.screen().find("bias off", "states")->color, withAlpha(t.textMuted, 0.65F));
}

TEST_F(HistoryPanel, CompareHoldsThePresentAgainstThatState) {
  ui_.clickAt({ui_.at("compare", "states").x, ui_.at("causal on", "states").y});
  EXPECT_EQ(ui_.view().selection.tool, kChangesTool);
  EXPECT_EQ(ui_.app().document(), documents_[3]);  // the document stays
  EXPECT_TRUE(ui_.shows("after causal on", "flow")) << ui_.screen().all("flow");
  const TracePtr before = runAttention(documents_[1], nullptr, {1});
  const CellRef cell{TensorId::rawScores, 0, 0, 2, 4};
  ui_.view().selection.cell = cell;
  ui_.settle();
  EXPECT_TRUE(ui_.shows("before " + number(before->value(cell), 6), "flow"))
      << ui_.screen().all("flow");
}

TEST(HistoryList, ALongOneIsScrolledToTheCurrentState) {
  ViewState view;
  view.preferences.animate = false;
  view.selection.inspectorTab = InspectorTab::history;
  AppDriver ui(textDocument("a b", 8, 2), 1600, 1000, view);
  for (int i = 0; i < 40; ++i) ui.click("causal", "top bar");
  EXPECT_TRUE(ui.shows("40", "states")) << ui.screen().all("states");
  EXPECT_FALSE(ui.shows("start", "states"));
  EXPECT_TRUE(ui.shows("40 edits", "inspector"));
  for (int i = 0; i < 40; ++i) ui.press(Key{'Z'}, true);
  EXPECT_TRUE(ui.shows("start", "states"));
  EXPECT_FALSE(ui.shows("40", "states"));
}

class PinsList : public testing::Test {
 protected:
  static DocumentPtr pinned() {
    DocumentPtr document = presetDocument("original-transformer");
    for (const Pin& pin : {Pin{{TensorId::rawScores, 0, 5, 2, 1}, 30.0F},
                           Pin{{TensorId::weights, 0, 3, 4, 4}, 0.5F}}) {
      document = apply(*document, SetPin{pin}, kTestBudget).document;
    }
    return document;
  }
  static ViewState historyTab() {
    ViewState view;
    view.selection.inspectorTab = InspectorTab::history;
    return view;
  }
};

TEST_F(PinsList, ShowsEveryPinWithWhatItWouldBe) {
  AppDriver ui(pinned(), 1600, 1000, historyTab());
  EXPECT_TRUE(ui.shows("2 pinned cells", "inspector"));
  EXPECT_TRUE(ui.shows(R"(S["sat", "cat"] · head 6)", "pinned"));
  EXPECT_TRUE(ui.shows(R"(A["the", "the"] · head 4)", "pinned"));
  const TracePtr plain = runAttention(presetDocument("original-transformer"), nullptr, {1});
  const float score = plain->value({TensorId::rawScores, 0, 5, 2, 1});
  const float weight = plain->value({TensorId::weights, 0, 3, 4, 4});
  EXPECT_TRUE(ui.shows("30, computed " + number(score, 5).substr(0, 5), "pinned"));
  EXPECT_TRUE(ui.shows("computed " + number(weight, 5).substr(0, 5), "pinned"));
}

TEST_F(PinsList, AClickGoesToTheCell) {
  AppDriver ui(pinned(), 1600, 1000, historyTab());
  ui.click(R"(A["the", "the"])", "pinned");
  EXPECT_EQ(ui.view().selection.cell, (CellRef{TensorId::weights, 0, 3, 4, 4}));
  EXPECT_EQ(ui.view().selection.step, StepId::softmax);
  EXPECT_EQ(ui.view().selection.head, 3);
}

TEST_F(PinsList, PinsAreRemovedOneByOneOrAllAndUndoBringsThemBack) {
  AppDriver ui(pinned(), 1600, 1000, historyTab());
  const DocumentPtr before = ui.app().document();
  ui.click("remove", "pinned");  // the last in the list
  ASSERT_EQ(ui.document().pins.all().size(), 1U);
  EXPECT_EQ(ui.document().pins.all()[0].cell.tensor, TensorId::rawScores);
  ui.press(Key{'Z'}, true);
  EXPECT_EQ(ui.document().pins, before->pins);
  ui.click("remove all", "inspector");
  EXPECT_TRUE(ui.document().pins.empty());
  EXPECT_FALSE(ui.shows("pinned cell", "inspector"));
}

}  // namespace
}  // namespace headscope::ui
