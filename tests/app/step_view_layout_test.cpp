// The places of matrices on the step view: few columns are wide enough for their numbers where the
// row has room, and no matrix gets less than its minimum.
#include "app/ui/step_view/step_view_layout.h"

#include <vector>

#include "app_driver.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

/// Step 1 of three tokens with two heads of four columns: X, W, the bias and Q.
std::vector<StepViewItem> projectItems(Index dModel, float numberWidth) {
  AttentionConfig config;
  config.seqLen = 3;
  config.dModel = dModel;
  config.numHeads = config.numKvHeads = 2;
  std::vector<StepViewItem> items = stepViewItems(StepId::project, config, ViewState{});
  for (StepViewItem& item : items) {
    if (!item.sign && item.ref.shownCols() <= 16) item.numberWidth = numberWidth;
  }
  return items;
}

StepViewMetrics metrics() {
  StepViewMetrics m{};
  m.largestCell = 46.0F;
  m.widestCell = 1.6F;
  m.numberHeight = 17.0F;
  m.rowLabel = 35.0F;
  m.axisName = 16.0F;
  m.columnLabel = 20.0F;
  m.title = 26.0F;
  m.sign = 30.0F;
  m.word = 66.0F;
  m.shortestSide = 90.0F;
  return m;
}

std::vector<float> columnWidths(const std::vector<StepViewItem>& items, float width) {
  const Rect room{{0.0F, 0.0F}, {width, 180.0F}};
  const std::vector<Rect> places = layoutStepView(items, room, metrics());
  EXPECT_LE(places.back().b.x, room.b.x + 0.01F) << width;
  std::vector<float> widths;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].sign) continue;
    widths.push_back(places[i].width() / static_cast<float>(items[i].ref.shownCols()));
  }
  return widths;
}

TEST(StepViewLayout, EightColumnsTakeWhatTheirNumbersNeedFromFour) {
  for (const float width : {560.0F, 600.0F, 700.0F, 1200.0F}) {
    for (const float column : columnWidths(projectItems(8, 16.0F), width)) {
      EXPECT_GE(column, 15.99F) << width;
    }
  }
}

TEST(StepViewLayout, TheWidestNumbersAreGivenUpBeforeTheOthers) {
  const std::vector<float> widths = columnWidths(projectItems(8, 28.0F), 600.0F);
  EXPECT_LT(widths.front(), 27.99F);  // X has eight columns
  EXPECT_GE(widths.back(), 27.99F);
}

TEST(StepViewLayout, WhereNumbersHaveNoRoomNothingMoves) {
  const auto with = columnWidths(projectItems(8, 28.0F), 250.0F);
  EXPECT_EQ(with, columnWidths(projectItems(8, 0.0F), 250.0F));
}

/// Step 9 of three tokens: eight columns on either side of W^O.
std::vector<StepViewItem> outputItems(float numberWidth, float widthOfWeights) {
  AttentionConfig config;
  config.seqLen = 3;
  config.dModel = 8;
  config.numHeads = config.numKvHeads = 2;
  std::vector<StepViewItem> items = stepViewItems(StepId::output, config, ViewState{});
  for (StepViewItem& item : items) {
    const bool weight = item.ref.tensor == TensorId::wO || item.ref.tensor == TensorId::bO;
    if (!item.sign) item.numberWidth = weight ? widthOfWeights : numberWidth;
  }
  return items;
}

TEST(StepViewLayout, MatricesWithoutNumbersGiveWayToThoseThatCanShowThem) {
  const std::vector<float> with = columnWidths(outputItems(60.0F, 17.0F), 640.0F);
  const std::vector<float> without = columnWidths(outputItems(0.0F, 0.0F), 640.0F);
  ASSERT_EQ(with.size(), 4U);
  EXPECT_LT(without[1], 17.0F);
  EXPECT_GE(with[1], 16.99F);
  EXPECT_GE(with[2], 16.99F);
  EXPECT_LT(with[0], without[0]);
}

TEST(StepViewLayout, AResultStandsBelowWhereAllNumbersHaveRoomSo) {
  const std::vector<StepViewItem> items = outputItems(28.0F, 17.0F);
  const auto resultBelow = [&](float width) {
    const std::vector<Rect> places = layoutStepView(items, {{}, {width, 270.0F}}, metrics());
    return places.back().a.y > places.front().b.y;
  };
  EXPECT_TRUE(resultBelow(640.0F));
  EXPECT_FALSE(resultBelow(1200.0F));
}

TEST(StepViewLayout, AResultBelowStaysInSightWhereOperandsScroll) {
  const std::vector<StepViewItem> items = outputItems(28.0F, 17.0F);
  StepViewMetrics scrolls = metrics();
  scrolls.shownWidth = 560.0F;
  const std::vector<Rect> places = layoutStepView(items, {{}, {640.0F, 270.0F}}, scrolls);
  ASSERT_GT(places.back().a.y, places.front().b.y);
  EXPECT_LE(places.back().b.x, 560.0F);
  EXPECT_GE(places.back().width() / 8.0F, 17.0F);
}

/// Scores and weights of nine tokens in a low row: wider than they are high, so that the names of
/// columns have room below them.
TEST(StepViewLayout, LowCellsOfAFewTokensAreWide) {
  AttentionConfig config;
  config.seqLen = 9;
  const std::vector<StepViewItem> items = stepViewItems(StepId::softmax, config, ViewState{});
  const Rect room{{0.0F, 0.0F}, {700.0F, 130.0F}};
  const std::vector<Rect> places = layoutStepView(items, room, metrics());
  EXPECT_LE(places.back().b.x, room.b.x + 0.01F);
  EXPECT_GT(places.back().width(), 1.5F * places.back().height());
}

TEST(StepViewLayout, ManyColumnsKeepTheirShare) {
  const auto with = columnWidths(projectItems(64, 28.0F), 700.0F);
  EXPECT_EQ(with, columnWidths(projectItems(64, 0.0F), 700.0F));
}

}  // namespace
}  // namespace headscope::ui
