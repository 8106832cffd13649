// The texts on the tiles of heads, and norm-weighted attention compared with plain attention.
#include <cstddef>
#include <string>

#include "app/gl/scene.h"
#include "app/ui/heads/figures.h"
#include "app/ui/parts/head_label.h"
#include "core/analysis/head_report.h"
#include "core/base/memory_budget.h"
#include "core/document/trace.h"
#include "core/editing/edit.h"
#include "core/editing/make_document.h"
#include "core/presets/presets.h"
#include "heads_grid.h"

namespace headscope::ui {
namespace {

TEST_F(HeadsGrid, ATileTellsItsLabelsScoreAndRule) {
  const auto report = *headReport(ui_.trace(), Index{0}, {});
  const std::string said = labelWithScore(report.labels[5]) + ": " + report.labels[5].rule;
  ui_.hover(middle(maps()[5]));
  EXPECT_TRUE(ui_.shows(said, "Tooltip")) << ui_.screen().all("Tooltip");
  ui_.hover(ui_.at("Head 6", kCard));
  for (int i = 0; i < 90; ++i) ui_.frame();  // the mouse rests
  EXPECT_TRUE(ui_.shows(said, "Tooltip")) << ui_.screen().all("Tooltip");
}

/// Designed heads, of which two find no partner in this sentence.
class DesignedGrid : public HeadsGrid {
 protected:
  DesignedGrid() : HeadsGrid(designed(512)) {}

