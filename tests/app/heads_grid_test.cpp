// All heads: the grid of every head, sorted, side by side, and long inputs by parts.
#include "heads_grid.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "app/ui/heads/view_model/choice.h"
#include "app/ui/widgets.h"
#include "core/analysis/head_metrics.h"
#include "core/analysis/head_report.h"
#include "core/document/trace.h"
#include "core/editing/make_document.h"

namespace headscope::ui {
namespace {

TEST_F(HeadsGrid, HasATileOfEachHead) {
  for (const Index heads : {1, 8, 96}) {
    ui_.restart(textDocument("The cat sat on the mat", 768, heads), headsView());
    const auto tiles = maps();
    ASSERT_EQ(tiles.size(), static_cast<std::size_t>(heads));
    const gl::Bounds box = *ui_.window(kCard);
    for (const gl::Bounds& tile : tiles) {
      EXPECT_GE(tile.x0, box.x0);
      EXPECT_LE(tile.x1, box.x1);
      EXPECT_LE(tile.y1, box.y1);
      EXPECT_GT(tile.x1 - tile.x0, 25.0F);
    }
    for (std::size_t a = 0; a < tiles.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const bool apart = tiles[a].x0 >= tiles[b].x1 || tiles[b].x0 >= tiles[a].x1 ||
                           tiles[a].y0 >= tiles[b].y1 || tiles[b].y0 >= tiles[a].y1;
        EXPECT_TRUE(apart) << a << " on " << b;
      }
    }
  }
}

TEST_F(HeadsGrid, ATileHoldsItsHeadsWeights) {
  const auto shown = cells(2);
  ASSERT_EQ(shown.size(), 36U);
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 6; ++j) {
      EXPECT_EQ(shown[static_cast<std::size_t>(i * 6 + j)],
                ui_.trace().value({TensorId::weights, 0, 2, i, j}));
    }
  }
}

TEST_F(HeadsGrid, NamesEachHeadWithItsLabel) {
  const auto metrics = *headMetrics(ui_.trace(), Index{0});
  EXPECT_TRUE(shows("Head 8"));
  const auto labels = headLabels(ui_.trace(), Index{0}, metrics, {});
  EXPECT_TRUE(shows(labels[3].title)) << ui_.screen().all(kCard);
}

TEST_F(HeadsGrid, SortsTheTilesByTheMetricChosen) {
  ui_.click("sort: number", kCard);
  ui_.click("Mean distance", "Popup");
  EXPECT_EQ(heads().sortBy, "mean_distance");
  const auto metrics = *headMetrics(ui_.trace(), Index{0});
  const auto order = headOrder(metrics, "mean_distance", 8);
  ASSERT_NE(order.front(), 0);  // otherwise the test proves nothing
  for (const std::size_t tile : {0, 7}) {
    ui_.hover(middle(maps()[tile]));
    ASSERT_TRUE(ui_.view().frame.hovered);
    EXPECT_EQ(ui_.view().frame.hovered->cell.head, order[tile]);
  }
}

TEST_F(HeadsGrid, AClickChoosesAndStays) {
  ui_.clickAt(cellAt(maps()[4], 6, 6, 5, 1));
  EXPECT_EQ(ui_.view().selection.head, 4);
  EXPECT_EQ(ui_.view().selection.page, kHeadsPage);
  EXPECT_EQ(ui_.view().selection.cell, (CellRef{TensorId::weights, 0, 4, 5, 1}));
  ui_.click("to Flow", kCard);
  EXPECT_EQ(ui_.view().selection.page, kFlowPage);
  EXPECT_EQ(ui_.view().selection.head, 4);
}

TEST_F(HeadsGrid, ADoubleClickOpens) {
  const ImVec2 cell = cellAt(maps()[4], 6, 6, 5, 1);
  ui_.host().click(ui_.app(), cell);
  ui_.host().click(ui_.app(), cell);
  ui_.settle();
  EXPECT_EQ(ui_.view().selection.head, 4);
  EXPECT_EQ(ui_.view().selection.page, kFlowPage);
  EXPECT_EQ(ui_.view().selection.step, StepId::softmax);
  EXPECT_EQ(ui_.view().selection.cell, (CellRef{TensorId::weights, 0, 4, 5, 1}));
}

TEST_F(HeadsGrid, TheKeyboardWalksChoosesAndOpens) {
  ui_.press(Key::f2);
  for (int i = 0; i < 3; ++i) ui_.press(Key::down);  // past the switches above
  for (int i = 0; i < 40 && ui_.view().selection.head == 0; ++i) {
    ui_.press(Key::down);
    ui_.press(Key::right);
    ui_.press(Key::space);
  }
  const Index chosen = ui_.view().selection.head;
  EXPECT_NE(chosen, 0);
  EXPECT_EQ(ui_.view().selection.page, kHeadsPage);
  ui_.press(Key::enter);
  EXPECT_EQ(ui_.view().selection.page, kFlowPage);
  EXPECT_EQ(ui_.view().selection.step, StepId::softmax);
  EXPECT_EQ(ui_.view().selection.head, chosen);
}

