// Positions in the scores. Queries and keys that are turned (RoPE): the switch, the step on the
// step view, and the tool with its hands. ALiBi: the switch, and what the step mask shows.
#include "core/analysis/rotation.h"

#include <fmt/format.h>

#include "app/ui/step_view/step_view_items.h"
#include "app_driver.h"
#include "core/attention/switches.h"
#include "core/base/numbers.h"
#include "core/document/attention.h"

namespace headscope::ui {
namespace {

DocumentPtr turnedDocument() {
  const DocumentPtr plain = textDocument("The cat sat on the mat");
  return apply(*plain, SetRotary{{.theta = Rotary::kUsualTheta}}, kTestBudget).document;
}

/// Chooses one of the three settings of positions under More.
void chooseInScores(AppDriver& ui, std::string_view name) {
  const char* now = ui.config().rotary.on()       ? "RoPE: Q and K turn"
                    : ui.config().switches->alibi ? "ALiBi: less by distance"
                                                  : "no positions";
  ui.click("More ▾", "top bar");
  ui.click(now, "Popup");
  ui.click(name, "Combo");
}

TEST(Rotation, TheSwitchPutsAStepBetweenSplitAndScore) {
  AppDriver ui;
  EXPECT_FALSE(ui.shows("Rotate", "steps"));
  chooseInScores(ui, "RoPE: Q and K turn");
  EXPECT_EQ(ui.config().rotary.theta, Rotary::kUsualTheta);
  ui.press(Key::escape);
  ui.click("Rotate", "steps");
  EXPECT_EQ(ui.view().selection.step, StepId::rotate);
  EXPECT_TRUE(ui.shows("Step 3 · Rotate", "stage"));
  EXPECT_TRUE(ui.shows("RoPE", "flow"));
  ui.press(Key::right);
  EXPECT_EQ(ui.view().selection.step, StepId::score);
  ui.press(Key::left);
  ASSERT_EQ(ui.view().selection.step, StepId::rotate);
  ui.press(Key{'Z'}, true);  // the step that is shown goes with it
  EXPECT_FALSE(ui.config().rotary.on());
  EXPECT_EQ(ui.view().selection.step, StepId::score);
}

TEST(Rotation, AnOddWidthIsRefusedInWords) {
  AppDriver ui(textDocument("The cat sat", 15, 5));
  chooseInScores(ui, "RoPE: Q and K turn");
  EXPECT_FALSE(ui.config().rotary.on());
  EXPECT_TRUE(ui.shows("make it even"));
}

/// The step view shows Q and K before and after the turn; V is not turned, so Q is shown in its
/// place.
TEST(Rotation, TheStepViewShowsBeforeAndAfter) {
  const AttentionConfig c = turnedDocument()->config;
  const auto shown = [&](StepId step, TensorId part) {
    ViewState view;
    view.selection.part = part;
    std::vector<TensorId> tensors;
    for (const StepViewItem& item : stepViewItems(step, c, view)) {
      if (!item.sign) tensors.push_back(item.ref.tensor);
    }
    return tensors;
  };
  using T = TensorId;
  EXPECT_EQ(shown(StepId::rotate, T::q), (std::vector{T::q, T::qRot}));
  EXPECT_EQ(shown(StepId::rotate, T::k), (std::vector{T::k, T::kRot}));
  EXPECT_EQ(shown(StepId::rotate, T::v), (std::vector{T::q, T::qRot}));
  EXPECT_EQ(shown(StepId::score, T::q), (std::vector{T::qRot, T::kRot, T::rawScores}));
}

TEST(Rotation, ATurnedCellIsTakenApart) {
  ViewState view;
  view.selection.step = StepId::rotate;
  AppDriver ui(turnedDocument(), 1920, 1000, view);
  const auto maps = ui.heatmaps("stage");
  ASSERT_EQ(maps.size(), 2U);
  ui.clickAt({maps[1].x0 + 3.0F, (maps[1].y0 + maps[1].y1) * 0.5F});
  ASSERT_TRUE(ui.view().selection.cell);
  EXPECT_EQ(ui.view().selection.cell->tensor, TensorId::qRot);
  EXPECT_TRUE(ui.shows("cos", "stage"));
  ui.click("K", "stage");
  EXPECT_EQ(ui.view().selection.part, TensorId::k);
}

/// The product equals the engine's score, and does not change when the sentence slides.
TEST(Rotation, TheToolSlidesTheSentence) {
  ViewState view;
  view.selection.tool = "rotation";
  view.selection.cell = CellRef{TensorId::rawScores, 0, 2, 5, 1};
  view.selection.head = 2;
  AppDriver ui(turnedDocument(), 1600, 1000, view);
  const std::string product = number(ui.trace().value(*view.selection.cell));
  EXPECT_TRUE(ui.shows("'mat' at position 5, 'cat' at 1: q·k = " + product, "flow"));
  const auto pairs = rotaryPairs(ui.trace(), {0, 2, 5}, 1);
  const std::string nearer = number(rotatedProduct(pairs, 5, 5));
  EXPECT_TRUE(ui.shows("With only the key shifted by 4: " + nearer, "flow"));
  EXPECT_FALSE(ui.shows("Shifted to", "flow"));
  const ImVec2 slider = ui.after("shift the sentence by", "flow");
  ui.clickAt({slider.x + 90.0F, slider.y});
  EXPECT_TRUE(ui.shows("Shifted to", "flow"));
  EXPECT_TRUE(ui.shows(": " + product + ". With only", "flow"));
}

TEST(Rotation, WithoutRoPEItIsOffered) {
  ViewState view;
  view.selection.tool = "rotation";
  AppDriver ui(textDocument("The cat sat"), 1600, 1000, view);
  ui.click("rotate queries and keys", "flow");
  EXPECT_TRUE(ui.config().rotary.on());
  EXPECT_TRUE(ui.shows("q·k =", "flow"));
}

TEST(Rotation, ThetaIsSetNextToTheSwitch) {
  AppDriver ui(turnedDocument());
  ui.click("More ▾", "top bar");
  ui.typeInto("RoPE's theta", "500", "Popup");
  ui.press(Key::enter);
  EXPECT_EQ(ui.config().rotary.theta, 500.0);
  ui.typeInto("RoPE's theta", "-2", "Popup");
  ui.press(Key::enter);
  EXPECT_EQ(ui.config().rotary.theta, 500.0);
  EXPECT_TRUE(ui.shows("must be above 0"));
}

TEST(Alibi, TheSwitchPutsItIntoTheMask) {
  AppDriver ui(textDocument("The cat sat on the mat"));
  chooseInScores(ui, "ALiBi: less by distance");
  EXPECT_TRUE(ui.config().switches->alibi);
  ui.press(Key::escape);
  EXPECT_TRUE(ui.shows("+ ALiBi", "flow"));
  EXPECT_TRUE(ui.shows("S − m·d", "steps"));
  ui.view().selection.head = 1;
  ui.click("Bias", "steps");
  EXPECT_TRUE(ui.shows("−0.25·d", "stage"));
  EXPECT_TRUE(ui.shows("ALiBi subtracts 0.25 from a score of head 2", "stage"));
  EXPECT_TRUE(ui.shows("Nothing is masked", "stage"));
  // the cell's own numbers
  ui.view().selection.cell = CellRef{TensorId::maskedScores, 0, 1, 5, 2};
  ui.settle();
  EXPECT_TRUE(ui.shows("− 0.25 × 3 = ", "stage"));
  const double score = ui.trace().value({TensorId::scores, 0, 1, 5, 2});
  EXPECT_TRUE(
      ui.shows("= " + number(static_cast<double>(static_cast<float>(score - 0.75)), 5), "stage"));
  EXPECT_TRUE(ui.shows("the score minus ALiBi's penalty", "inspector"));
  ui.view().selection.tool = "terms";
  ui.settle();
  EXPECT_TRUE(ui.shows("sum of 2 terms", "flow"));
  chooseInScores(ui, "RoPE: Q and K turn");  // one takes the other's place
  EXPECT_TRUE(ui.config().rotary.on());
  EXPECT_FALSE(ui.config().switches->alibi);
  ui.press(Key::escape);
  chooseInScores(ui, "ALiBi: less by distance");
  ui.press(Key::escape);
  chooseInScores(ui, "no positions");
  EXPECT_EQ(ui.config(), textDocument("The cat sat on the mat")->config);
}

TEST(Alibi, CrossAttentionDoesNotOfferIt) {
  AppDriver ui;
  ui.click("examples ▾", "tokens");
  ui.click("English and German", "Popup");
  ASSERT_TRUE(ui.config().crossAttention());
  ui.click("More ▾", "top bar");
  ui.click("no positions", "Popup");
  EXPECT_TRUE(ui.shows("RoPE: Q and K turn", "Combo"));
  EXPECT_FALSE(ui.shows("ALiBi: less by distance", "Combo"));
}

}  // namespace
}  // namespace headscope::ui
