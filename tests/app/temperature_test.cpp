// Temperature panel: what is typed, dragged and switched there, and the numbers it shows.
#include <fmt/format.h>

#include <cmath>

#include "app/ui/parts/chart.h"
#include "app/ui/widgets.h"
#include "app_driver.h"
#include "bare_look.h"
#include "core/analysis/sharpness.h"
#include "core/attention/dropped_cells.h"
#include "core/attention/switches.h"
#include "core/document/trace.h"
#include "core/editing/make_document.h"

namespace headscope::ui {
namespace {

ViewState temperatureView() {
  ViewState view;
  view.selection.tool = "temperature";
  view.selection.cell = CellRef{TensorId::weights, 0, 0, 2, 1};
  return view;
}

class TemperaturePanel : public testing::Test {
 protected:
  void type(const char* field, const char* text) {
    ui_.typeInto(field, text, "flow");
    ui_.press(Key::enter);
  }
  double temperature() { return ui_.config().switches->temperature; }
  /// A point of the entropy chart's plot, 0 … 1 along its axis of temperatures.
  ImVec2 onEntropy(float along) {
    const auto left = ui_.screen().find("0.1", "flow");
    const auto right = ui_.screen().find("10", "flow");
    EXPECT_TRUE(left && right);
    if (!left || !right) return {};
    return {left->centre().x + (right->centre().x - left->centre().x) * along,
            left->centre().y - 40.0F};
  }