TEST_F(HeadsGrid, HoverLightsTheSameCellInEveryHead) {
  const ImU32 lit = theme(ThemeKind::light).queryText;
  EXPECT_EQ(inColor("on", lit), 0);
  ui_.hover(cellAt(maps()[1], 6, 6, 3, 2));
  ASSERT_TRUE(ui_.view().frame.hovered);
  EXPECT_EQ(ui_.view().frame.hovered->cell, (CellRef{TensorId::weights, 0, 1, 3, 2}));
  EXPECT_EQ(inColor("on", lit), 8);
  EXPECT_EQ(inColor("sat", theme(ThemeKind::light).keyText), 8);
  EXPECT_TRUE(ui_.shows("gives " + number(ui_.trace().value({TensorId::weights, 0, 1, 3, 2}), 6) +
                            " of its attention to ‘sat’",
                        "Tooltip"));
}

TEST_F(HeadsGrid, CtrlClickHoldsHeadsSideBySideWithTheirDifference) {
  ui_.host().modifiers(true);
  ui_.clickAt(middle(maps()[1]));
  EXPECT_EQ(heads().compared, std::vector<Index>{1});
  ui_.clickAt(middle(maps()[5]));
  ui_.host().modifiers(false);
  ui_.settle();
  ASSERT_EQ(heads().compared, (std::vector<Index>{1, 5}));
  EXPECT_EQ(ui_.view().selection.head, 0);
  ASSERT_EQ(maps().size(), 8U + 3U);
  EXPECT_TRUE(shows("Head 2 − head 6"));
  const auto difference = cells(10);
  ASSERT_EQ(difference.size(), 36U);
  const float a = ui_.trace().value({TensorId::weights, 0, 1, 4, 3});
  const float b = ui_.trace().value({TensorId::weights, 0, 5, 4, 3});
  EXPECT_EQ(difference[4 * 6 + 3], a - b);
  ui_.click("compare", kCard);
  EXPECT_EQ(maps().size(), 8U + 3U);  // three heads have no difference
  EXPECT_FALSE(shows("Head 2 − head 6"));
  ui_.click("clear", kCard);
  EXPECT_TRUE(heads().compared.empty());
  EXPECT_EQ(maps().size(), 8U);
}

TEST_F(HeadsGrid, ShowsTheMeanThatPyTorchReturns) {
  ui_.click("mean over heads", kCard);
  ASSERT_EQ(maps().size(), 9U);
  EXPECT_TRUE(shows("average_attn_weights=False"));
  double sum = 0.0;
  for (Index h = 0; h < 8; ++h) {
    sum += static_cast<double>(ui_.trace().value({TensorId::weights, 0, h, 1, 2}));
  }
  EXPECT_NEAR(static_cast<double>(cells(8)[8]), sum / 8.0, 1e-6);
}

TEST_F(HeadsGrid, NormWeightedIsTheLengthOfWhatAKeyGives) {
  ui_.click("norm-weighted", kCard);
  EXPECT_TRUE(shows("a large weight on a short value moves little"));
  const auto shown = cells(3);
  // ‖A_12 v_2 W_O,3‖, term by term
  const double weight = static_cast<double>(ui_.trace().value({TensorId::weights, 0, 3, 1, 2}));
  double square = 0.0;
  for (Index out = 0; out < 512; ++out) {
    double entry = 0.0;
    for (Index k = 0; k < 64; ++k) {
      entry += static_cast<double>(ui_.trace().value({TensorId::v, 0, 3, 2, k})) *
               static_cast<double>(ui_.trace().value({TensorId::wO, -1, -1, out, 3 * 64 + k}));
    }
    square += entry * entry;
  }
  EXPECT_NEAR(static_cast<double>(shown[8]), weight * std::sqrt(square), 1e-5);
}

TEST_F(HeadsGrid, EachOnItsOwnScaleNamesItsMaximum) {
  ui_.click("each its own", kCard);
  const auto first = cells(0);
  const float most = *std::max_element(first.begin(), first.end());
  EXPECT_TRUE(shows("max " + number(static_cast<double>(most), 2)));
}

TEST_F(HeadsGrid, OneTokenAndOtherKeysThanQueriesAreShownToo) {
  ui_.restart(textDocument("cat", 64, 4), headsView());
  ASSERT_EQ(maps().size(), 4U);
  EXPECT_EQ(cells(0), std::vector<float>{1.0F});
  AttentionConfig config;
  config.dModel = 64;
  config.numHeads = config.numKvHeads = 2;
  ui_.restart(makeDocument("", config, TextSource{{"the cat"}, {"on the mat it sat down"}},
                           Positions::named, {}, kTestBudget),
              headsView());
  ASSERT_EQ(maps().size(), 2U);
  EXPECT_EQ(cells(1).size(), 2U * 6U);
  EXPECT_TRUE(shows("mat"));
  ui_.hover(cellAt(maps()[1], 2, 6, 1, 4));
  ASSERT_TRUE(ui_.view().frame.hovered);
  EXPECT_EQ(ui_.view().frame.hovered->cell, (CellRef{TensorId::weights, 0, 1, 1, 4}));
}

