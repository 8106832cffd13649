// Where heads look: the lines that are chosen, the plane of the values, q·k; as shown on the page.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/ui/heads/chosen_lines.h"
#include "app/ui/heads/key_products.h"
#include "app/ui/heads/looks_words.h"
#include "app/ui/heads/token_columns.h"
#include "app/ui/heads/value_mix.h"
#include "app/ui/widgets.h"
#include "app_driver.h"
#include "core/edit.h"

namespace headscope::ui {
namespace {

using Places = std::vector<Index>;

/// By sorting all of them.
Places naive(const std::vector<float>& row, double mass) {
  Places order(row.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto at = [&](Index j) {
    return std::abs(static_cast<double>(row[static_cast<std::size_t>(j)]));
  };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return at(a) > at(b); });
  double all = 0.0;
  for (const float w : row) all += std::abs(static_cast<double>(w));
  Places found;
  double sum = 0.0;
  for (const Index j : order) {
    if (at(j) == 0.0 || (!found.empty() && mass < 1.0 && sum >= mass * all)) break;
    found.push_back(j);
    sum += at(j);
  }
  return found;
}

constexpr Index kAll = 1'000'000;
const std::atomic<bool> kGoOn = false;

TEST(LargestOfMass, KnownRows) {
  const std::vector<float> row{0.05F, 0.6F, 0.0F, 0.2F, 0.15F};
  EXPECT_EQ(largestOfMass(row, 0.5, kAll), (Places{1}));
  EXPECT_EQ(largestOfMass(row, 0.7, kAll), (Places{1, 3}));
  EXPECT_EQ(largestOfMass(row, 0.9, kAll), (Places{1, 3, 4}));
  EXPECT_EQ(largestOfMass(row, 1.0, kAll), (Places{1, 3, 4, 0}));
  EXPECT_EQ(largestOfMass(row, 1.0, 2), (Places{1, 3}));
  EXPECT_EQ(largestOfMass(std::vector<float>(4, 0.25F), 0.5, kAll), (Places{0, 1}));  // equals
  EXPECT_EQ(largestOfMass(std::vector<float>(4, 0.0F), 0.9, kAll), Places{});
  EXPECT_EQ(largestOfMass(std::vector<float>{-3.0F, 1.0F}, 0.5, kAll), (Places{0}));  // pinned
}

TEST(LargestOfMass, AgreesWithSorting) {
  std::uint64_t state = 7;
  const auto next = [&state] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<float>(state >> 40U) / 16777216.0F;
  };
  for (int round = 0; round < 60; ++round) {
    std::vector<float> row(static_cast<std::size_t>(1 + round));
    for (float& w : row) w = std::floor(next() * 8.0F) / 8.0F;  // with zeros and equals
    for (const double mass : {0.05, 0.5, 0.9, 0.99, 1.0}) {
      const Places found = largestOfMass(row, mass, kAll);
      ASSERT_EQ(found, naive(row, mass)) << "round " << round << ", mass " << mass;
      for (std::size_t j = 0; j < row.size(); ++j) {
        const auto place = static_cast<Index>(j);
        const bool in = std::find(found.begin(), found.end(), place) != found.end();
        ASSERT_EQ(isOfMass(row, place, mass), in) << "round " << round << ", place " << j;
      }
    }
  }
}

