// The step view backward: gradients in place of values, on the same matrices, each cell taken
// apart.
#include <algorithm>
#include <cmath>
#include <string>

#include "app/ui/step_view/step_view_items.h"
#include "app_driver.h"
#include "core/attention/steps/step.h"
#include "core/base/numbers.h"
#include "core/document/attention.h"
#include "core/document/trace_gradients.h"
#include "core/editing/make_document.h"

namespace headscope::ui {
namespace {

/// The gradients of the output's sum, computed without the program's interface.
GradientsPtr gradientsOfSum(const DocumentPtr& document) {
  const TracePtr trace = runAttention(document);
  Tensor ones = Tensor::uninitialised(shapeOf(TensorId::output, trace->config()));
  std::fill_n(ones.mutableData(), ones.size(), 1.0F);
  return gradientsOf(trace, ones);
}

DocumentPtr drawnDocument() {
  AttentionConfig config;
  config.dModel = 96;
  config.numHeads = config.numKvHeads = 4;
  config.mask.causal = true;
  return makeDocument("", config, TextSource{{"The cat sat on the mat"}, {}}, Positions::named,
                      WeightSource{}, kTestBudget);
}

TEST(StepViewGradients, StandInPlaceOfTheValuesAtEveryStep) {
  AppDriver ui(drawnDocument());
  const GradientsPtr expected = gradientsOfSum(ui.app().document());
  ui.press(Key{'G'}, false, true);
  ui.settle();
  ASSERT_TRUE(ui.view().frame.gradientsThere);
  ui.press(Key::home);
  for (const Step* step : stepsOf({})) {
    ASSERT_EQ(ui.view().selection.step, step->id());
    int matrices = 0;
    for (const StepViewItem& item :
         stepViewItems(ui.view().selection.step, ui.config(), ui.view())) {
      if (item.sign) continue;
      ++matrices;
      ASSERT_TRUE(item.ref.gradient) << item.text;
      const CellRef cell = item.ref.cell(item.ref.shownRows() / 2, item.ref.shownCols() / 2);
      ui.view().selection.cell = cell;
      ui.frame();
      const std::string value = number(static_cast<double>(expected->value(cell)), 5);
      EXPECT_TRUE(ui.shows(value)) << toString(cell) << " = " << value;
    }
    EXPECT_GE(matrices, 2);
    ui.view().selection.cell.reset();
    ui.frame();
    ui.press(Key::right);
  }
}

TEST(StepViewGradients, AreThoseOfTheNewestPass) {
  AppDriver ui(drawnDocument());
  ui.click("gradients");
  ui.settle();
  const CellRef cell{TensorId::rawScores, 0, 1, 2, 1, -1, true};
  ui.view().selection.step = StepId::score;
  ui.view().selection.head = 1;
  ui.view().selection.cell = cell;
  ui.frame();
  const double before = gradientsOfSum(ui.app().document())->value(cell);
  EXPECT_TRUE(ui.shows(number(before, 5)));
  ui.click("causal", "top bar");
  ui.settle();
  const double after = gradientsOfSum(ui.app().document())->value(cell);
  ASSERT_NE(number(before, 5), number(after, 5));
  EXPECT_TRUE(ui.shows(number(after, 5)));
}

TEST(StepViewGradients, OfAChosenCellTurnWithTheSwitchAndCannotBeEdited) {
  AppDriver ui(drawnDocument());
  ui.view().selection.cell = CellRef{TensorId::rawScores, 0, 0, 2, 1};
  ui.press(Key{'G'}, false, true);
  ui.settle();
  ASSERT_TRUE(ui.view().selection.cell.has_value());
  EXPECT_TRUE(ui.view().selection.cell->gradient);
  EXPECT_TRUE(ui.shows("read only"));
  // the largest term of a gradient of a score leads on through the steps after it
  ui.press(Key{'T'});
  ui.press(Key{'B'});
  EXPECT_EQ(ui.view().selection.cell->tensor, TensorId::scores);
  EXPECT_TRUE(ui.view().selection.cell->gradient);
  EXPECT_EQ(ui.view().selection.step, StepId::scale);
  ui.press(Key{'G'}, false, true);
  ui.frame();
  EXPECT_FALSE(ui.view().selection.cell->gradient);
  EXPECT_FALSE(ui.view().frame.gradientsThere);
}

/// The menu must not offer edits of W_Q for the gradient of W_Q.
TEST(StepViewGradients, OfWeightsAreCopiedAndNothingElse) {
  AppDriver ui(drawnDocument());
  ui.press(Key{'G'}, false, true);
  ui.settle();
  ui.view().selection.step = StepId::project;
  ui.view().selection.cell = CellRef{TensorId::wQ, -1, -1, 3, 5};
  ui.frame();
  const CellRef cell = *ui.view().selection.cell;
  ASSERT_TRUE(cell.gradient);
  ui.press(Key{'C'}, true);
  EXPECT_NEAR(std::stod(ImGui::GetClipboardText()),
              static_cast<double>(gradientsOfSum(ui.app().document())->value(cell)), 1e-6);
  ui.press(Key{'V'}, true);
  EXPECT_TRUE(ui.shows("grad.W_Q is computed"));
  ui.press(Key::enter, false, true);
  EXPECT_TRUE(ui.shows("Copy numbers"));
  EXPECT_FALSE(ui.shows("Set to 0"));
}

/// A scene was set while gradients were shown; it is recalled in the middle of a frame that has
/// none.
TEST(StepViewGradients, ComeWithTheScenesThatShowedThem) {
  AppDriver ui(drawnDocument());
  ui.press(Key{'G'}, false, true);
  ui.settle();
  ui.view().selection.step = StepId::output;
  ui.view().selection.cell = CellRef{TensorId::wO, -1, -1, 3, 5, -1, true};
  ui.frame();
  ui.press(Key{'1'}, true);
  ui.press(Key{'G'}, false, true);
  ui.settle();
  EXPECT_FALSE(ui.view().frame.gradientsThere);
  ui.press(Key{'1'});
  ui.settle();
  EXPECT_TRUE(ui.view().frame.gradientsThere);
  EXPECT_TRUE(ui.shows("∂W^O[5, 3]"));
}

TEST(StepViewGradients, LeaveNothingBehindWhereTheSizeChanges) {
  AppDriver ui(drawnDocument());
  ui.press(Key{'G'}, false, true);
  ui.settle();
  ui.view().selection.cell = CellRef{TensorId::rawScores, 0, 3, 2, 1, -1, true};
  ui.frame();
  ui.typeInto("heads", "2");
  ui.settle();
  EXPECT_TRUE(ui.view().frame.gradientsThere);
  EXPECT_LT(ui.view().selection.head, 2);
  ui.press(Key{'G'});
  ui.frame();
  EXPECT_TRUE(ui.shows("all heads"));
}

}  // namespace
}  // namespace headscope::ui