  AppDriver ui_{textDocument("The cat sat on the mat"), 1600, 1000, temperatureView()};
};

TEST_F(TemperaturePanel, ShowsTheRowsEntropyAndLargestWeight) {
  const Spread spread = spreadOf(rowWeights(ui_.trace(), {0, 0, 2}, sharpnessOf(ui_.config())));
  EXPECT_TRUE(ui_.shows(fmt::format("'sat': entropy {:.2f} of 2.58 bits · {:.1f} effective keys of "
                                    "6 · largest",
                                    spread.entropy, spread.effectiveKeys),
                        "flow"));
  EXPECT_TRUE(ui_.shows("weights of 'sat'", "flow"));
  ui_.view().selection.cell->row = 5;
  ui_.settle();
  EXPECT_TRUE(ui_.shows("weights of 'mat'", "flow"));
}

TEST_F(TemperaturePanel, ShowsTheVarianceOfTheHeadsScores) {
  ui_.view().selection.head = 5;
  ui_.settle();
  EXPECT_TRUE(ui_.shows("raw scores of head 6: variance", "flow"));
  EXPECT_TRUE(ui_.shows("at dk 64; after ÷√64:", "flow"));
  ui_.click("÷√dk", "flow");
  EXPECT_FALSE(ui_.config().switches->scale);
  EXPECT_TRUE(ui_.shows("at dk 64; not divided by √dk:", "flow"));
}

TEST_F(TemperaturePanel, TheVarianceIsMeasuredInTheBackground) {
  const auto inWords = [&](Index head) {
    const HeadVariance v = headVariance(ui_.trace(), 0, head);
    return fmt::format("raw scores of head {}: variance {}", head + 1, number(v.raw, 3));
  };
  EXPECT_TRUE(ui_.shows(inWords(0), "flow"));
  ui_.view().selection.head = 5;
  ui_.frame();
  EXPECT_TRUE(ui_.shows("raw scores of head 6: measuring …", "flow"));
  ui_.app().finish();
  ui_.frame();
  EXPECT_TRUE(ui_.shows(inWords(5), "flow"));
}

TEST_F(TemperaturePanel, ATypedTemperatureIsTaken) {
  const auto before = ui_.trace().tensor(TensorId::weights).values();
  type("temperature", "0.05");
  EXPECT_DOUBLE_EQ(temperature(), 0.05);
  EXPECT_NE(ui_.trace().tensor(TensorId::weights).values(), before);
  EXPECT_TRUE(ui_.shows("T 0.05", "flow"));
  EXPECT_TRUE(ui_.shows("and ÷0.05:", "flow"));
}

TEST_F(TemperaturePanel, WhatIsNoTemperatureIsRefusedInWords) {
  type("temperature", "warm");
  EXPECT_TRUE(ui_.shows("temperature: 'warm' is not a number; give a number above 0", "flow"));
  EXPECT_DOUBLE_EQ(temperature(), 1.0);
  type("temperature", "0");
  EXPECT_TRUE(ui_.shows("temperature is 0: it must be a number above 0", "flow"));
  type("temperature", "nan");
  EXPECT_DOUBLE_EQ(temperature(), 1.0);
  type("temperature", "2");
  EXPECT_DOUBLE_EQ(temperature(), 2.0);
  EXPECT_FALSE(ui_.shows("must be a number", "flow"));
}

TEST_F(TemperaturePanel, DraggingAlongTheEntropyCurveIsOneEdit) {
  ui_.host().drag(ui_.app(), onEntropy(0.3F), onEntropy(1.0F));
  ui_.settle();
  EXPECT_NEAR(temperature(), 10.0, 0.6);  // a point along the axis is 3 %
  EXPECT_EQ(ui_.undoAll(), 1);
  EXPECT_DOUBLE_EQ(temperature(), 1.0);
}

TEST_F(TemperaturePanel, TheSliderReachesBothEnds) {
  const ImVec2 box = ui_.after("temperature", "flow");
  const auto slideTo = [&](float x) {
    ui_.host().drag(ui_.app(), {box.x + 120.0F, box.y}, {x, box.y});
    ui_.settle();
  };
  slideTo(box.x + 500.0F);
  EXPECT_FLOAT_EQ(static_cast<float>(temperature()), 20.0F);
  slideTo(box.x - 100.0F);
  EXPECT_FLOAT_EQ(static_cast<float>(temperature()), 0.05F);
}

TEST_F(TemperaturePanel, DropoutIsASwitchWithRateAndSeed) {
  EXPECT_FALSE(ui_.shows("seed", "flow"));
  ui_.click("training: dropout", "flow");
  EXPECT_DOUBLE_EQ(ui_.config().dropout.rate, 0.1);
  EXPECT_TRUE(ui_.shows("A = dropout(softmax(S))", "steps"));
  type("rate", "0.5");
  EXPECT_DOUBLE_EQ(ui_.config().dropout.rate, 0.5);
  type("seed", "7");
  EXPECT_EQ(ui_.config().dropout.seed, 7U);
  const DroppedCells dropped(ui_.config());
  Index count = 0;
  for (Index key = 0; key < 6; ++key) {
    count += dropped(0, 0, 2, key) ? 1 : 0;
    EXPECT_EQ(ui_.trace().value({TensorId::weights, 0, 0, 2, key}) == 0.0F, dropped(0, 0, 2, key));
  }
  EXPECT_TRUE(ui_.shows(
      fmt::format("then dropout removes {} of 6 (×) and scales the others × 2", count), "flow"));
  ui_.click("training: dropout", "flow");
  EXPECT_FALSE(ui_.config().dropout.on());
  EXPECT_FALSE(ui_.shows("dropout(", "steps"));
  ui_.click("training: dropout", "flow");
  EXPECT_DOUBLE_EQ(ui_.config().dropout.rate, 0.5);  // the last rate
}

TEST_F(TemperaturePanel, WhatIsNoRateOrSeedIsRefusedInWords) {
  ui_.click("training: dropout", "flow");
  type("rate", "1");
  EXPECT_TRUE(ui_.shows("rate is 1: it must be above 0 and below 1", "flow"));
  type("rate", "half");
  EXPECT_TRUE(ui_.shows("rate: 'half' is not a number", "flow"));
  type("seed", "-3");
  EXPECT_TRUE(ui_.shows("seed is -3: give 0 or more", "flow"));
  EXPECT_DOUBLE_EQ(ui_.config().dropout.rate, 0.1);
  EXPECT_EQ(ui_.config().dropout.seed, 1U);
}

TEST_F(TemperaturePanel, AFullyMaskedRowHasNoDistribution) {
  AttentionConfig c = ui_.config();
  c.mask.lengths = {0};
  ui_.restart(
      makeDocument("", c, TextSource{{"The cat sat"}, {}}, Positions::named, {}, kTestBudget),
      temperatureView());
  EXPECT_TRUE(ui_.shows("Every key of 'sat' is masked: no softmax, weights 0", "flow"));
  EXPECT_FALSE(ui_.shows("nan", "flow"));
  EXPECT_FALSE(ui_.shows("inf", "flow"));
}

TEST_F(TemperaturePanel, OpensByItsKeyAlsoForOneToken) {
  ui_.restart(textDocument("Go", 8, 1));
  ui_.press(Key{'S'});
  EXPECT_EQ(ui_.view().selection.tool, "temperature");
  EXPECT_TRUE(ui_.shows("'Go': entropy 0.00 of 0.00 bits · 1.0 effective keys of 1 · largest 1 on",
                        "flow"));
  EXPECT_TRUE(ui_.shows("variance 0 at dk 8", "flow"));
  EXPECT_FALSE(ui_.shows("nan", "flow"));
}

TEST(ChartAxes, LinearAndLogarithmic) {
  const ChartAxis linear{2.0, 4.0};
  EXPECT_DOUBLE_EQ(linear.fraction(2.5), 0.25);
  EXPECT_DOUBLE_EQ(linear.value(0.25), 2.5);
  EXPECT_DOUBLE_EQ(linear.value(-1.0), 2.0);
  const ChartAxis logarithmic{0.1, 1000.0, true};
  EXPECT_NEAR(logarithmic.fraction(10.0), 0.5, 1e-12);
  EXPECT_NEAR(logarithmic.value(0.5), 10.0, 1e-12);
  EXPECT_NEAR(logarithmic.value(2.0), 1000.0, 1e-9);
  const BareLook bare;
  ChartFrame frame{{{0, 0}, {100, 54}}, {0, 1}, {0, 2}};
  frame.yTicks = false;
  const Chart chart(bare.look, frame);
  const Rect plot = chart.plot();
  EXPECT_FLOAT_EQ(plot.width(), 100.0F);
  EXPECT_FLOAT_EQ(chart.at(0.5, 0.5).x, 50.0F);
  EXPECT_FLOAT_EQ(chart.at(0.5, 0.5).y, plot.b.y - plot.height() * 0.25F);
  EXPECT_FLOAT_EQ(chart.at(5.0, 5.0).x, 100.0F);
  EXPECT_FLOAT_EQ(chart.at(5.0, 5.0).y, plot.a.y);
}

TEST(ChartAxes, RoundUpToReadableNumbers) {
  EXPECT_DOUBLE_EQ(roundedUp(1.0), 1.0);
  EXPECT_DOUBLE_EQ(roundedUp(0.171), 0.2);
  EXPECT_DOUBLE_EQ(roundedUp(0.21), 0.3);
  EXPECT_DOUBLE_EQ(roundedUp(0.4), 0.5);
  EXPECT_DOUBLE_EQ(roundedUp(0.0007), 0.001);
}

}  // namespace
}  // namespace headscope::ui
