// Combined or per head: what is measured is shown, and measured again when its operands change.
#include <fmt/format.h>

#include <utility>
#include <variant>

#include "app/ui/widgets.h"
#include "app_driver.h"
#include "core/document/trace.h"
#include "core/editing/edit.h"
#include "core/editing/make_document.h"

namespace headscope::ui {
namespace {

class PerHeadPanel : public testing::Test {
 protected:
  PerHeadPanel() { ui_.press(Key{'P'}); }

  bool shows(const std::string& text) { return ui_.shows(text, "flow"); }
  /// Checks that both times and the difference are shown, for this number of heads.
  void expectFigures(Index heads) {
    EXPECT_TRUE(shows("largest difference")) << ui_.screen().all("flow");
    EXPECT_TRUE(shows("bit for bit") || shows("rounding")) << ui_.screen().all("flow");
    EXPECT_TRUE(shows("combined"));
    EXPECT_TRUE(shows(heads == 1 ? "1 head" : fmt::format("{} heads one by one", heads)))
        << ui_.screen().all("flow");
    EXPECT_FALSE(shows("measuring"));
  }

  /// The revision of the measurement that the last head's tile shows.
  std::uint64_t measurement() {
    const auto tiles = ui_.heatmaps("flow");
    for (const auto& command : ui_.app().scene().commands) {
      const auto& batch = std::get<gl::HeatmapBatch>(command.batch);
      if (!tiles.empty() && batch.quads.back().rect.x0 == tiles.back().x0) {
        return batch.sources.back().revision;
      }
    }
    ADD_FAILURE() << "no tiles";
    return 0;
  }

  AppDriver ui_;
};

TEST_F(PerHeadPanel, MeasuresBothWays) {
  EXPECT_EQ(ui_.view().selection.tool, "perhead");
  expectFigures(8);
  EXPECT_TRUE(shows("the best of"));
}

/// X, W, Q, then W_h and the measured Q_h of each head.
TEST_F(PerHeadPanel, ShowsEveryHeadsMatrixAndResult) {
  ViewState view;
  view.selection.tool = "perhead";
  ui_.restart(presetDocument("by-hand"), view);
  const auto maps = ui_.heatmaps("flow");
  ASSERT_EQ(maps.size(), 3U + 2 * 2);
  // what was computed for head 2 alone is the pass's own
  const float own = ui_.trace().value({TensorId::q, 0, 1, 2, 3});
  ui_.hover(cellAt(maps[6], 3, 4, 2, 3));
  EXPECT_TRUE(ui_.shows("head 2, row 2, column 3 = " + number(own, 6), "Tooltip"))
      << ui_.screen().all("Tooltip");
  // W is stored (out, in) and shown as X · W
  ui_.hover(cellAt(maps[1], 8, 8, 1, 6));
  EXPECT_TRUE(ui_.shows("W_Q from column 1 of X to column 6 of Q (head 2)", "Tooltip"))
      << ui_.screen().all("Tooltip");
  ui_.hover(cellAt(maps[5], 8, 4, 1, 2));
  EXPECT_TRUE(ui_.shows("W_Q from column 1 of X to column 6 of Q (head 2)", "Tooltip"))
      << ui_.screen().all("Tooltip");
}

TEST_F(PerHeadPanel, AClickChoosesTheHead) {
  const auto maps = ui_.heatmaps("flow");
  ASSERT_EQ(maps.size(), 19U);
  ui_.clickAt(middle(maps[3 + 2 * 6]));
  EXPECT_EQ(ui_.view().selection.head, 6);
}

TEST_F(PerHeadPanel, KeysHaveHeadsOfTheirOwn) {
  ui_.restart(apply(*presetDocument("original-transformer"), SetDimensions{512, 8, 2}, kTestBudget)
                  .document);
  ui_.press(Key{'P'});
  expectFigures(8);
  ui_.click("K", "flow");
  EXPECT_EQ(ui_.view().selection.part, TensorId::k);
  expectFigures(2);
  const auto maps = ui_.heatmaps("flow");
  ASSERT_EQ(maps.size(), 3U + 2 * 2);
  ui_.clickAt(middle(maps[5]));
  EXPECT_EQ(ui_.view().selection.head, 4);  // the first that reads key head 2
}

TEST_F(PerHeadPanel, MeasuresAgainWhenItsOperandsChangeOrWhenAsked) {
  const std::uint64_t first = measurement();
  ui_.settle();
  EXPECT_EQ(measurement(), first);
  ui_.click("causal", "top bar");  // not an operand
  EXPECT_EQ(measurement(), first);
  ui_.click("bias", "top bar");
  const std::uint64_t second = measurement();
  EXPECT_NE(second, first);
  ui_.click("measure again", "flow");
  const std::uint64_t third = measurement();
  EXPECT_NE(third, second);
  ui_.typeInto("heads", "4");
  EXPECT_NE(measurement(), third);
  expectFigures(4);
  EXPECT_EQ(ui_.heatmaps("flow").size(), 3U + 2 * 4);
}

TEST_F(PerHeadPanel, StandsAtEverySize) {
  for (const auto& [dModel, heads] : {std::pair<Index, Index>{1, 1}, {64, 1}, {96, 96}, {64, 64}}) {
    ViewState view;
    view.selection.tool = "perhead";
    ui_.restart(apply(*presetDocument("original-transformer"), SetDimensions{dModel, heads, heads},
                      kTestBudget)
                    .document,
                view);
    expectFigures(heads);
    EXPECT_GE(static_cast<Index>(ui_.heatmaps("flow").size()), 3 + heads);
  }
}

TEST_F(PerHeadPanel, TakesKeysFromTheMemoryInCrossAttention) {
  ui_.restart(makeDocument("", AttentionConfig{}, TextSource{{"The cat sat"}, {"le chat"}},
                           Positions::named, {}, kTestBudget));
  ui_.press(Key{'P'});
  ui_.click("V", "flow");
  expectFigures(8);
  EXPECT_TRUE(shows("memory"));
  EXPECT_TRUE(shows("chat"));
}

}  // namespace
}  // namespace headscope::ui
