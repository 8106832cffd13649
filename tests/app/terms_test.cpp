// The terms of a cell: opened by key and by click, all of them, in any order, and back along them.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/widgets.h"
#include "app_driver.h"
#include "core/attention/steps/step.h"
#include "core/document/trace.h"
#include "core/words/arithmetic.h"
#include "screen_text.h"

namespace headscope::ui {
namespace {

ViewState termsOf(StepId step) {
  ViewState view;
  view.selection.step = step;
  view.selection.tool = kTermsTool;
  return view;
}

/// The rows of the table from top to bottom, one text per row, without the headings.
std::vector<std::string> rows(const AppDriver& ui) {
  const ScreenText screen = ui.screen();
  std::vector<std::pair<ImVec2, std::string>> runs;
  for (const TextRun& run : screen.runs()) {
    if (run.window.find("/terms") == std::string::npos) continue;
    float y = -100.0F;  // a heading and the number below it read as one
    for (std::size_t i = 0; i < run.text.size(); ++i) {
      const ImVec2 at = run.glyphs[run.glyphAt[i]].centre();
      if (std::abs(at.y - y) > 8.0F) runs.emplace_back(at, "");
      y = at.y;
      runs.back().second += run.text[i];
    }
  }
  std::stable_sort(runs.begin(), runs.end(),
                   [](const auto& a, const auto& b) { return a.first.y < b.first.y; });
  std::vector<std::string> texts;
  for (auto line = runs.begin(); line != runs.end();) {
    const auto end = std::find_if(
        line, runs.end(), [&](const auto& run) { return run.first.y > line->first.y + 8.0F; });
    std::sort(line, end, [](const auto& a, const auto& b) { return a.first.x < b.first.x; });
    std::string text;
    for (; line != end; ++line) text += line->second + " ";
    if (text.rfind("term", 0) != 0) texts.push_back(text);
  }
  return texts;
}

/// A row of a sum as the table prints it.
std::string sumRow(const Trace& trace, const Explanation& e, std::size_t index, double sum) {
  const Term& t = e.terms[index];
  return withoutSpaces(std::to_string(index) + leftName(trace, t) + number(t.leftValue, 5) +
                       rightName(trace, t) + number(t.rightValue, 5) + number(t.product, 5) +
                       number(sum, 5));
}

TEST(Terms, AKeyOpensThemForTheCellClicked) {
  AppDriver ui(presetDocument("by-hand"));
  ui.clickAt(cellAt(ui.heatmaps("stage")[2], 3, 3, 2, 1));
  const CellRef cell{TensorId::rawScores, 0, 0, 2, 1};
  ASSERT_EQ(ui.view().selection.cell, cell);
  ui.press(Key{'T'});
  ASSERT_EQ(ui.view().selection.tool, kTermsTool);
  const Explanation e = explainCell(ui.trace(), cell);
  ASSERT_EQ(e.terms.size(), 4U);
  EXPECT_TRUE(ui.shows(cellName(ui.trace(), cell) + " = " + number(e.value, 7), "flow"));
  EXPECT_TRUE(ui.shows("raw_scores[0, 0, 2, 1] · head 1 · step 3, Score", "flow"));
  std::vector<std::string> expected;
  double sum = 0.0;
  for (std::size_t i = 0; i < e.terms.size(); ++i) {
    expected.push_back(sumRow(ui.trace(), e, i, sum += e.terms[i].product));
  }
  std::vector<std::string> shown;
  for (const std::string& row : rows(ui)) shown.push_back(withoutSpaces(row));
  EXPECT_EQ(shown, expected);
  EXPECT_TRUE(ui.shows("sum of 4 terms = " + number(e.sum, 8), "flow"));
  EXPECT_TRUE(ui.shows("the engine's value " + number(e.value, 8) + " · difference 0", "flow"));
}

TEST(Terms, OfTheFirstCellWhereNoneIsChosen) {
  AppDriver ui(presetDocument("by-hand"), 1600, 1000, termsOf(StepId::output));
  EXPECT_TRUE(ui.shows("output[0, 0, 0] · step 9, Output", "flow"));
  EXPECT_EQ(rows(ui).size(), 9U);  // eight columns of C, and the bias
}

TEST(Terms, AreSortedByTheirHeadings) {
  AppDriver ui(presetDocument("original-transformer"), 1600, 1000, termsOf(StepId::score));
  const CellRef cell{TensorId::rawScores, 0, 0, 0, 0};
  const Explanation e = explainCell(ui.trace(), cell);
  const auto expectOrder = [&](auto before) {
    std::vector<std::size_t> order(e.terms.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return before(e.terms[a], e.terms[b]); });
    const auto shown = rows(ui);
    ASSERT_GE(shown.size(), 5U);
    double sum = 0.0;
    for (std::size_t i = 0; i < 5; ++i) {
      sum += e.terms[order[i]].product;
      EXPECT_EQ(withoutSpaces(shown[i]), sumRow(ui.trace(), e, order[i], sum)) << i;
    }
  };
  ui.click("contribution", "flow");
  expectOrder(
      [](const Term& a, const Term& b) { return std::abs(a.product) > std::abs(b.product); });
  ui.click("product", "flow");
  expectOrder([](const Term& a, const Term& b) { return a.product > b.product; });
  ui.click("product", "flow");
  expectOrder([](const Term& a, const Term& b) { return a.product < b.product; });
  ui.click("left", "flow");
  expectOrder([](const Term& a, const Term& b) { return a.leftValue > b.leftValue; });
  ui.click("right", "flow");
  expectOrder([](const Term& a, const Term& b) { return a.rightValue > b.rightValue; });
  ui.click("term", "flow");
  expectOrder([](const Term&, const Term&) { return false; });
}

TEST(Terms, ARunningSumEndsAtTheSum) {
  AppDriver ui;
  const Explanation e = explainCell(ui.trace(), {TensorId::output, 0, -1, 3, 7});
  for (const TermOrder order : {TermOrder{}, TermOrder{TermColumn::contribution, true}}) {
    const auto sums = runningSums(e.terms, orderOf(e.terms, order));
    ASSERT_EQ(sums.size(), 513U);
    EXPECT_NEAR(sums.back(), e.sum, 1e-13);
  }
}

TEST(Terms, OfASoftmaxAreItsExponentials) {
  AppDriver ui(presetDocument("by-hand"), 1600, 1000, termsOf(StepId::softmax));
  const Explanation e = explainCell(ui.trace(), {TensorId::weights, 0, 0, 0, 0});
  const auto shown = rows(ui);
  ASSERT_EQ(shown.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const Term& t = e.terms[i];
    const std::string key = ui.document().input->tokens[0][i];
    EXPECT_EQ(withoutSpaces(shown[i]),
              withoutSpaces(std::to_string(i) + key + number(t.leftValue, 5) +
                            number(t.leftValue - t.rightValue, 5) + number(t.product, 5) +
                            number(t.product / e.sum, 5)));
  }
  EXPECT_TRUE(ui.shows("maximum " + number(e.terms[0].rightValue, 5), "flow"));
  EXPECT_TRUE(ui.shows("Σ exp = " + number(e.sum, 5), "flow"));
  EXPECT_TRUE(ui.shows("/ " + number(e.sum, 5) + " = " + number(e.value, 5), "flow"));
}

TEST(Terms, SayWhyAKeyIsMaskedAndWhatDropoutDid) {
  AppDriver ui(presetDocument("by-hand"), 1600, 1000, termsOf(StepId::mask));
  ui.click("causal", "top bar");
  ui.view().selection.cell = CellRef{TensorId::maskedScores, 0, 0, 0, 2};
  ui.settle();
  EXPECT_TRUE(ui.shows("causal: key 2 comes after query 0", "flow"));
  EXPECT_TRUE(ui.shows("is not used: −∞ replaces it", "flow"));
  ui.view().selection.cell = CellRef{TensorId::weights, 0, 0, 0, 2};
  ui.settle();
  EXPECT_TRUE(ui.shows("weight 0: causal: key 2 comes after query 0", "flow"));

  const DocumentPtr dropped =
      apply(*presetDocument("by-hand"), SetDropout{{0.5, 3}}, kTestBudget).document;
  ui.restart(dropped, termsOf(StepId::softmax));
  std::set<double> factors;
  for (Index row = 0; row < 3; ++row) {
    const CellRef cell{TensorId::weights, 0, 0, row, 0};
    const Explanation e = explainCell(ui.trace(), cell);
    ui.view().selection.cell = cell;
    ui.settle();
    EXPECT_TRUE(ui.shows(
        e.factor == 0.0 ? "dropped: 0 in its place" : "kept by dropout: × 1/(1 − 0.5)", "flow"));
    EXPECT_TRUE(ui.shows("× " + number(e.factor, 5) + " = " + number(e.value, 5), "flow"));
    factors.insert(e.factor);
  }
  EXPECT_EQ(factors, (std::set<double>{0.0, 2.0}));  // the seed shows both
}

TEST(Terms, OfAPinnedCellAreThoseOfTheComputedValue) {
  const CellRef cell{TensorId::rawScores, 0, 0, 1, 2};
  AppDriver plain(presetDocument("by-hand"));
  const float computed = plain.trace().value(cell);
  const DocumentPtr pinned =
      apply(*presetDocument("by-hand"), SetPin{{cell, 55.0F}}, kTestBudget).document;
  ViewState view = termsOf(StepId::score);
  view.selection.cell = cell;
  AppDriver ui(pinned, 1600, 1000, view);
  const std::string words = "pinned at 55, computed " + number(computed, 7);
  EXPECT_TRUE(ui.shows(words, "flow"));
  EXPECT_TRUE(ui.shows("= 55, pinned · computed: ", "stage"));
  EXPECT_EQ(rows(ui).size(), 4U);
}

TEST(Terms, AnOperandSaysWhereItComesFrom) {
  ViewState view = termsOf(StepId::project);
  view.selection.cell = CellRef{TensorId::x, 0, -1, 2, 1};
  AppDriver ui(presetDocument("original-transformer"), 1600, 1000, view);
  EXPECT_TRUE(
      ui.shows("token 2 'sat', coordinate 1: " + ui.document().input->coordinates[1], "flow"));
  EXPECT_TRUE(ui.shows("Its arithmetic ends here", "flow"));
  EXPECT_FALSE(ui.shows("along the largest term", "flow"));
  view.selection.cell = CellRef{TensorId::wQ, -1, -1, 3, 17};
  ui.restart(presetDocument("original-transformer"), view);
  EXPECT_TRUE(ui.shows("W^Q[17, 3]", "flow"));
  EXPECT_TRUE(ui.shows("drawn: xavier, seed 1", "flow"));
}

TEST(Terms, LeadBackToXAndTheTrailLeadsForth) {
  ViewState view = termsOf(StepId::output);
  view.selection.cell = CellRef{TensorId::output, 0, -1, 2, 5};
  AppDriver ui(presetDocument("original-transformer"), 1600, 1000, view);
  std::vector<CellRef> trail{*ui.view().selection.cell};
  while (isResult(trail.back().tensor)) {
    const bool weight = trail.back().tensor == TensorId::weights;
    const std::size_t terms = explainCell(ui.trace(), trail.back()).terms.size();
    ui.click(weight      ? "← along its own score"
             : terms > 1 ? "← along the largest term"
                         : "← to its source",
             "flow");
    ASSERT_NE(ui.view().selection.cell, trail.back());
    trail.push_back(*ui.view().selection.cell);
    ASSERT_LT(trail.size(), 12U);
    EXPECT_EQ(ui.view().selection.trail, trail);
    EXPECT_TRUE(ui.shows(cellName(ui.trace(), trail[trail.size() - 2]), "flow"));
  }
  EXPECT_EQ(trail.back().tensor, TensorId::x);
  EXPECT_EQ(ui.view().selection.step, StepId::project);
  ui.press(Key::backspace);
  EXPECT_EQ(ui.view().selection.cell, trail[trail.size() - 2]);
  ui.click(cellName(ui.trace(), trail[2]), "flow");
  EXPECT_EQ(ui.view().selection.cell, trail[2]);
  EXPECT_EQ(ui.view().selection.trail.size(), 3U);
  EXPECT_EQ(ui.view().selection.step, StepId::weigh);
}

TEST(Terms, AnyOperandCanBeFollowedAndLightsUp) {
  AppDriver ui(presetDocument("by-hand"), 1600, 1000, termsOf(StepId::weigh));
  const Explanation e = explainCell(ui.trace(), {TensorId::heads, 0, 0, 0, 0});
  const std::string right = rightName(ui.trace(), e.terms[1]);
  ui.hover(ui.at(right, "/terms"));
  EXPECT_EQ(ui.view().frame.pointed, e.terms[1].cells);
  ui.click(right, "/terms");
  EXPECT_EQ(ui.view().selection.cell, e.terms[1].cells[1]);
  EXPECT_EQ(ui.view().selection.step, StepId::split);
  EXPECT_EQ(ui.view().selection.part, TensorId::v);
  ui.hover({1, 1});
  EXPECT_TRUE(ui.view().frame.pointed.empty());
}

TEST(Terms, TheStripOpensThem) {
  AppDriver ui;
  ui.clickAt(cellAt(ui.heatmaps("stage")[2], 6, 6, 2, 1));
  const Explanation e = explainCell(ui.trace(), *ui.view().selection.cell);
  const Arithmetic a = arithmetic(ui.trace(), e, 1, true);
  EXPECT_EQ(a.sum.rfind(R"(= Σ_j q["sat", j]·k["cat", j] = )", 0), 0U) << a.sum;
  EXPECT_TRUE(ui.shows(R"(S["sat", "cat"]= Σ_j q["sat", j]·k["cat", j] = )", "stage"));
  EXPECT_TRUE(ui.shows("smaller terms = " + number(e.value, 5), "stage"));
  ui.click("all 64 terms", "stage");
  EXPECT_EQ(ui.view().selection.tool, kTermsTool);
}

TEST(Terms, TheStripSaysWhichColumnsAHeadHas) {
  ViewState view;
  view.selection.step = StepId::concat;
  view.selection.cell = CellRef{TensorId::concat, 0, -1, 2, 321};
  view.selection.head = 5;
  AppDriver ui(presetDocument("original-transformer"), 1600, 1000, view);
  EXPECT_TRUE(ui.shows(R"(C["sat", 321]= heads["sat", 1] = )", "stage"));
  EXPECT_TRUE(ui.shows("column 1 of head 6, which has columns 320 to 383", "stage"));
}

/// Only the visible rows are drawn, for any number of rows.
TEST(Terms, FourThousandAreDrawnByTheScreenful) {
  AppDriver ui(textDocument("one two", 4096, 32), 1600, 1000, termsOf(StepId::output));
  const Explanation e = explainCell(ui.trace(), {TensorId::output, 0, -1, 0, 0});
  ASSERT_EQ(e.terms.size(), 4097U);
  const auto box = ui.window("/terms");
  ASSERT_TRUE(box);
  const auto seen = rows(ui);
  const auto fit = static_cast<std::size_t>((box->y1 - box->y0) / 15.0F);
  EXPECT_GT(seen.size(), 5U);
  EXPECT_LE(seen.size(), fit);
  ui.hover(middle(*box));
  for (int i = 0; i < 8; ++i) {
    ui.host().wheel(-1000.0F);
    ui.settle();
  }
  const auto last = rows(ui);
  ASSERT_FALSE(last.empty());
  EXPECT_EQ(withoutSpaces(last.back()), sumRow(ui.trace(), e, 4096, e.sum));  // the bias
  EXPECT_LE(last.size(), fit);
}

/// A small window still shows whose number it is, the first rows, and their sum.
TEST(Terms, StayReadableInASmallWindow) {
  AppDriver ui(presetDocument("original-transformer"), 1280, 720, termsOf(StepId::softmax));
  EXPECT_GE(rows(ui).size(), 2U);
  EXPECT_TRUE(ui.shows("maximum", "flow"));
  EXPECT_TRUE(ui.shows("the engine's value", "flow"));
}

}  // namespace
}  // namespace headscope::ui
