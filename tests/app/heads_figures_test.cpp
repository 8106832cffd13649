// The figures of heads on the screen: equal to the measured ones, in every order, with the reason
// where one is undefined.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/heads/figures.h"
#include "app/ui/heads/heads_page.h"
#include "app/ui/heads/view_model/choice.h"
#include "app/ui/parts/head_label.h"
#include "app_driver.h"
#include "core/analysis/head_report.h"
#include "core/document/trace.h"
#include "core/editing/edit.h"
#include "screen_text.h"

namespace headscope::ui {
namespace {

ViewState headsView(FiguresTab tab, EnlargedCard enlarged = EnlargedCard::figures) {
  ViewState view;
  view.selection.page = kHeadsPage;
  view.heads.figuresTab = tab;
  view.heads.enlarged = enlarged;
  return view;
}

HeadReport reportOf(const Trace& trace, ItemChoice item = 0) {
  return *headReport(trace, item, {});
}

DocumentPtr maskedDocument() {
  DocumentPtr document = presetDocument("original-transformer");
  Mask mask;
  mask.lengths = {0};
  return apply(*document, SetMask{mask}, kTestBudget).document;
}

/// The heads in the table's rows from top to bottom, read from the texts that are plain numbers.
std::vector<Index> rowsShown(const AppDriver& ui) {
  std::vector<Index> heads;
  const ScreenText screen = ui.screen();
  for (const TextRun& run : screen.runs()) {
    if (run.window.find("metrics") == std::string::npos) continue;
    if (run.text.find_first_not_of("0123456789") == std::string::npos) {
      heads.push_back(std::stol(run.text) - 1);
    }
  }
  return heads;
}

/// The texts in the row of a head, from left to right.
std::string rowShown(const AppDriver& ui, Index head) {
  const ScreenText screen = ui.screen();
  const std::string number = std::to_string(head + 1);
  std::optional<float> y;
  std::map<float, std::string> row;  // by its left end
  for (const TextRun& run : screen.runs()) {
    if (run.window.find("metrics") == std::string::npos) continue;
    if (run.text == number) y = run.spot(0, number.size()).centre().y;
  }
  for (const TextRun& run : screen.runs()) {
    if (!y || run.window.find("metrics") == std::string::npos) continue;
    const Spot spot = run.spot(0, run.text.size());
    if (std::abs(spot.centre().y - *y) < 5.0F) row[spot.min.x] += run.text;
  }
  std::string text;
  for (const auto& [x, piece] : row) text += piece;
  return text;
}

std::string rowText(const HeadReport& report, std::size_t head) {
  std::string text = std::to_string(head + 1) + labelWithScore(report.labels[head]);
  for (const MetricInfo& m : metricsFor(false)) {
    const MetricValue& measured = report.metrics[head][m.metric];
    text += measured ? figureText(*measured) : "–";
  }
  return text;
}

/// However many heads there are, an axis of the similarity matrix names the one that is asked
/// about.
TEST(HeadsFigures, TheSimilarityMatrixNumbersTheChosenHead) {
  ViewState view;
  view.selection.page = kHeadsPage;
  view.heads.similarityOrdered = false;
  AppDriver ui(textDocument("The cat sat on the mat", 512, 64), 1280, 720, view);
  for (const Index head : {13, 14, 58}) {
    ui.view().selection.head = head;
    ui.settle();
    std::string ofItsColor;  // names on an axis are read as one
    const ScreenText screen = ui.screen();
    const ImU32 color =
        headColor(theme(ThemeKind::light), static_cast<std::size_t>(head)) | IM_COL32_A_MASK;
    for (const TextRun& run : screen.runs()) {
      if (run.window.find("/similarity_") == std::string::npos) continue;
      for (std::size_t i = 0; i < run.text.size(); ++i) {
        if (run.glyphs[run.glyphAt[i]].color == color) ofItsColor += run.text[i];
      }
    }
    EXPECT_NE(ofItsColor.find(std::to_string(head + 1)), std::string::npos) << ofItsColor;
  }
}

TEST(HeadsTable, ShowsWhatIsMeasured) {
  AppDriver ui(exampleDocument("cat"), 2600, 1000, headsView(FiguresTab::table));
  const HeadReport report = reportOf(ui.trace());
  for (std::size_t h = 0; h < 8; ++h) {
    EXPECT_EQ(rowShown(ui, static_cast<Index>(h)), withoutSpaces(rowText(report, h)));
  }
  EXPECT_EQ(rowsShown(ui), (std::vector<Index>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(HeadsTable, ShowsTheMeanOverItems) {
  AppDriver ui(presetDocument("rul"), 2600, 1000, headsView(FiguresTab::table));
  const HeadReport first = reportOf(ui.trace());
  const HeadReport mean = reportOf(ui.trace(), std::nullopt);
  ASSERT_NE(rowText(first, 2), rowText(mean, 2));
  EXPECT_EQ(rowShown(ui, 2), withoutSpaces(rowText(first, 2)));
  ui.click("mean of 2 items", "figures");
  EXPECT_TRUE(ui.view().heads.averageItems);
  EXPECT_EQ(rowShown(ui, 2), withoutSpaces(rowText(mean, 2)));
  ui.click("item 1", "figures");
  EXPECT_EQ(rowShown(ui, 2), withoutSpaces(rowText(first, 2)));
}

TEST(HeadsTable, SortsByAnyColumnBothWays) {
  AppDriver ui(exampleDocument("cat"), 2600, 1000, headsView(FiguresTab::table));
  const HeadReport report = reportOf(ui.trace());
  for (const Metric metric : {Metric::entropy, Metric::ablation}) {
    std::vector<Index> expected{0, 1, 2, 3, 4, 5, 6, 7};
    std::stable_sort(expected.begin(), expected.end(), [&](Index a, Index b) {
      return *report.metrics[static_cast<std::size_t>(a)][metric] >
             *report.metrics[static_cast<std::size_t>(b)][metric];
    });
    ui.click(info(metric).column, "metrics");
    EXPECT_EQ(rowsShown(ui), expected) << info(metric).key;
    EXPECT_TRUE(ui.shows(info(metric).words, "figures"));
    ui.click(info(metric).column, "metrics");
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(rowsShown(ui), expected) << info(metric).key;
  }
  ui.click("#", "metrics");
  EXPECT_EQ(rowsShown(ui), (std::vector<Index>{0, 1, 2, 3, 4, 5, 6, 7}));
  ui.click("#", "metrics");
  EXPECT_EQ(rowsShown(ui), (std::vector<Index>{7, 6, 5, 4, 3, 2, 1, 0}));
}

TEST(HeadsTable, AClickOnARowChoosesTheHeadAndSaysItsRule) {
  AppDriver ui(exampleDocument("cat"), 2600, 1000, headsView(FiguresTab::table));
  const HeadReport report = reportOf(ui.trace());
  const ScreenText screen = ui.screen();
  for (const TextRun& run : screen.runs()) {
    if (run.window.find("metrics") == std::string::npos || run.text != "4") continue;
    ui.clickAt(run.spot(0, 1).centre());
    break;
  }
  EXPECT_EQ(ui.view().selection.head, 3);
  EXPECT_TRUE(ui.shows("head 4: " + labelWithScore(report.labels[3]), "figures"));
  EXPECT_TRUE(ui.shows(report.labels[3].rule, "figures"));
}

TEST(HeadsTable, SortsByKeyboard) {
  AppDriver ui(exampleDocument("cat"), 1600, 1000,
               headsView(FiguresTab::table, EnlargedCard::none));
  for (int card = 0; card < 3; ++card) ui.press(Key::f2);  // all heads, looks, figures
  ui.press(Key::down);
  ui.press(Key::right);
  ui.press(Key::right);
  ui.press(Key::space);
  EXPECT_FALSE(ui.view().heads.tableSort.empty());
}

TEST(HeadsTable, DrawsOnlyTheRowsThatAreSeenOfVeryMany) {
  AppDriver ui(textDocument("The cat sat on the mat", 512, 128), 1600, 1000,
               headsView(FiguresTab::table, EnlargedCard::none));
  const std::vector<Index> top = rowsShown(ui);
  ASSERT_FALSE(top.empty());
  EXPECT_LT(top.size(), 30U);
  EXPECT_EQ(top.front(), 0);
  ui.host().moveMouse(middle(*ui.window("metrics")));
  for (int i = 0; i < 200; ++i) {
    ui.host().wheel(-1);
    ui.frame();
  }
  ui.settle();
  EXPECT_EQ(rowsShown(ui).back(), 127);
}

TEST(HeadsTable, SaysWhyWhatIsNotDefinedIsNot) {
  struct Case {
    DocumentPtr document;
    Metric metric;
    std::string heads, why;
  };
  DocumentPtr cross = apply(*presetDocument("original-transformer"),
                            SetText{0, true, "The cat sleeps"}, kTestBudget)
                          .document;
  const std::vector<Case> cases{
      {textDocument("The cat sat on a mat"), Metric::duplicateToken, "all 8 heads",
       "no token repeats"},
      {textDocument("cat"), Metric::previousToken, "all 8 heads", "one token only"},
      {textDocument("cat", 512, 1), Metric::nextToken, "head 1", "one token only"},
      {cross, Metric::meanDistance, "all 8 heads",
       "keys come from the memory, so positions cannot be compared"},
      {maskedDocument(), Metric::entropy, "all 8 heads", "every row is fully masked"},
  };
  for (const Case& c : cases) {
    ViewState view = headsView(FiguresTab::table);
    view.heads.tableSort = info(c.metric).key;
    AppDriver ui(c.document, 1600, 1000, view);
    const std::string said =
        fmt::format("{} is not defined for {} because {}.", info(c.metric).title, c.heads, c.why);
    EXPECT_TRUE(ui.shows(said, "figures")) << said << "\n" << ui.screen().all("figures");
    EXPECT_FALSE(ui.shows("nan"));
    ui.view().heads.figuresTab = FiguresTab::scatter;
    ui.view().heads.scatterX = info(c.metric).key;
    ui.settle();
    EXPECT_TRUE(ui.shows(said, "figures")) << ui.screen().all("figures");
  }
}

TEST(HeadsFigures, ScoresHaveTwoPlacesEverywhere) {
  HeadLabel label;
  label.key = label.title = "uniform";
  label.score = 1.0;
  label.rows = 5;
  EXPECT_EQ(labelWithScore(label), "uniform 1.00, 5 rows");
  label.score = 0.125;
  EXPECT_EQ(labelWithScore(label), "uniform 0.12, 5 rows");
  label.score.reset();
  EXPECT_EQ(labelWithScore(label), "uniform, 5 rows");
  EXPECT_EQ(labelWithRule({"", "not defined", {}, "every row is fully masked"}),
            "not defined: every row is fully masked");
  EXPECT_EQ(numbersInWords({0, 2, 3, 4, 6}), "1, 3–5, 7");
}

TEST(HeadsTable, EnlargedShowsEveryMetricWithoutScrolling) {
  AppDriver ui(exampleDocument("cat"), 1600, 1000, headsView(FiguresTab::table));
  const gl::Bounds card = *ui.window("figures");
  for (const MetricInfo& m : metricsFor(false)) {
    const auto title = ui.screen().find(m.column, "metrics");
    ASSERT_TRUE(title) << m.column;
    EXPECT_GT(title->min.x, card.x0) << m.column;
    EXPECT_LT(title->max.x, card.x1) << m.column;
  }
}

TEST(HeadsFigures, TabsKeepClearOfTheSwitch) {
  ViewState view = headsView(FiguresTab::scatter, EnlargedCard::none);
  for (const float scale : {1.0F, 1.38F, 2.0F}) {
    view.preferences.scale = scale;
    AppDriver ui(exampleDocument("cat"), 1600, 3000, view);
    const auto tab = ui.screen().find("Table", "figures");
    const auto larger = ui.screen().find("larger", "figures");
    ASSERT_TRUE(tab) << scale;
    ASSERT_TRUE(larger) << scale;
    EXPECT_LT(tab->max.x, larger->min.x - 4.0F) << scale;
  }
}

TEST(HeadsPage, StandsBelowEachOtherInANarrowWindow) {
  for (const float width : {600.0F, 800.0F, 1159.0F}) {
    const ImVec2 content = headsContent({width, 500.0F}, 1.0F, 12.0F);
    EXPECT_LE(content.x, width);  // it scrolls one way only
    EXPECT_GT(content.y, 1000.0F);
    const HeadsLayout l = layoutHeads(content, 1.0F);
    EXPECT_GT(l.looks.a.y, l.allHeads.b.y);
    EXPECT_GT(l.figures.a.y, l.looks.b.y);
    EXPECT_GT(l.similarity.a.x, l.figures.b.x);
    EXPECT_GT(l.effects.a.y, l.figures.b.y);
    EXPECT_LE(l.effects.b.y, content.y);
    EXPECT_LE(l.allHeads.b.x, content.x);
    HeadsView large;
    large.enlarged = EnlargedCard::similarity;
    const HeadsLayout e = layoutHeads(content, 1.0F, large);
    EXPECT_TRUE(e.figures.empty());
    EXPECT_EQ(e.similarity.width(), l.allHeads.width());
    EXPECT_EQ(e.effects.a.y, l.effects.a.y);
  }
  const ImVec2 wide = headsContent({1600.0F, 860.0F}, 1.0F, 12.0F);
  EXPECT_EQ(wide.x, 1600.0F);
  EXPECT_EQ(wide.y, 860.0F);
  EXPECT_EQ(layoutHeads(wide, 1.0F).looks.a.y, layoutHeads(wide, 1.0F).allHeads.a.y);
}

TEST(HeadsFigures, TakeTheWholeColumnAndGiveItBack) {
  AppDriver ui(exampleDocument("cat"), 1600, 1000,
               headsView(FiguresTab::scatter, EnlargedCard::none));
  const gl::Bounds small = *ui.window("figures");
  ui.click("larger", "figures");
  const gl::Bounds large = *ui.window("figures");
  EXPECT_GT(large.x1 - large.x0, 2 * (small.x1 - small.x0));
  EXPECT_GT(large.y1 - large.y0, 1.5F * (small.y1 - small.y0));
  EXPECT_FALSE(ui.shows("How similar the heads are"));
  ui.click("smaller", "figures");
  EXPECT_EQ(ui.window("figures")->x1, small.x1);
  EXPECT_TRUE(ui.shows("How similar the heads are", "similarity"));
}

/// Head 4 becomes head 1 again: its queries and keys are the same.
DocumentPtr twinDocument() {
  DocumentPtr document = textDocument("The cat sat on the mat", 512, 6 + 2);
  for (const TensorId tensor : {TensorId::wQ, TensorId::wK, TensorId::bQ, TensorId::bK}) {
    document = apply(*document, CopyHead{tensor, 0, 4}, kTestBudget).document;
  }
  return document;
}

TEST(HeadsSimilarity, PutsEqualHeadsTogetherAndCountsTheDistinct) {
  AppDriver ui(twinDocument(), 1600, 1000, headsView(FiguresTab::scatter, EnlargedCard::none));
  const HeadReport report = reportOf(ui.trace());
  const HeadTree tree = clusterHeads(report.similarity);
  const auto place = [&](Index head) {
    return std::find(tree.order.begin(), tree.order.end(), head) - tree.order.begin();
  };
  EXPECT_EQ(std::abs(place(0) - place(4)), 1);
  EXPECT_TRUE(ui.shows("head 1 is most like head 5: 1.00", "similarity"));
  ui.view().heads.similarityCut = 1.0F;
  ui.settle();
  EXPECT_TRUE(ui.shows("7 distinct heads of 8 at 1.00", "similarity"))
      << ui.screen().all("similarity");

  // a cell is clicked where it is drawn: at the heads' places in the order shown
  const gl::Bounds map = ui.heatmaps("similarity").at(0);
  ui.clickAt(cellAt(map, 8, 8, place(2), place(6)));
  EXPECT_EQ(ui.view().selection.head, 2);
  EXPECT_TRUE(ui.shows(pairInWords(report.similarity, 2, 6), "similarity"));
  ui.click("alike together", "similarity");
  ui.clickAt(cellAt(map, 8, 8, 4, 0));
  EXPECT_EQ(ui.view().selection.head, 4);
  EXPECT_TRUE(ui.shows("heads 5 and 1: 1.00 alike", "similarity"));
}

TEST(HeadsSimilarity, SaysWhyThereIsNone) {
  AppDriver one(textDocument("The cat sat", 512, 1), 1600, 1000,
                headsView(FiguresTab::scatter, EnlargedCard::none));
  EXPECT_TRUE(one.shows("There is only one head, so there is nothing to compare.", "similarity"));
  EXPECT_TRUE(one.heatmaps("similarity").empty());
  AppDriver masked(maskedDocument(), 1600, 1000,
                   headsView(FiguresTab::scatter, EnlargedCard::none));
  EXPECT_TRUE(
      masked.shows("Similarity is not defined because every row is fully masked.", "similarity"));
}

TEST(HeadsFigures, StandInTheInspectorAndOnTheStrip) {
  AppDriver ui(textDocument("The cat sat on a mat"));
  ui.click("Head 6", "strip");
  const HeadReport report = reportOf(ui.trace());
  const HeadMetrics& m = report.metrics[5];
  const auto shows = [&](const std::string& text) {
    EXPECT_TRUE(ui.shows(text, "inspector")) << text << "\n" << ui.screen().all("inspector");
  };
  shows("Head 6 looks like" + labelWithScore(report.labels[5]));
  shows(report.labels[5].rule);
  shows(fmt::format("entropy / log₂ M {} / 2.58 bits",
                    figureWithUnit(m[Metric::entropy], Metric::entropy).substr(0, 4)));
  shows("confidence (mean max)" + figureWithUnit(m[Metric::confidence], Metric::confidence));
  shows("ablation" + figureWithUnit(m[Metric::ablation], Metric::ablation) + " of output norm");
  const Index other = *mostAlike(report.similarity, 5);
  shows(
      fmt::format("most like head {} (similarity {:.2f})", other + 1, report.similarity(5, other)));
  for (const HeadMetrics& head : report.metrics) {
    EXPECT_TRUE(ui.shows(fmt::format("H {:.2f}", *head[Metric::entropy]), "strip"));
    EXPECT_TRUE(ui.shows(fmt::format("ø max {:.2f}", *head[Metric::confidence]), "strip"));
  }
  ui.typeInto("heads", "1");
  EXPECT_TRUE(ui.shows("most like head – there is no other head", "inspector"));
}

TEST(HeadsFigures, AreNamedInWords) {
  EXPECT_EQ(headsInWords({2}, 8), "head 3");
  EXPECT_EQ(headsInWords({0, 1, 2, 3}, 4), "all 4 heads");
  EXPECT_EQ(headsInWords({0, 2, 3, 4, 6, 7}, 9), "heads 1, 3–5, 7, 8");
  EXPECT_EQ(figureText(0.0), "0.000");
  EXPECT_EQ(figureText(0.0001), "<.001");
  EXPECT_EQ(figureText(12.3456), "12.35");
  EXPECT_EQ(figureText(123.456), "123.5");
  EXPECT_EQ(figureText(1234.56), "1235");
  HeadsView view;
  sortTableBy(view, "entropy");
  EXPECT_TRUE(view.tableDescending);
  sortTableBy(view, kByLabel);
  EXPECT_FALSE(view.tableDescending);
}

/// An undefined value comes last in either direction.
TEST(HeadsFigures, AreOrderedWithWhatIsNotDefinedLast) {
  HeadReport report;
  report.metrics.resize(4);
  report.labels.resize(4);
  report.metrics[0][Metric::self] = {0.2, {}};
  report.metrics[1][Metric::self] = MetricValue::undefined("no");
  report.metrics[2][Metric::self] = {0.9, {}};
  report.metrics[3][Metric::self] = {0.2, {}};
  EXPECT_EQ(headsInOrder(report, "self", true), (std::vector<Index>{2, 0, 3, 1}));
  EXPECT_EQ(headsInOrder(report, "self", false), (std::vector<Index>{0, 3, 2, 1}));
  report.labels[0].title = "self";
  report.labels[1].title = "mixed";
  report.labels[2] = {"self", "self", 0.9, "", 5, false};
  report.labels[3].title = "local";
  EXPECT_EQ(headsInOrder(report, kByLabel, false), (std::vector<Index>{3, 1, 2, 0}));
  EXPECT_EQ(headsInOrder(report, kByLabel, true), (std::vector<Index>{2, 0, 1, 3}));
}

}  // namespace
}  // namespace headscope::ui
