// Tracing back, over every operand: from an output cell down to the document's own values; and the
// cells of a step's matrices that light up for a cell.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/cells/cell_focus.h"
#include "app/ui/step_view/step_view_items.h"
#include "app/ui/view_state.h"
#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/document/document.h"
#include "core/editing/make_document.h"
#include "core/words/arithmetic.h"
#include "core/words/cells.h"
#include "tests/core/support/cases.h"

namespace headscope::ui {
namespace {

using test::randomDocument;
using test::sized;
using test::with;

/// The first and the last cell of each tensor in the terms: all kinds of operands, of all ends.
std::vector<CellRef> operandsOf(const Explanation& e) {
  std::map<TensorId, std::pair<CellRef, CellRef>> ends;
  for (const Term& term : e.terms) {
    for (const CellRef& cell : term.cells) {
      ends.try_emplace(cell.tensor, cell, cell).first->second.second = cell;
    }
  }
  std::vector<CellRef> cells;
  for (const auto& [tensor, firstAndLast] : ends) {
    cells.push_back(firstAndLast.first);
    cells.push_back(firstAndLast.second);
  }
  return cells;
}

/// Returns whether the matrices of the view's step contain the cell.
bool stepViewShows(const ViewState& view, const AttentionConfig& c, const CellRef& cell) {
  for (const StepViewItem& item : stepViewItems(view.selection.step, c, view)) {
    if (litCell(item, cell)) return true;
  }
  return false;
}

class TraceBackOf : public testing::TestWithParam<test::Case> {};

INSTANTIATE_TEST_SUITE_P(All, TraceBackOf, testing::ValuesIn(test::allCases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(TraceBackOf, EveryWayFromTheOutputEndsInTheDocumentAndIsShown) {
  const TracePtr trace = runAttention(randomDocument(GetParam().config));
  const AttentionConfig& c = trace->config();
  std::set<TensorId> reached;
  std::vector<CellRef> ways{{TensorId::output, c.batch - 1, -1, c.seqLen - 1, c.dModel - 1}};
  std::set<std::string> known;
  while (!ways.empty()) {
    const CellRef cell = ways.back();
    ways.pop_back();
    ASSERT_TRUE(exists(cell, c)) << toString(cell);
    if (!known.insert(toString(cell)).second) continue;
    reached.insert(cell.tensor);
    for (const StepViewScope scope : {StepViewScope::thisHead, StepViewScope::allHeads}) {
      ViewState view;
      view.selection.scope = scope;
      lookAt(view, c, cell);
      EXPECT_EQ(view.selection.cell, cell);
      if (cell.item >= 0) {
        EXPECT_EQ(view.selection.item, cell.item);
      }
      ASSERT_LT(view.selection.head, c.numHeads);
      // weights and biases are of no item, and of any head they are shown with
      ViewState shown = view;
      shown.selection.item = c.batch - 1;
      EXPECT_TRUE(stepViewShows(shown, c, cell)) << toString(cell);
    }
    if (!isResult(cell.tensor)) continue;
    for (const CellRef& operand : operandsOf(explainCell(*trace, cell))) ways.push_back(operand);
  }
  for (std::size_t i = 0; i < kTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    const bool bias = id >= TensorId::bQ && id <= TensorId::bO;
    const bool used = bias ? c.switches->bias : id != TensorId::memory || c.crossAttention();
    const bool scored = id == TensorId::wQ || id == TensorId::wK || id == TensorId::bQ ||
                        id == TensorId::bK || id == TensorId::x ||
                        (id >= TensorId::qProj && id <= TensorId::maskedScores);
    if (scored && !trace->fullyMaskedRows.empty()) continue;  // such a row has no softmax
    EXPECT_EQ(reached.count(id), used ? 1U : 0U) << info(id).name;
  }
}

TEST_P(TraceBackOf, TheMainLineLeadsBackToAnOperand) {
  const TracePtr trace = runAttention(randomDocument(GetParam().config));
  const AttentionConfig& c = trace->config();
  ViewState view;
  CellRef cell{TensorId::output, 0, -1, 0, 0};
  lookAt(view, c, cell);
  while (isResult(cell.tensor)) {
    const auto back = mainOperand(explainCell(*trace, cell));
    if (!back) break;  // a fully masked row
    traceBack(view, c, cell, *back);
    ASSERT_EQ(view.selection.cell, *back);
    ASSERT_EQ(view.selection.trail.back(), *back);
    cell = *back;
    ASSERT_LT(view.selection.trail.size(), 12U);
  }
  EXPECT_TRUE(!isResult(cell.tensor) || explainCell(*trace, cell).terms.empty());
  EXPECT_EQ(view.selection.trail.front().tensor, TensorId::output);
}

TEST(TraceBack, FollowsTheLargestTermAndAWeightItsOwnScore) {
  const TracePtr trace = runAttention(randomDocument(sized(16, 2, 4)));
  const Explanation score = explainCell(*trace, {TensorId::rawScores, 0, 1, 2, 3});
  double most = 0.0;
  for (const Term& term : score.terms) most = std::max(most, std::abs(term.product));
  const auto left = mainOperand(score);
  ASSERT_TRUE(left);
  EXPECT_EQ(left->tensor, TensorId::q);
  EXPECT_EQ(std::abs(score.terms[static_cast<std::size_t>(left->col)].product), most);
  EXPECT_EQ(mainOperand(explainCell(*trace, {TensorId::weights, 0, 1, 2, 3})),
            (CellRef{TensorId::maskedScores, 0, 1, 2, 3}));
}

TEST(TraceBack, ATrailIsReturnedAlong) {
  const AttentionConfig c = sized(16, 2, 4);
  const CellRef output{TensorId::output, 0, -1, 1, 5};
  const CellRef concat{TensorId::concat, 0, -1, 1, 9};
  const CellRef heads{TensorId::heads, 0, 1, 1, 1};
  ViewState view;
  lookAt(view, c, output);
  returnOne(view, c);
  EXPECT_EQ(view.selection.cell, output);  // nothing before it
  traceBack(view, c, output, concat);
  EXPECT_EQ(view.selection.step, StepId::concat);
  EXPECT_EQ(view.selection.head, 1);  // column 9 is the second head's
  traceBack(view, c, concat, heads);
  EXPECT_EQ(view.selection.step, StepId::weigh);
  EXPECT_EQ(view.selection.trail, (std::vector<CellRef>{output, concat, heads}));
  returnOne(view, c);
  EXPECT_EQ(view.selection.cell, concat);
  EXPECT_EQ(view.selection.step, StepId::concat);
  traceBack(view, c, concat, heads);
  returnTo(view, c, 0);
  EXPECT_EQ(view.selection.cell, output);
  EXPECT_EQ(view.selection.trail, std::vector<CellRef>{output});
  // another cell clicked starts a trail of its own
  view.selection.cell = heads;
  EXPECT_EQ(trailTo(view.selection, c, heads), std::vector<CellRef>{heads});
  // a trail whose cells no longer exist is dropped too
  traceBack(view, c, output, concat);
  EXPECT_EQ(trailTo(view.selection, sized(8, 2, 4), concat), std::vector<CellRef>{concat});
}

TEST(TraceBack, GroupedHeadsKeepTheQueryHeadThatReadsThem) {
  const AttentionConfig c = sized(24, 6, 4, 2);
  ViewState view;
  view.selection.head = 4;
  lookAt(view, c, {TensorId::k, 0, 1, 0, 0});
  EXPECT_EQ(view.selection.head, 4);  // heads 3 to 5 read key head 1
  EXPECT_EQ(view.selection.part, TensorId::k);
  lookAt(view, c, {TensorId::vProj, 0, -1, 0, 1});
  EXPECT_EQ(view.selection.head, 0);
  EXPECT_EQ(view.selection.part, TensorId::v);
}

// The cells that light up.

struct Lights {
  CellRef cell;
  std::vector<std::pair<TensorId, CellBlock>> blocks;
};

void expectLit(const DocumentPtr& document, const Lights& lights) {
  const TracePtr trace = runAttention(document);
  ViewState view;
  lookAt(view, trace->config(), lights.cell);
  const auto items = stepViewItems(view.selection.step, trace->config(), view);
  ASSERT_EQ(resultLookedAt(items, view.selection.step, view), lights.cell);
  const Explanation e = explainCell(*trace, lights.cell);
  std::vector<std::pair<TensorId, CellBlock>> found;
  for (const StepViewItem& item : items) {
    if (item.sign) continue;
    if (const auto block = litBlock(item, e)) found.emplace_back(item.ref.tensor, *block);
  }
  EXPECT_EQ(found, lights.blocks) << toString(lights.cell);
}

TEST(StepViewLit, OperandsOfEveryStep) {
  const DocumentPtr d = randomDocument(sized(8, 2, 3));  // two heads of 4
  using T = TensorId;
  // W is shown as X W: its columns are what it gives, here those of the second head
  expectLit(d, {{T::qProj, 0, -1, 1, 6},
                {{T::x, {1, 1, 0, 8}},
                 {T::wQ, {0, 8, 2, 1}},
                 {T::bQ, {0, 1, 2, 1}},
                 {T::qProj, {1, 1, 2, 1}}}});
  expectLit(d, {{T::k, 0, 1, 2, 3}, {{T::kProj, {2, 1, 7, 1}}, {T::k, {2, 1, 3, 1}}}});
  expectLit(d, {{T::rawScores, 0, 1, 2, 0},
                {{T::q, {2, 1, 0, 4}}, {T::k, {0, 4, 0, 1}}, {T::rawScores, {2, 1, 0, 1}}}});
  expectLit(d,
            {{T::scores, 0, 1, 2, 0}, {{T::rawScores, {2, 1, 0, 1}}, {T::scores, {2, 1, 0, 1}}}});
  expectLit(d, {{T::maskedScores, 0, 1, 2, 0},
                {{T::scores, {2, 1, 0, 1}},
                 {T::maskedScores, {2, 1, 0, 1}},  // the mask
                 {T::maskedScores, {2, 1, 0, 1}}}});
  expectLit(
      d, {{T::weights, 0, 1, 2, 0}, {{T::maskedScores, {2, 1, 0, 3}}, {T::weights, {2, 1, 0, 1}}}});
  expectLit(d, {{T::heads, 0, 1, 2, 3},
                {{T::weights, {2, 1, 0, 3}}, {T::v, {0, 3, 3, 1}}, {T::heads, {2, 1, 3, 1}}}});
  expectLit(d, {{T::concat, 0, -1, 2, 5}, {{T::heads, {2, 1, 1, 1}}, {T::concat, {2, 1, 5, 1}}}});
  expectLit(d, {{T::output, 0, -1, 2, 5},
                {{T::concat, {2, 1, 0, 8}},
                 {T::wO, {0, 8, 5, 1}},
                 {T::bO, {0, 1, 5, 1}},
                 {T::output, {2, 1, 5, 1}}}});
}

/// The lit cells follow a cell's arithmetic, which a mistake changes.
TEST(StepViewLit, MistakesMoveTheOperands) {
  using T = TensorId;
  expectLit(randomDocument(
                with(sized(8, 2, 3), [](auto& c) { c.mistakes.reshapeWithoutTranspose = true; })),
            {{T::q, 0, 0, 1, 3}, {{T::qProj, {0, 1, 7, 1}}, {T::q, {1, 1, 3, 1}}}});
  expectLit(
      randomDocument(with(sized(8, 2, 3), [](auto& c) { c.mistakes.softmaxOverQueries = true; })),
      {{T::weights, 0, 1, 2, 0}, {{T::maskedScores, {0, 3, 0, 1}}, {T::weights, {2, 1, 0, 1}}}});
}

TEST(Explanations, AreWorkedOutOncePerPassForTheLastTwoCells) {
  const TracePtr trace = runAttention(randomDocument(sized(8, 2, 3)));
  const CellRef a{TensorId::rawScores, 0, 0, 0, 0};
  const CellRef b{TensorId::rawScores, 0, 0, 1, 1};
  Explanations explanations;
  const Term* terms = explanations.of(*trace, a).terms.data();
  EXPECT_EQ(explanations.of(*trace, b).cell, b);
  EXPECT_EQ(explanations.of(*trace, a).terms.data(), terms);  // not computed again
  const TracePtr next = runAttention(randomDocument(sized(8, 2, 3), 2), trace);
  ASSERT_NE(next->pass(), trace->pass());
  EXPECT_EQ(explanations.of(*next, a).value, static_cast<double>(next->value(a)));
}

TEST(CellWords, OperandsSayWhereTheyComeFrom) {
  AttentionConfig config;
  config.dModel = 64;
  config.numHeads = config.numKvHeads = 4;
  const DocumentPtr d = makeDocument("", config, TextSource{{"The cat sat"}, {}}, Positions::named,
                                     WeightSource{WeightInit::xavier, 7, {}}, test::kBudget);
  const TracePtr trace = runAttention(d);
  const std::string x = originOf(*trace, {TensorId::x, 0, -1, 2, 1});
  EXPECT_NE(x.find("token 2 'sat'"), std::string::npos) << x;
  EXPECT_NE(x.find(d->input->coordinates[1]), std::string::npos) << x;
  EXPECT_EQ(originOf(*trace, {TensorId::wQ, -1, -1, 0, 0}), "drawn: xavier, seed 7");
  EXPECT_EQ(cellName(*trace, {TensorId::rawScores, 0, 1, 2, 1}), R"(S["sat", "cat"])");
  EXPECT_EQ(cellName(*trace, {TensorId::q, 0, 1, 2, 1}), R"(q["sat", 1])");
  EXPECT_EQ(formulaOf(*trace, explainCell(*trace, {TensorId::rawScores, 0, 1, 2, 1})),
            R"(Σ_j q["sat", j]·k["cat", j])");
  EXPECT_EQ(formulaOf(*trace, explainCell(*trace, {TensorId::output, 0, -1, 2, 9})),
            R"(Σ_j C["sat", j]·W^O[j, 9] + b_O[9])");
  EXPECT_EQ(formulaOf(*trace, explainCell(*trace, {TensorId::q, 0, 3, 2, 9})),
            R"(q_proj["sat", 57])");
  EXPECT_EQ(formulaOf(*trace, explainCell(*trace, {TensorId::scores, 0, 3, 2, 1})),
            R"(S["sat", "cat"]·1/√16)");
  const Explanation e = explainCell(*trace, {TensorId::q, 0, 3, 2, 9});
  EXPECT_EQ(remarkOn(*trace, e),
            "column 57 of q_proj is column 9 of head 4, which has columns 48 to 63");
}

}  // namespace
}  // namespace headscope::ui
