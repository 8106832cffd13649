// Where heads look, apart from drawing: which lines are chosen, how token columns scroll, arrows
// and orders.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "app/ui/heads/looks.h"
#include "app/ui/widgets.h"
#include "app_driver.h"
#include "core/analysis/weight_readings.h"
#include "core/document/trace.h"
#include "core/editing/edit.h"

namespace headscope::ui {
namespace {

using Places = std::vector<Index>;

constexpr Index kEveryLine = 1'000'000;
const std::atomic<bool> kNotCancelled = false;

TEST(ChooseLines, AreThoseOfEveryRowAndTheStrongestWhereTheyAreTooMany) {
  AppDriver ui;
  const Trace& trace = ui.trace();
  LineQuestion q{0, {1, 6}, {0, 6}, -1, 0.8, kEveryLine};
  const LineChoice all = chooseLines(trace, q, kNotCancelled);
  std::vector<Line> expected;
  for (const Index head : q.heads) {
    const ConstMatrixView w = trace.tensor(TensorId::weights).matrix({0, head});
    for (Index i = 0; i < 6; ++i) {
      const auto row = w.row(i);
      for (const Index j : largestOfMass(row, 0.8)) {
        expected.push_back({head, i, j, w(i, j)});
      }
    }
  }
  EXPECT_EQ(all.chosen, static_cast<Index>(expected.size()));
  EXPECT_EQ(all.weights, 2 * 36);
  ASSERT_EQ(all.lines.size(), expected.size());
  EXPECT_TRUE(std::is_permutation(all.lines.begin(), all.lines.end(), expected.begin()));
  EXPECT_TRUE(std::is_sorted(all.lines.begin(), all.lines.end(),
                             [](const Line& a, const Line& b) { return a.weight < b.weight; }));

  q.most = 10;
  const LineChoice few = chooseLines(trace, q, kNotCancelled);
  EXPECT_EQ(few.chosen, all.chosen);
  ASSERT_EQ(few.lines.size(), 10U);
  EXPECT_EQ(few.lines, std::vector<Line>(all.lines.end() - 10, all.lines.end()));

  q.most = kEveryLine;
  q.key = 3;  // only those to it
  const LineChoice to = chooseLines(trace, q, kNotCancelled);
  const auto wanted = std::count_if(expected.begin(), expected.end(),
                                    [](const Line& line) { return line.key == 3; });
  ASSERT_GT(wanted, 0);
  EXPECT_EQ(to.lines.size(), static_cast<std::size_t>(wanted));
  for (const Line& line : to.lines) EXPECT_EQ(line.key, 3);
}

TEST(ChooseLines, MaskedPairsHaveNone) {
  AppDriver ui;
  ui.click("causal", "top bar");
  const LineChoice lines =
      chooseLines(ui.trace(), {0, {0}, {0, 6}, -1, 1.0, kEveryLine}, kNotCancelled);
  EXPECT_EQ(lines.lines.size(), 21U);
  for (const Line& line : lines.lines) EXPECT_LE(line.key, line.query);
}

TEST(LineHeads, FollowTheChosenOneUntilPicked) {
  HeadsView view;
  EXPECT_EQ(lineHeads(view, 5, 8), (Places{5}));
  toggleLines(view, 5, 2, 8, false);
  EXPECT_EQ(lineHeads(view, 0, 8), (Places{2, 5}));
  toggleLines(view, 0, 5, 8, false);
  toggleLines(view, 0, 2, 8, false);
  EXPECT_EQ(lineHeads(view, 0, 8), Places{});
  toggleLines(view, 0, 7, 8, true);
  EXPECT_EQ(lineHeads(view, 0, 8), (Places{7}));
  EXPECT_EQ(lineHeads(view, 0, 4), Places{});  // head 8 no longer exists
}

TEST(TokenColumn, ScrollsFromTheFirstToTheLast) {
  const auto place = [](float scrolled) {
    return placeColumn({100, 400}, 10.0F, 110.0F, 4.0F, 40.0F, scrolled);
  };
  EXPECT_EQ(place(0.0F).visible(), (TokenRange{100, 25}));
  EXPECT_EQ(place(1.0F).visible(), (TokenRange{475, 25}));
  const TokenColumn there = place(scrolledTo(place(0.0F), 300));
  EXPECT_NEAR(there.y(300), 60.0F, 0.1F);
  EXPECT_EQ(there.at(there.y(300)), 300);
  const TokenColumn one = placeColumn({0, 1}, 10.0F, 110.0F, 4.0F, 40.0F, 0.0F);
  EXPECT_FLOAT_EQ(one.y(0), 60.0F);  // in the middle
}

/// Lengths and the angle between the arrows are those of the vectors, to one scale.
TEST(Arrows, AreTrueInLengthAndAngle) {
  for (const double cosine : {0.9, 0.1, -0.7, -1.0, 1.0, 0.0}) {
    const QueryKeyProduct p{3.0, 4.5, cosine, 3.0 * 4.5 * cosine};
    const Arrows a = arrowsIn(p, 200.0, 90.0);
    const double qx = a.queryX - a.originX;
    const double qy = a.queryY - a.originY;
    const double kx = a.keyX - a.originX;
    const double ky = a.keyY - a.originY;
    EXPECT_NEAR(std::hypot(qx, qy), 3.0 * a.scale, 1e-9);
    EXPECT_NEAR(std::hypot(kx, ky), 4.5 * a.scale, 1e-9);
    EXPECT_NEAR(qx * kx + qy * ky, p.product * a.scale * a.scale, 1e-6);
    for (const double x : {a.originX, a.queryX, a.keyX}) {
      EXPECT_GE(x, -1e-9);
      EXPECT_LE(x, 200.0 + 1e-9);
    }
    for (const double y : {a.originY, a.queryY, a.keyY}) {
      EXPECT_GE(y, -1e-9);
      EXPECT_LE(y, 90.0 + 1e-9);
    }
  }
  const Arrows none = arrowsIn({0.0, 0.0, std::nullopt, 0.0}, 200.0, 90.0);
  EXPECT_EQ(none.originX, none.keyX);
}

TEST(KeyProductsOrder, RanksByEachColumn) {
  const KeyProducts keys{
      {{2, 1, 1.0, 2}, {2, 5, 0.5, 5}, {2, 0, std::nullopt, 0}, {2, 3, -1.0, -6}}};
  EXPECT_EQ(keys.order(KeyColumn::key), (Places{0, 1, 2, 3}));
  EXPECT_EQ(keys.order(KeyColumn::length), (Places{1, 3, 0, 2}));
  EXPECT_EQ(keys.order(KeyColumn::angle), (Places{0, 1, 3, 2}));
  EXPECT_EQ(keys.order(KeyColumn::product), (Places{1, 0, 2, 3}));
  EXPECT_EQ(keys.rank(KeyColumn::length, 1), 1);
  EXPECT_EQ(keys.rank(KeyColumn::angle, 1), 2);
}

}  // namespace
}  // namespace headscope::ui
