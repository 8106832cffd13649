// The heads page without drawing: tiles, pictures, colour ranges, the table of metrics,
// the order of similar heads, and words.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/heads/view_model/effects.h"
#include "app/ui/heads/view_model/figures.h"
#include "app/ui/heads/view_model/grid.h"
#include "app_driver.h"
#include "core/document/attention.h"
#include "core/editing/edit.h"

namespace headscope::ui {
namespace {

using Of = HeadPicture::Of;

/// Four heads on six words, causal, of which head 2 is off.
class HeadsViewModel : public testing::Test {
 protected:
  HeadsViewModel() {
    DocumentPtr document = textDocument("the cat sat on the mat", 64, 4);
    Mask mask;
    mask.causal = true;
    for (const Edit& edit : std::vector<Edit>{SetMask{mask}, SetHeadGain{1, 0.0F}}) {
      document = apply(*document, edit, kTestBudget).document;
    }
    trace_ = runAttention(document);
    report_ = *headReport(*trace_, 0, {});
  }
  HeadsState state() const { return {*trace_, view_, 0, 2, nullptr, &report_}; }
  std::vector<Index> order() const {
    std::vector<Index> heads;
    for (const GridTile& tile : gridTiles(state())) heads.push_back(tile.picture.head);
    return heads;
  }

