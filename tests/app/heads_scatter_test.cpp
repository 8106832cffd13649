// The scatter of heads: discs at their values, apart from one another, and axes around them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "app/ui/heads/figures.h"
#include "app/ui/heads/scatter.h"
#include "app_driver.h"
#include "core/analysis/head_report.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

ViewState scatterView(FiguresTab tab, EnlargedCard enlarged = EnlargedCard::figures) {
  ViewState view;
  view.selection.page = kHeadsPage;
  view.heads.figuresTab = tab;
  view.heads.enlarged = enlarged;
  return view;
}

TEST(HeadsScatter, ADiscChoosesItsHeadAndAnAxisNameItsMetric) {
  AppDriver ui(exampleDocument("cat"), 1600, 1000, scatterView(FiguresTab::scatter));
  const HeadReport report = *headReport(ui.trace(), Index{0}, {});
  ui.click("6", "figures");
  EXPECT_EQ(ui.view().selection.head, 5);
  EXPECT_TRUE(ui.shows(
      fmt::format("head 6: mean distance {}, entropy {}",
                  figureWithUnit(report.metrics[5][Metric::meanDistance], Metric::meanDistance),
                  figureWithUnit(report.metrics[5][Metric::entropy], Metric::entropy)),
      "figures"))
      << ui.screen().all("figures");
  EXPECT_TRUE(ui.shows(info(Metric::entropy).words, "figures"));
  ui.click("Mean distance (tokens) ▾", "figures");
  ui.click("Confidence", "Popup");
  EXPECT_EQ(ui.view().heads.scatterX, "confidence");
  EXPECT_TRUE(ui.shows("head 6: confidence", "figures"));
}

TEST(HeadsScatter, DiscsStandAtTheirValuesUnlessTheyWouldCoverAnother) {
  std::vector<Disc> discs(5, Disc{{80, 90}, {9, 9}});
  discs.push_back({{120, 40}, {9, 9}});
  discs.push_back({{5, 50}, {20, 9}});  // reaches out of the area
  const auto places = discPlaces(discs, 3, {{0, 0}, {150, 100}});
  ASSERT_EQ(places.size(), 7U);
  ASSERT_TRUE(places[5]);
  EXPECT_EQ(places[5]->x, 120);
  EXPECT_EQ(places[5]->y, 40);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!places[i]) continue;
    EXPECT_GE(places[i]->x - discs[i].half.x, 0);
    EXPECT_LE(places[i]->y + discs[i].half.y, 100);
    for (std::size_t j = i + 1; j < places.size(); ++j) {
      if (!places[j]) continue;
      const bool apart =
          std::abs(places[i]->x - places[j]->x) >= discs[i].half.x + discs[j].half.x ||
          std::abs(places[i]->y - places[j]->y) >= discs[i].half.y + discs[j].half.y;
      EXPECT_TRUE(apart) << i << " and " << j;
    }
  }
}

TEST(HeadsScatter, ACoveringDiscGoesRatherUpAndLeavesTheOthersDotFree) {
  const std::vector<Disc> discs{{{50, 90}, {9, 9}}, {{55, 90}, {9, 9}}};
  const auto places = discPlaces(discs, 3, {{0, 0}, {150, 180}});
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_TRUE(places[i]);
    EXPECT_EQ(places[i]->x, discs[i].at.x);
    const ImVec2 dot = discs[1 - i].at;
    EXPECT_TRUE(std::abs(places[i]->y - dot.y) >= 9 + 3 || std::abs(places[i]->x - dot.x) >= 9 + 3);
  }
  EXPECT_LT(places[0]->y, 90);
  // among too many none goes where nobody would find it
  const std::vector<Disc> crowd(300, Disc{{50, 50}, {9, 9}});
  std::size_t without = 0;
  for (const auto& place : discPlaces(crowd, 3, {{0, 0}, {400, 400}})) {
    if (!place) {
      ++without;
      continue;
    }
    EXPECT_LT(std::abs(place->x - 50) + std::abs(place->y - 50), 9 * 9 + 1);
  }
  EXPECT_GT(without, 200U);
}

