// The arithmetic of dragging and scrolling, and which cell a key leads to, without a window.
#include <gtest/gtest.h>

#include <limits>

#include "app/ui/cells/cell_access.h"
#include "app/ui/cells/cell_commands.h"
#include "app/ui/cells/cell_focus.h"
#include "app_driver.h"
#include "core/attention/steps/step.h"

namespace headscope::ui {
namespace {

TEST(CellInput, StepsFollowTheMatrixsMagnitude) {
  EXPECT_DOUBLE_EQ(dragStep(4.0F, false, false), 0.02);
  EXPECT_DOUBLE_EQ(dragStep(4.0F, true, false), 0.002);
  EXPECT_DOUBLE_EQ(dragStep(4.0F, false, true), 0.2);
  EXPECT_DOUBLE_EQ(wheelStep(4.0F), 0.2);
  EXPECT_DOUBLE_EQ(wheelStep(0.0F), 0.05);  // a largest value of 0 counts as 1
  EXPECT_DOUBLE_EQ(wheelStep(std::numeric_limits<float>::infinity()), 0.05);
}

TEST(CellInput, AMovedValueHasNoMoreDigitsThanTheStepTells) {
  EXPECT_EQ(fieldText(static_cast<float>(moved(0.123456, 0.04, 0.04))), "0.163");
  EXPECT_EQ(fieldText(static_cast<float>(moved(1000.0, -20.0, 20.0))), "980");
  EXPECT_EQ(fieldText(-0.0F), "0");
}

TEST(CellFocus, TheChosenCellMovesAsShownAndStaysInside) {
  const AttentionConfig c = presetDocument("original-transformer")->config;
  ViewState view;
  view.selection.step = StepId::project;
  view.selection.cell = CellRef{TensorId::wQ, -1, -1, 3, 17};  // shown transposed
  moveChosenCell(view, c, 1, 0);
  EXPECT_EQ(view.selection.cell, (CellRef{TensorId::wQ, -1, -1, 3, 18}));
  moveChosenCell(view, c, 0, 1);
  EXPECT_EQ(view.selection.cell, (CellRef{TensorId::wQ, -1, -1, 4, 18}));
  moveChosenCell(view, c, 0, 1000);  // only the head's 64 columns are shown
  EXPECT_EQ(view.selection.cell, (CellRef{TensorId::wQ, -1, -1, 63, 18}));
  moveChosenCell(view, c, -1000, -1000);
  EXPECT_EQ(view.selection.cell, (CellRef{TensorId::wQ, -1, -1, 0, 0}));
}

TEST(CellFocus, EveryCellCanBeShownFromEveryStep) {
  const auto document = exampleDocument("english-german");
  const AttentionConfig& c = document->config;
  for (std::size_t t = 0; t < kTensorCount; ++t) {
    for (const Step* from : stepsOf(c)) {
      for (const StepViewScope scope : {StepViewScope::thisHead, StepViewScope::allHeads}) {
        const auto tensor = static_cast<TensorId>(t);
        const Shape shape = shapeOf(tensor, c);
        CellRef cell{tensor, info(tensor).perItem ? 0 : -1, info(tensor).perHead ? 5 : -1,
                     info(tensor).rows == Axis::none ? 0 : shape[shape.size() - 2] - 1,
                     shape.back() - 1};
        ViewState view;
        view.selection.step = from->id();
        view.selection.scope = scope;
        showCell(view, c, cell);
        EXPECT_EQ(view.selection.cell, cell);
        EXPECT_TRUE(focusedMatrix(view, c)) << toString(cell) << " from step " << from->text(c).id;
      }
    }
  }
}

TEST(CellTarget, RowsAndColumnsAreThoseOnTheScreen) {
  const AttentionConfig c = presetDocument("original-transformer")->config;
  ViewState view;
  view.selection.step = StepId::project;
  view.selection.head = 2;
  const CellRef cell{TensorId::wQ, -1, -1, 130, 17};
  view.selection.cell = cell;
  const MatrixRef shown = *focusedMatrix(view, c);
  const auto region = [&](CellTarget target) { return regionOf(target, cell, shown, c); };
  EXPECT_EQ(region(CellTarget::cell), (Region{TensorId::wQ, -1, 130, 1, 17, 1}));
  EXPECT_EQ(region(CellTarget::row), (Region{TensorId::wQ, -1, 128, 64, 17, 1}));
  EXPECT_EQ(region(CellTarget::column), (Region{TensorId::wQ, -1, 130, 1, 0, 512}));
  EXPECT_EQ(region(CellTarget::head), (Region{TensorId::wQ, -1, 128, 64, 0, 512}));
  EXPECT_EQ(region(CellTarget::matrix), (Region{TensorId::wQ, -1, 0, 512, 0, 512}));
  // pasted 2 rows × 3 columns of what is shown are 3 × 2 of W_Q
  EXPECT_EQ(pastedRegion(cell, shown, 2, 3), (Region{TensorId::wQ, -1, 130, 3, 17, 2}));
  EXPECT_EQ(turned(Tensor::fromValues({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6}), true).values(),
            (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

}  // namespace
}  // namespace headscope::ui
