// The gate and the pair bias in the window: switches of the menu More, their matrices in the step
// view, and cells that are typed over, pinned and undone.
#include "app/ui/cells/cell_access.h"
#include "app/ui/cells/cell_focus.h"
#include "app/ui/step_view/step_view_items.h"
#include "app_driver.h"
#include "core/attention/switches.h"

namespace headscope::ui {
namespace {

DocumentPtr alphaFold() { return presetDocument("alphafold2-evoformer"); }

std::vector<TensorId> shownIn(AppDriver& ui, StepId step) {
  ui.view().selection.step = step;
  ui.settle();
  std::vector<TensorId> tensors;
  for (const StepViewItem& item : stepViewItems(step, ui.config(), ui.view())) {
    if (!item.sign && !item.ref.maskOnly) tensors.push_back(item.ref.tensor);
  }
  return tensors;
}

TEST(RowAttention, GateAndPairBiasAreSwitchedInTheMenuMore) {
  AppDriver ui;
  ui.click("More ▾", "top bar");
  ui.click("gate", "Popup");
  EXPECT_TRUE(ui.config().switches->gate);
  EXPECT_FALSE(ui.shows("Seed of the bias", "Popup"));
  ui.click("a number for each pair", "Popup");
  ASSERT_TRUE(ui.config().pairBias.ofPairs());
  ui.typeInto("Seed of the bias", "7", "Popup");
  ui.press(Key::enter);
  EXPECT_EQ(ui.config().pairBias.settings().seed, 7U);
  ui.press(Key::escape);
  EXPECT_TRUE(has(ui.trace().config(), TensorId::gated));
  EXPECT_EQ(ui.undoAll(), 3);
  EXPECT_FALSE(ui.config().switches->gate);
  EXPECT_FALSE(ui.config().pairBias.on());
}

TEST(RowAttention, TheStepViewShowsGateAndBiasNextToWhatTheyChange) {
  AppDriver ui(alphaFold());
  using T = TensorId;
  EXPECT_EQ(shownIn(ui, StepId::gate),
            (std::vector{T::x, T::wG, T::bG, T::gate, T::heads, T::gated}));
  EXPECT_EQ(shownIn(ui, StepId::mask), (std::vector{T::scores, T::pairBias, T::maskedScores}));
  EXPECT_EQ(shownIn(ui, StepId::concat), (std::vector{T::gated, T::concat}));
  AppDriver plain;
  EXPECT_EQ(shownIn(plain, StepId::mask), (std::vector{T::scores, T::maskedScores}));
}

TEST(RowAttention, TheirCellsAreTypedOverOrPinned) {
  AppDriver ui(alphaFold());
  const CellRef bias{TensorId::pairBias, -1, 2, 1, 3}, weight{TensorId::wG, -1, -1, 70, 3};
  const CellRef gate{TensorId::gate, 0, 2, 1, 3}, gated{TensorId::gated, 0, 2, 1, 3};
  const auto access = [&](const CellRef& cell) { return cellAccess(ui.trace(), cell); };
  EXPECT_EQ(access(bias).kind, CellKind::operand);
  EXPECT_EQ(access(weight).kind, CellKind::operand);
  EXPECT_EQ(access(gate).kind, CellKind::pinnable);
  EXPECT_EQ(access(gated).kind, CellKind::readOnly);
  EXPECT_EQ(access(gated).sources, (std::vector<CellRef>{gate, {TensorId::heads, 0, 2, 1, 3}}));
  ui.app().apply(setCell(access(bias), 3.0F));
  ui.app().apply(setCell(access(gate), 0.0F));
  ui.settle();
  EXPECT_EQ(ui.trace().value(bias), 3.0F);
  EXPECT_EQ(ui.trace().value(gated), 0.0F);
  showCell(ui.view(), ui.config(), weight);
  EXPECT_EQ(ui.view().selection.step, StepId::gate);
  EXPECT_EQ(ui.view().selection.head, 2);
  showCell(ui.view(), ui.config(), bias);
  EXPECT_EQ(ui.view().selection.step, StepId::mask);
  EXPECT_EQ(ui.undoAll(), 2);
}

}  // namespace
}  // namespace headscope::ui
