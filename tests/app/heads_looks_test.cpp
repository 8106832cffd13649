// Where heads look, as shown on the page: lines, the plane of the values, q·k.
#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/ui/heads/looks.h"
#include "app/ui/widgets.h"
#include "app_driver.h"
#include "core/document/trace.h"
#include "core/editing/edit.h"
#include "core/editing/make_document.h"

namespace headscope::ui {
namespace {

using Places = std::vector<Index>;
constexpr Index kAll = 1'000'000;
const std::atomic<bool> kUncancelled = false;

class HeadsLooks : public testing::Test {
 protected:
  explicit HeadsLooks(DocumentPtr document = presetDocument("original-transformer"),
                      int width = 1600, int height = 1000)
      : ui_(std::move(document), width, height) {
    ui_.view().heads.looksTab = LooksTab::lines;
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
  const LineChoice expected = chooseLines(ui_.trace(), q, kUncancelled);
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
  ui_.view().selection.head = 6;
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
  ui_.view().selection.cell = CellRef{TensorId::weights, 0, 2, 3, 1};
  ui_.settle();
  EXPECT_EQ(ui_.view().heads.query, 3);
  EXPECT_EQ(ui_.view().heads.key, 1);
  ui_.view().selection.cell.reset();
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
  open(LooksTab::lines);
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
  const ValuePlane plane = *valuePlane(ui_.trace(), 0, 0);
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

TEST_F(HeadsLooks, TheValueThatCountsMostIsNamed) {
  // head 1 looks at the token before alone: its value lies where the output does
  ui_.restart(
      makePreset(presetByName("original-transformer"), {WeightInit::designed, 1, {}}, kTestBudget),
      ui_.view());
  ui_.view().heads.query = 2;
  open(LooksTab::values);
  const Spot output = *ui_.screen().find("output", "looks");
  const Spot list = *ui_.screen().find("sat", "queries");
  bool named = false;
  const ScreenText screen = ui_.screen();
  for (const TextRun& run : screen.runs()) {
    if (run.window.find("looks") == std::string::npos || run.text != "cat") continue;
    const Spot spot = run.spot(0, run.text.size());
    named |= spot.min.x > list.max.x + 30.0F && std::abs(spot.min.y - output.min.y) < 40.0F;
  }
  EXPECT_TRUE(named) << all();
}

TEST_F(HeadsLooks, AGainIsSaidNextToTheMean) {
  ui_.view().heads.query = 2;
  ui_.restart(apply(*ui_.app().document(), SetHeadGain{0, 0.5F}, kTestBudget).document, ui_.view());
  open(LooksTab::values);
  EXPECT_TRUE(shows("multiplied by its gain 0.5")) << all();
}

TEST_F(HeadsLooks, TheOutputLiesAtTheMeanOfTheValues) {
  const ValuePlane plane = *valuePlane(ui_.trace(), 0, 0);
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
  ui_.click("Columns", "looks");
  EXPECT_EQ(ui_.view().heads.looksTab, LooksTab::lines);
  ui_.click("Where each head looks", "looks");
  EXPECT_EQ(ui_.view().heads.looksTab, LooksTab::sentence);
}

/// The sentence has an arc for the strongest weights of the chosen word; a click chooses another.
TEST_F(HeadsLooks, TheSentenceSaysWhereTheChosenWordLooks) {
  open(LooksTab::sentence);
  ui_.click("sat", "looks");
  EXPECT_EQ(ui_.view().heads.query, 2);
  EXPECT_TRUE(shows("“sat” looks at")) << all();
  double most = 0.0;
  for (Index key = 0; key < 6; ++key) most = std::max(most, weight(0, 2, key));
  EXPECT_TRUE(shows(fmt::format("{:.0f} %", 100.0 * most))) << all();
}

/// Every tab works at the smallest and the largest sizes.
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
    for (const LooksTab tab :
         {LooksTab::sentence, LooksTab::lines, LooksTab::values, LooksTab::lengths}) {
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