TEST(HeadsScatter, HeadsOfOneValueShareADiscThatChoosesEachInTurn) {
  const std::vector<ImVec2> places{{0, 0}, {9, 9}, {1, 1}, {9, 8}};
  EXPECT_EQ(together(places, 2), (std::vector<std::vector<std::size_t>>{{0, 2}, {1, 3}}));
  AppDriver ui(textDocument("cat"), 1600, 1000,
               scatterView(FiguresTab::scatter, EnlargedCard::none));
  EXPECT_TRUE(ui.shows("at the same place heads 2–8", "figures")) << ui.screen().all("figures");
  ui.click("1–8", "figures");
  EXPECT_EQ(ui.view().selection.head, 1);
  ui.click("1–8", "figures");
  EXPECT_EQ(ui.view().selection.head, 2);
}

TEST(HeadsScatter, DiscsCoverNoNumbersOfTheAxes) {
  AppDriver ui(makePreset(presetByName("gpt2-small"), {WeightInit::designed, 1, {}}, kTestBudget),
               1600, 1000, scatterView(FiguresTab::scatter, EnlargedCard::none));
  std::vector<Spot> numbers;
  const ScreenText screen = ui.screen();
  for (const TextRun& run : screen.runs()) {
    const bool digits = run.text.find_first_not_of("0123456789.") == std::string::npos;
    if (digits && run.window.find("figures") != std::string::npos) {
      numbers.push_back(run.spot(0, run.text.size()));
    }
  }
  ASSERT_GT(numbers.size(), 8U);
  // the lowest are those of the axis; heads without entropy stand at its 0
  const auto lower = [](const Spot& a, const Spot& b) { return a.centre().y < b.centre().y; };
  const Spot tick = *std::max_element(numbers.begin(), numbers.end(), lower);
  std::size_t ticks = 0;
  for (const Spot& number : numbers) {
    if (std::abs(number.centre().y - tick.centre().y) < 2.0F) {
      ++ticks;
    } else {
      EXPECT_LT(number.max.y + 3.0F, tick.min.y);
    }
  }
  EXPECT_GE(ticks, 4U);
}

TEST(HeadsScatter, AnAxisWithAMarginKeepsItsTicks) {
  const ChartAxis axis = withMargin({0.0, 10.0, false, {0.0, 5.0, 10.0}}, 10, 120);
  EXPECT_DOUBLE_EQ(axis.low, -1.0);
  EXPECT_DOUBLE_EQ(axis.high, 11.0);
  EXPECT_EQ(axis.ticks, (std::vector<double>{0.0, 5.0, 10.0}));
}

TEST(HeadsScatter, AxesHaveRoundTicksAroundTheirValues) {
  const std::vector<double> wide{0.3, 2.7};
  const ChartAxis axis = axisAround(wide);
  EXPECT_EQ(axis.low, 0.0);
  EXPECT_EQ(axis.high, 3.0);
  EXPECT_EQ(axis.ticks, (std::vector<double>{0.0, 1.0, 2.0, 3.0}));
  const std::vector<double> close{2.401, 2.402};  // three digits tell ticks apart
  const ChartAxis near = axisAround(close);
  EXPECT_NEAR(near.low, 2.40, 1e-9);
  EXPECT_NEAR(near.high, 2.41, 1e-9);
  const std::vector<double> zeros{0.0, 0.0};
  EXPECT_EQ(axisAround(zeros).low, 0.0);
  EXPECT_GT(axisAround(zeros).high, 0.0);
  const std::vector<double> ones{1.0};
  EXPECT_EQ(axisAround(ones).low, 0.0);
  EXPECT_EQ(axisAround(ones).high, 1.0);
}

}  // namespace
}  // namespace headscope::ui