  TracePtr trace_;
  HeadReport report_;
  HeadsView view_;
};

TEST_F(HeadsViewModel, TilesStandInTheOrderChosenWithTheMetricAndTheGain) {
  EXPECT_EQ(order(), (std::vector<Index>{0, 1, 2, 3}));
  view_.sortBy = "entropy";
  EXPECT_EQ(order(), headsByMetric(report_.metrics, Metric::entropy, true));
  view_.meanShown = true;
  const std::vector<GridTile> tiles = gridTiles(state());
  EXPECT_EQ(tiles.back().title.name, "Mean over heads");
  const auto off = std::ranges::find(tiles, Index{1}, [](const auto& t) { return t.picture.head; });
  EXPECT_EQ(off->title.figure.substr(0, std::string("off · ").size()), "off · ");
  HeadsState unmeasured = state();
  unmeasured.report = nullptr;
  EXPECT_EQ(gridTiles(unmeasured)[1].title.figure, "off");
  EXPECT_EQ(gridSentences(unmeasured, {}).back().text,
            "Sorted by number until Entropy is measured.");
}

TEST_F(HeadsViewModel, ComparedHeadsStandBelowWithTheirDifference) {
  EXPECT_TRUE(sideTiles(state()).empty());
  view_.compared = {3, 0, 9};  // head 10 does not exist
  const auto pictures = [&] {
    std::vector<HeadPicture> all;
    for (const GridTile& tile : sideTiles(state())) all.push_back(tile.picture);
    return all;
  };
  const HeadPicture difference{Of::difference, 3, 0};
  EXPECT_EQ(pictures(), (std::vector<HeadPicture>{{Of::head, 3, 0}, {Of::head, 0, 0}, difference}));
  EXPECT_EQ(sideHeading(state()), "Side by side, and their difference");
  EXPECT_EQ(sideTiles(state()).back().title.shortName, "4 − 1");
  view_.drawing = GridDrawing::lines;
  EXPECT_EQ(pictures().size(), 2U);
  EXPECT_EQ(sideHeading(state()), "Side by side");
  view_ = {};
  view_.content = GridContent::normWeighted;  // the chosen head with its plain weights
  EXPECT_EQ(pictures(),
            (std::vector<HeadPicture>{{Of::plain, 2, 0}, {Of::head, 2, 0}, {Of::shift, 2, 0}}));
  EXPECT_EQ(sideHeading(state()), "Head 3: its weights, what they move, and the difference");
}

TEST_F(HeadsViewModel, AnotherOrderNeedsNoOtherPictures) {
  const PictureSize size{100.0F, 100.0F, 1.0F, 1.0F};
  const PictureSpec plain = picturesOf(state(), gridTiles(state()), size);
  view_.sortBy = "entropy";
  EXPECT_EQ(picturesOf(state(), gridTiles(state()), size), plain);
  EXPECT_EQ(plain.how, Reduction::mean);
  view_.drawing = GridDrawing::lines;
  EXPECT_EQ(picturesOf(state(), gridTiles(state()), size).how, Reduction::share);
}

TEST_F(HeadsViewModel, ColoursReachTheLargestWeightOrTheLargestOfAPicture) {
  PictureSet set;
  set.spec.pictures = {{Of::head, 0, 0}, {Of::head, 1, 0}, {Of::shift, 0, 0}};
  set.largest = {0.5F, 0.25F, 0.001F};
  EXPECT_EQ(commonRange(state(), &set), (PictureRange{1.0F, false}));
  EXPECT_EQ(rangeOf(state(), {Of::head, 1, 0}, &set, &set), (PictureRange{1.0F, false}));
  EXPECT_TRUE(rangeOf(state(), {Of::difference, 1, 0}, &set, &set).diverging);
  EXPECT_EQ(rangeOf(state(), {Of::shift, 0, 0}, &set, &set), (PictureRange{0.01F, true}));
  view_.ownScale = true;
  EXPECT_EQ(rangeOf(state(), {Of::head, 1, 0}, &set, &set), (PictureRange{0.25F, false}));
  view_.content = GridContent::normWeighted;
  EXPECT_EQ(commonRange(state(), &set), (PictureRange{0.5F, false}));
}

TEST_F(HeadsViewModel, CellsAndRowsAreNamedByTheirTokens) {
  const PassParts parts;
  const HeadPicture head{Of::head, 2, 0};
  const auto words = [&](Index row, Index col) {
    return cellInWords(state(), head, {TensorId::weights, 0, 2, row, col}, parts, nullptr, false);
  };
  EXPECT_EQ(words(0, 0).substr(0, words(0, 0).find('\n')),
            "‘the’ gives 1 of its attention to ‘the’");
  EXPECT_EQ(words(1, 2).substr(0, words(1, 2).find('\n')), "‘cat’ cannot look at ‘sat’: masked");
  EXPECT_EQ(rowInWords(state(), head, 0, parts).first, "Head 3 · the → the 1");
  EXPECT_EQ(mapInWords(state(), {3, 2}),
            (std::vector<std::string>{"queries: all 6", "keys: all 6", "a cell: 3 × 2"}));
  view_.queries = {1, 4};
  EXPECT_EQ(mapInWords(state(), {1, 1}),
            (std::vector<std::string>{"queries 1 – 4", "keys: all 6", "each cell is one pair"}));
  const HeadEffects effects = headEffects(*trace_, 0).value();
  EXPECT_EQ(lossInWords(state(), effects, 1), "Head 2 is off, so its term is already 0.");
}

/// A metric has a column as soon as it is in the list of metrics.
TEST_F(HeadsViewModel, TheTableHasAColumnForEveryMetric) {
  view_.tableSort = "ablation";
  const MetricsTable table = metricsTable(report_, view_);
  ASSERT_EQ(table.columns.size(), 2 + metricsFor(false).size());
  for (const MetricInfo& m : metricsFor(false)) {
    const auto found =
        std::ranges::find(table.columns, std::optional(m.metric), &MetricsTable::Column::metric);
    ASSERT_NE(found, table.columns.end()) << m.key;
    EXPECT_EQ(found->title, m.column);
  }
  EXPECT_EQ(table.columns[*table.by].metric, Metric::ablation);
  EXPECT_EQ(table.heads, headsByMetric(report_.metrics, Metric::ablation, false));
  const std::vector<std::string> row = rowOf(report_, 3);
  ASSERT_EQ(row.size(), table.columns.size());
  EXPECT_EQ(row[0], "4");
  for (std::size_t i = 2; i < row.size(); ++i) {
    EXPECT_TRUE(row[i] == "–" || row[i].size() <= kLongestFigure.size()) << row[i];
  }
}

TEST(SimilarityOrder, PutsClustersTogetherOrGoesByNumber) {
  HeadSimilarity similarity{3, {1.0, 0.2, 0.95, 0.2, 1.0, 0.1, 0.95, 0.1, 1.0}, {}};
  const HeadTree tree = clusterHeads(similarity);
  const SimilarityOrder alike = similarityOrder(tree, true, 0.9);
  ASSERT_EQ(alike.clusters.size(), 1U);
  const SimilarityOrder::Cluster& pair = alike.clusters.front();
  EXPECT_EQ(pair.count, 2);
  for (const Index head : {0, 2}) {
    EXPECT_GE(alike.placeOf(head), pair.first);
    EXPECT_LT(alike.placeOf(head), pair.first + pair.count);
  }
  const SimilarityOrder numbered = similarityOrder(tree, false, 0.9);
  EXPECT_EQ(numbered.heads, (std::vector<Index>{0, 1, 2}));
  EXPECT_TRUE(numbered.clusters.empty());
  EXPECT_DOUBLE_EQ(lowestShown(similarity), 0.1);
}

}  // namespace
}  // namespace headscope::ui