TEST_F(HeadsGrid, LinesReplaceTheHeatmaps) {
  ui_.click("lines", kCard);
  EXPECT_TRUE(maps().empty());
  EXPECT_TRUE(shows("make up 90 %"));
  const ImVec2 title = ui_.at("Head 3", kCard);
  ui_.hover({title.x, title.y + 60.0F});
  ASSERT_TRUE(ui_.view().frame.hovered);
  EXPECT_EQ(ui_.view().frame.hovered->cell.head, 2);
  EXPECT_TRUE(ui_.shows("Head 3 ·", "Tooltip"));
}

class LongHeads : public HeadsGrid {
 protected:
  explicit LongHeads(int differentWords = 97)
      : HeadsGrid(textDocument(sentence(differentWords), 64, 2)) {}

  static std::string sentence(int differentWords) {
    std::string text;
    for (int i = 0; i < 600; ++i) {
      text += (i > 0 ? " w" : "w") + std::to_string(i % differentWords);
    }
    return text;
  }
  void wheel(ImVec2 at, float lines) {
    ui_.host().moveMouse(at);
    ui_.frame();
    ui_.host().wheel(lines);
    ui_.settle();
  }
};

TEST_F(LongHeads, FarOutACellIsTheMeanOrTheMaximumOfAllItCovers) {
  ASSERT_EQ(ui_.trace().config().seqLen, 600);
  ASSERT_EQ(maps().size(), 2U + 1U);  // the minimap
  EXPECT_TRUE(shows("a cell: 2 × 2"));
  const auto value = [&](Index i, Index j) {
    return ui_.trace().value({TensorId::weights, 0, 1, i, j});
  };
  const auto mean = cells(1);
  ASSERT_EQ(mean.size(), 300U * 300U);
  EXPECT_NEAR(mean[7 * 300 + 9],
              (value(14, 18) + value(14, 19) + value(15, 18) + value(15, 19)) / 4.0F, 1e-8F);
  ui_.click("maximum", kCard);
  EXPECT_EQ(cells(1)[7 * 300 + 9],
            std::max({value(14, 18), value(14, 19), value(15, 18), value(15, 19)}));
}

TEST_F(LongHeads, TheWheelZoomsAboutTheMouseAndDraggingPans) {
  const ImVec2 at = cellAt(maps()[0], 600, 600, 450, 150);
  for (int i = 0; i < 6; ++i) wheel(at, 1.0F);
  ASSERT_GT(heads().queries.count, 0);
  EXPECT_LT(heads().queries.count, 200);
  ASSERT_TRUE(ui_.view().frame.hovered);
  EXPECT_NEAR(static_cast<double>(ui_.view().frame.hovered->cell.row), 450.0, 4.0);
  EXPECT_NEAR(static_cast<double>(ui_.view().frame.hovered->cell.col), 150.0, 4.0);
  EXPECT_TRUE(shows("Head 1, whole"));
  EXPECT_FALSE(shows("a cell:"));

  const TokenRange before = heads().queries;
  const gl::Bounds map = maps()[0];
  const ImVec2 from = middle(map);
  ui_.host().drag(ui_.app(), from, {from.x, from.y - (map.y1 - map.y0) * 0.25F});
  ui_.settle();
  EXPECT_EQ(heads().queries.count, before.count);
  EXPECT_NEAR(static_cast<double>(heads().queries.first - before.first),
              static_cast<double>(before.count) * 0.25, 1.5);
  EXPECT_EQ(ui_.view().selection.head, 0);
  EXPECT_EQ(ui_.view().selection.page, kHeadsPage);  // a drag is no click

  for (int i = 0; i < 40; ++i) wheel(from, -1.0F);
  EXPECT_EQ(heads().queries, TokenRange{});
  EXPECT_EQ(heads().keys, TokenRange{});
}

TEST_F(LongHeads, ButtonsZoomAndPanToo) {
  ui_.click("+", kCard);
  EXPECT_EQ(heads().queries, (TokenRange{150, 300}));
  ui_.click("▼", kCard);
  EXPECT_EQ(heads().queries, (TokenRange{300, 300}));
  EXPECT_EQ(heads().keys, (TokenRange{150, 300}));
  ui_.click("0", kCard);
  EXPECT_EQ(heads().keys, TokenRange{});
}

class RepeatedTokens : public LongHeads {
 protected:
  RepeatedTokens() : LongHeads(7) {}
};

TEST_F(RepeatedTokens, AreDistinguishedByTheirPlacesInTheWholeTextWhereAPartIsShown) {
  EXPECT_TRUE(shows("0 w0"));
  ui_.click("+", kCard);
  ASSERT_EQ(heads().keys, (TokenRange{150, 300}));
  EXPECT_TRUE(shows("150 w3"));
  EXPECT_TRUE(shows("keys 150 – 449"));
}

}  // namespace
}  // namespace headscope::ui