TEST(ChooseLines, AreThoseOfEveryRowAndTheStrongestWhereTheyAreTooMany) {
  AppDriver ui;
  const Trace& trace = ui.trace();
  LineQuestion q{0, {1, 6}, {0, 6}, -1, 0.8, kAll};
  const LineChoice all = chooseLines(trace, q, kGoOn);
  std::vector<Line> expected;
  for (const Index head : q.heads) {
    const ConstMatrixView w = trace.tensor(TensorId::weights).matrix({0, head});
    for (Index i = 0; i < 6; ++i) {
      const auto row = w.row(i);
      for (const Index j : naive({row.begin(), row.end()}, 0.8)) {
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
  const LineChoice few = chooseLines(trace, q, kGoOn);
  EXPECT_EQ(few.chosen, all.chosen);
  ASSERT_EQ(few.lines.size(), 10U);
  EXPECT_EQ(few.lines, std::vector<Line>(all.lines.end() - 10, all.lines.end()));

  q.most = kAll;
  q.key = 3;  // only those to it
  const LineChoice to = chooseLines(trace, q, kGoOn);
  const auto wanted = std::count_if(expected.begin(), expected.end(),
                                    [](const Line& line) { return line.key == 3; });
  ASSERT_GT(wanted, 0);
  EXPECT_EQ(to.lines.size(), static_cast<std::size_t>(wanted));
  for (const Line& line : to.lines) EXPECT_EQ(line.key, 3);
}

TEST(ChooseLines, MaskedPairsHaveNone) {
  AppDriver ui;
  ui.click("causal", "top bar");
  const LineChoice lines = chooseLines(ui.trace(), {0, {0}, {0, 6}, -1, 1.0, kAll}, kGoOn);
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
  EXPECT_EQ(lineHeads(view, 0, 4), Places{});  // there is no eighth any more
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

/// The page, as it is used.
class HeadsLooks : public testing::Test {
 protected:
  explicit HeadsLooks(DocumentPtr document = presetDocument("original-transformer"),
                      int width = 1600, int height = 1000)
      : ui_(std::move(document), width, height) {
    ui_.press(Key{'V'});
  }

  bool shows(const std::string& text) { return ui_.shows(text, "looks"); }
  std::string all() { return ui_.screen().all("looks"); }
  std::vector<gl::Ribbon> ribbons() {
    for (const auto& command : ui_.app().scene().commands) {
      if (const auto* batch = std::get_if<gl::RibbonBatch>(&command.batch)) return batch->ribbons;
    }
    return {};
  }
  double weight(Index head, Index query, Index key) {
    return ui_.trace().value({TensorId::weights, 0, head, query, key});
  }
  void open(LooksTab tab) {
    ui_.view().heads.looksTab = tab;
    ui_.settle();
  }

  AppDriver ui_;
};

TEST_F(HeadsLooks, DrawsTheChosenHeadsLargestWeights) {
  const LineQuestion q{0, {0}, {0, 6}, -1, static_cast<double>(0.9F), kAll};
  const LineChoice expected = chooseLines(ui_.trace(), q, kGoOn);
  EXPECT_EQ(ribbons().size(), expected.lines.size());
  EXPECT_TRUE(shows(fmt::format("{} of 36 weights", expected.lines.size()))) << all();
  EXPECT_TRUE(shows("make up 90 %")) << all();
  ui_.view().heads.lineMass = 1.0F;
  ui_.settle();
  EXPECT_EQ(ribbons().size(), 36U);
  ui_.view().heads.lineMass = 0.2F;
  ui_.settle();
  EXPECT_LT(ribbons().size(), expected.lines.size());
}

TEST_F(HeadsLooks, SwatchesToggleHeads) {
  ui_.view().heads.lineMass = 1.0F;
  ui_.click("4", "swatches");
  EXPECT_EQ(ribbons().size(), 2U * 36);
  ui_.click("1", "swatches");
  EXPECT_EQ(ribbons().size(), 36U);
  EXPECT_EQ(ui_.view().heads.lineHeads, (Places{3}));
  ui_.click("all", "looks");
  EXPECT_EQ(ribbons().size(), 8U * 36);
  ui_.click("none", "looks");
  EXPECT_TRUE(ribbons().empty());
  EXPECT_TRUE(shows("no head chosen")) << all();
  ui_.view().head = 6;
  ui_.settle();
  ui_.click("head 7", "looks");
  EXPECT_EQ(ribbons().size(), 36U);
  EXPECT_TRUE(ui_.view().heads.lineHeads.empty());
}

TEST_F(HeadsLooks, AChosenTokenShowsOnlyItsLinesAndItsWeights) {
  ui_.view().heads.lineMass = 1.0F;
  ui_.settle();
  ui_.click("sat", "looks");  // the last one drawn: the key
  EXPECT_EQ(ui_.view().heads.key, 2);
  EXPECT_EQ(ribbons().size(), 6U);
  for (const Index query : {0, 3, 5}) {
    EXPECT_TRUE(shows(fmt::format("{:.2f}", weight(0, query, 2)))) << all();
  }
  ui_.click("all tokens", "looks");
  EXPECT_EQ(ribbons().size(), 36U);
  ui_.view().heads.query = 4;
  ui_.hover({5, 5});
  EXPECT_EQ(ribbons().size(), 6U);
  for (Index key = 0; key < 6; ++key) {
    EXPECT_TRUE(shows(fmt::format("{:.2f}", weight(0, 4, key)))) << key << all();
  }
  EXPECT_TRUE(shows("'the' looks at")) << all();
}

TEST_F(HeadsLooks, ACellChosenElsewhereChoosesItsTokens) {
  ui_.view().selected = CellRef{TensorId::weights, 0, 2, 3, 1};
  ui_.settle();
  EXPECT_EQ(ui_.view().heads.query, 3);
  EXPECT_EQ(ui_.view().heads.key, 1);
  ui_.view().selected.reset();
  ui_.settle();
  EXPECT_EQ(ui_.view().heads.query, -1);
}

TEST_F(HeadsLooks, AFullyMaskedQueryIsSaid) {
  auto document = ui_.app().document();
  AttentionConfig config = document->config;
  config.mask.lengths = {0};
  ui_.restart(apply(*document, SetMask{config.mask}, kTestBudget).document);
  ui_.press(Key{'V'});
  EXPECT_TRUE(ribbons().empty());
  EXPECT_TRUE(shows("6 rows without any")) << all();
  ui_.view().heads.query = 2;
  ui_.settle();
  EXPECT_TRUE(shows("'sat' is masked")) << all();
  open(LooksTab::values);
  EXPECT_TRUE(shows("'sat' is masked")) << all();
}

TEST_F(HeadsLooks, ValuesAreTheOutputsParts) {
  ui_.view().heads.query = 2;
  open(LooksTab::values);
  const RowRef row{0, 0, 2};
  const ValuePlane plane = valuePlane(ui_.trace(), 0, 0);
  const ValueMix mix = valueMix(ui_.trace(), plane, row);
  ASSERT_EQ(mix.largest.size(), 6U);
  EXPECT_TRUE(shows(fmt::format("output of 'sat' = {:.2f} of",
                                mix.weights[static_cast<std::size_t>(mix.largest[0])])))
      << all();
  EXPECT_TRUE(shows(fmt::format("{:.0f} % of the variance", plane.varianceShare[0] * 100)));
  EXPECT_FALSE(shows("gain"));
  // by a click in the list
  ui_.click("mat", "queries");
  EXPECT_EQ(ui_.view().heads.query, 5);
  EXPECT_TRUE(shows("output of 'mat' =")) << all();
}

TEST_F(HeadsLooks, AGainIsSaidBesideTheMean) {
  ui_.view().heads.query = 2;
  ui_.restart(apply(*ui_.app().document(), SetHeadGain{0, 0.5F}, kTestBudget).document, ui_.view());
  open(LooksTab::values);
  EXPECT_TRUE(shows("times its gain 0.5")) << all();
}

TEST_F(HeadsLooks, TheOutputLiesAtTheMeanOfTheValues) {
  const ValuePlane plane = valuePlane(ui_.trace(), 0, 0);
  const ValueMix mix = valueMix(ui_.trace(), plane, {0, 0, 2});
  double x = 0.0;
  double y = 0.0;
  for (std::size_t j = 0; j < 6; ++j) {
    x += mix.weights[j] * plane.values[j].x;
    y += mix.weights[j] * plane.values[j].y;
  }
  EXPECT_NEAR(mix.mean.point.x, x, 1e-5);
  EXPECT_NEAR(mix.mean.point.y, y, 1e-5);
}

TEST_F(HeadsLooks, ProductsAreLengthsAndAngles) {
  ui_.view().heads.query = 2;
  ui_.view().heads.key = 1;
  open(LooksTab::lengths);
  const QueryKeyProduct p = queryKeyProduct(ui_.trace(), {0, 0, 2}, 1);
  EXPECT_TRUE(
      shows(fmt::format("‖q‖ {} × ‖k‖ {}", number(p.queryLength, 3), number(p.keyLength, 3))))
      << all();
  EXPECT_TRUE(shows(fmt::format("q·k {}", number(p.product, 4)))) << all();
  const float score = ui_.trace().value({TensorId::scores, 0, 0, 2, 1});
  EXPECT_TRUE(shows("÷ √64 → score " + number(score, 4))) << all();
  EXPECT_NEAR(p.product, ui_.trace().value({TensorId::rawScores, 0, 0, 2, 1}),
              1e-4 * p.queryLength * p.keyLength);
  const KeyProducts products = keyProducts(ui_.trace(), {0, 0, 2});
  const Places order = products.order(KeyColumn::product);
  for (std::size_t n = 0; n < 4; ++n) {  // the first, which have room
    const QueryKeyProduct& each = products.of[static_cast<std::size_t>(order[n])];
    EXPECT_TRUE(ui_.shows(number(each.product, 4), "keys")) << ui_.screen().all("keys");
  }
  ui_.click("cat", "queries");
  EXPECT_EQ(ui_.view().heads.query, 1);
  ui_.click("mat", "keys");
  EXPECT_EQ(ui_.view().heads.key, 5);
}

TEST_F(HeadsLooks, TheTabsOpen) {
  ui_.click("Values", "looks");
  EXPECT_EQ(ui_.view().heads.looksTab, LooksTab::values);
  ui_.click("q · k", "looks");
  EXPECT_EQ(ui_.view().heads.looksTab, LooksTab::lengths);
  ui_.click("Where each head looks", "looks");
  EXPECT_EQ(ui_.view().heads.looksTab, LooksTab::lines);
}

/// Sizes at the ends: every tab stands.
TEST_F(HeadsLooks, StandAtEverySize) {
  std::string longText;
  for (int i = 0; i < 700; ++i) longText += i % 3 == 0 ? "cat " : "sat ";
  const auto document = [](Index dModel, Index heads, Index kvHeads, const TextSource& source) {
    AttentionConfig config;
    config.dModel = dModel;
    config.numHeads = heads;
    config.numKvHeads = kvHeads;
    return makeDocument("", config, source, Positions::named, {}, kTestBudget);
  };
  for (const DocumentPtr& d :
       {document(192, 96, 32, {{"The cat sat"}, {"le chat"}}), document(1, 1, 1, {{"cat"}, {}}),
        document(16, 2, 2, {{longText}, {}})}) {
    ui_.restart(d);
    ui_.press(Key{'V'});
    for (const LooksTab tab : {LooksTab::lines, LooksTab::values, LooksTab::lengths}) {
      open(tab);
      EXPECT_FALSE(shows("not a number")) << all();
    }
    open(LooksTab::lines);
    EXPECT_FALSE(ribbons().empty());
    EXPECT_LE(ribbons().size(), 2000U);
  }
  // 700 tokens: only what is seen, scrolled by the wheel
  EXPECT_TRUE(shows("queries 0 to")) << all();
  ui_.host().moveMouse(middle(*ui_.window("looks")));
  ui_.host().wheel(-1000);
  ui_.settle();
  EXPECT_TRUE(shows("to 699 of 700")) << all();
}

}  // namespace
}  // namespace headscope::ui