  static DocumentPtr designed(Index dModel) {
    AttentionConfig config;
    config.dModel = dModel;
    config.numHeads = config.numKvHeads = 8;
    return makeDocument("", config, TextSource{{"The cat sat on the mat"}, {}}, Positions::named,
                        {WeightInit::designed, 1, {}}, kTestBudget);
  }
};

TEST_F(DesignedGrid, TilesSayWhatTheyAreDesignedForAndWhatTheyMeasureAs) {
  EXPECT_TRUE(shows("Adjective ↔ noun")) << ui_.screen().all(kCard);
  // a purpose that is not true here is grey and says so, without another name
  EXPECT_EQ(inColor("Adjective↔noun", theme(ThemeKind::light).textMuted), 1);
  EXPECT_TRUE(shows("nothing to do here") || shows("not found here")) << ui_.screen().all(kCard);
  EXPECT_FALSE(shows("here First token"));
  EXPECT_FALSE(shows("mixed"));
  EXPECT_EQ(inColor("Previoustoken", theme(ThemeKind::light).text), 1);
  EXPECT_TRUE(shows("Previous token"));
  EXPECT_TRUE(shows("here 0.85"));
  EXPECT_TRUE(shows("designed, not learned"));
  EXPECT_FALSE(shows("at random"));
  ui_.hover(ui_.at("Adjective ↔ noun", kCard));
  for (int i = 0; i < 90; ++i) ui_.frame();  // the mouse rests
  EXPECT_TRUE(ui_.shows("What its scores are made of:", "Tooltip")) << ui_.screen().all("Tooltip");
  EXPECT_TRUE(ui_.shows("First token 0.62, 6 rows: ", "Tooltip"));
}

/// Arcs are those of one word, and so is what stands above them.
TEST_F(DesignedGrid, ArcsSayWhatTheyShow) {
  ui_.view().heads.drawing = GridDrawing::arcs;
  ui_.view().heads.query = 2;
  ui_.settle();
  EXPECT_TRUE(shows("‘sat’ → ‘cat’")) << ui_.screen().all(kCard);
  EXPECT_TRUE(shows("nothing to do for ‘sat’"));
  EXPECT_FALSE(shows("here 0.85")) << "that is of all words";
}

TEST_F(DesignedGrid, HeadsDrawnAtRandomAreCounted) {
  ui_.restart(designed(64), headsView());
  EXPECT_TRUE(shows("5 of 8 drawn at random")) << ui_.screen().all(kCard);
  EXPECT_TRUE(shows("random"));
}

TEST_F(DesignedGrid, NamesAreWholeWhateverTheCount) {
  for (const Index heads : {8, 12}) {
    AttentionConfig config;
    config.dModel = 64 * heads;
    config.numHeads = config.numKvHeads = heads;
    ui_.restart(makeDocument("", config, TextSource{{"The cat sat on the mat"}, {}},
                             Positions::named, {WeightInit::designed, 1, {}}, kTestBudget),
                headsView());
    for (const char* name : {"Previous token", "Verb → its subject", "Preposition → its object"}) {
      EXPECT_TRUE(shows(name)) << name << " of " << heads << ": " << ui_.screen().all(kCard);
    }
  }
}

TEST_F(HeadsGrid, NormWeightedStandsNextToPlainAttentionWithTheDifference) {
  ui_.view().selection.head = 3;
  ui_.click("norm-weighted", kCard);
  ASSERT_EQ(maps().size(), 8U + 3U);
  for (const char* text : {"Head 4: its weights, what they move, and the difference", "weights A",
                           "difference", "a key moves the output more than its weight says"}) {
    EXPECT_TRUE(shows(text)) << text << " in " << ui_.screen().all(kCard);
  }
  const auto plain = cells(8);
  const auto moved = cells(9);
  const auto difference = cells(10);
  EXPECT_EQ(moved, cells(3));
  for (std::size_t i = 0; i < 6; ++i) {
    double sum = 0.0;
    double left = 0.0;
    for (std::size_t j = 0; j < 6; ++j) sum += static_cast<double>(moved[i * 6 + j]);
    for (std::size_t j = 0; j < 6; ++j) {
      const std::size_t at = i * 6 + j;
      EXPECT_EQ(plain[at], ui_.trace().value({TensorId::weights, 0, 3, static_cast<Index>(i),
                                              static_cast<Index>(j)}));
      EXPECT_NEAR(static_cast<double>(difference[at]),
                  static_cast<double>(moved[at]) / sum - static_cast<double>(plain[at]), 1e-6);
      left += static_cast<double>(difference[at]);
    }
    EXPECT_NEAR(left, 0.0, 1e-6);  // the gain of one key is the loss of others
  }
  ui_.hover(cellAt(maps()[10], 6, 6, 2, 1));
  EXPECT_TRUE(ui_.shows("than the weight says", "Tooltip"));
  ui_.view().heads.compared = {1, 5};
  ui_.settle();
  EXPECT_EQ(maps().size(), 8U + 2 * 3U + 1U);
}

TEST_F(HeadsGrid, WhatIsMaskedHasNoDifference) {
  Mask mask;
  mask.causal = true;
  ui_.restart(
      apply(*textDocument("the cat sat on the mat", 64, 2), SetMask{mask}, kTestBudget).document,
      headsView());
  ui_.click("norm-weighted", kCard);
  const auto difference = cells(4);
  EXPECT_EQ(difference[0], 0.0F);  // the only key of the first query: all of both
  EXPECT_EQ(difference[1], gl::kMaskedCell);
}

HeadReport reportOf(const std::string& label, std::optional<double> score,
                    std::optional<RelationScore> made) {
  HeadReport report;
  report.labels = {{label, label, score, "", 9, label != "mixed"}};
  report.designedPurposes = {std::move(made)};
  return report;
}

TEST(HeadCaption, HoldsHereOrSaysThatItDoesNot) {
  RelationScore made{
      .name = "Verb → its subject", .score = {0.92, {}}, .own = true, .chance = {0.1, 2}};
  HeadCaption caption = headCaption(made.name, nullptr, 0);
  EXPECT_EQ(inOneLine(caption), "Verb → its subject") << "nothing is measured yet";
  HeadReport report = reportOf(made.name, 0.92, made);
  caption = headCaption(made.name, &report, 0);
  EXPECT_TRUE(caption.holds);
  EXPECT_EQ(caption.here, "here 0.92, 9 rows");
  EXPECT_EQ(inOneLine(caption), "Verb → its subject");
  const std::string both = "Previous word + Verb → its subject";
  EXPECT_EQ(headCaption(both, &report, 0).title, both) << "the same title whatever the input";
  made.score = {0.15, {}};  // chance gives 0.1
  report = reportOf("mixed", std::nullopt, made);
  caption = headCaption(made.name, &report, 0);
  EXPECT_FALSE(caption.holds);
  EXPECT_EQ(inOneLine(caption), "Verb → its subject (not found here)");
  made.score = {0.3, {}};
  report = reportOf("mixed", std::nullopt, made);
  caption = headCaption(made.name, &report, 0);
  EXPECT_FALSE(caption.holds);
  EXPECT_EQ(inOneLine(caption), "Verb → its subject (weak here 0.30, 2 rows)");
  made.score = MetricValue::undefined(kHiddenByMask);
  report = reportOf("mixed", std::nullopt, made);
  EXPECT_EQ(headCaption(made.name, &report, 0).here, "hidden by the mask");
  made.score = MetricValue::undefined(kNoPartner);
  report = reportOf("uniform", 0.98, made);
  EXPECT_EQ(inOneLine(headCaption(made.name, &report, 0)),
            "Verb → its subject (nothing to do here)");
  made.score = MetricValue::undefined("not read");
  report = reportOf("mixed", std::nullopt, made);
  EXPECT_EQ(headCaption(made.name, &report, 0).here, "not checked here");
  EXPECT_EQ(headCaption(made.name, &report, 0).brief, "not checked");
  EXPECT_FALSE(headCaption("", &report, 0).holds) << "mixed is no name";
}

/// Heads of an image are designed for its patches, and hold on them.
TEST(HeadCaption, OfPatchesIsThatOfAnImage) {
  ViewState view;
  view.selection.page = kHeadsPage;
  const Preset& preset = presetByName("vit-base");
  AppDriver ui(makePreset(preset, {WeightInit::designed, 1, {}}, defaultMemoryBudget()), 1600, 1000,
               view);
  ui.settle();
  ui.frame();
  const std::string all = ui.screen().all(kAllHeadsCard);
  EXPECT_TRUE(ui.shows("Patch above", kAllHeadsCard)) << all;
  EXPECT_TRUE(ui.shows("here 0.98", kAllHeadsCard)) << all;
  EXPECT_FALSE(ui.shows("not checked here", kAllHeadsCard)) << all;
}

}  // namespace
}  // namespace headscope::ui
