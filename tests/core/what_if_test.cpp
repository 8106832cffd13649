// Pins, common mistakes and dropout: every tensor against double precision, every cell's arithmetic
// against it too, and only the steps run that a change concerns.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention/dropped_cells.h"
#include "core/attention/mistakes.h"
#include "core/attention/switches.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/reference.h"
#include "tests/core/support/sanitized.h"

namespace headscope::test {
namespace {

/// Every case of both lists, with and without pins.
struct WhatIf {
  std::string name;
  AttentionConfig config;
  bool pinned;
};

std::ostream& operator<<(std::ostream& out, const WhatIf& w) { return out << w.name; }

std::vector<WhatIf> everyWhatIf() {
  std::vector<WhatIf> all;
  for (const Case& c : whatIfCases()) all.push_back({c.name, c.config, false});
  for (const Case& c : whatIfCases()) all.push_back({c.name + "Pinned", c.config, true});
  for (const Case& c : allCases()) all.push_back({c.name + "Pinned", c.config, true});
  for (const Case& c : switchCases()) all.push_back({c.name, c.config, false});
  for (const Case& c : switchCases()) all.push_back({c.name + "Pinned", c.config, true});
  return all;
}

class WhatIfCase : public testing::TestWithParam<WhatIf> {
 protected:
  DocumentPtr document_ = GetParam().pinned ? withPins(randomDocument(GetParam().config))
                                            : randomDocument(GetParam().config);
  TracePtr trace_ = runAttention(document_);
};

INSTANTIATE_TEST_SUITE_P(All, WhatIfCase, testing::ValuesIn(everyWhatIf()),
                         [](const auto& test) { return test.param.name; });

TEST_P(WhatIfCase, EveryTensorAgreesWithDoublePrecision) {
  const Reference reference = referencePass(*document_);
  ASSERT_EQ(reference.size(), resultsOf(document_->config).size());
  for (const auto& [id, expected] : reference) {
    expectClose(trace_->materialise(id), expected, std::string(info(id).name));
  }
}

TEST_P(WhatIfCase, ThreadsAndARepeatedRunChangeNothing) {
  expectSameBits(*trace_, *runAttention(document_));
  const TracePtr three = runAttention(document_, nullptr, {3, nullptr, nullptr});
  for (const TensorId id : resultsOf(document_->config)) {
    expectClose(three->materialise(id), trace_->materialise(id).values(),
                std::string(info(id).name), 2e-6);
  }
}

/// Edits lead from the document without pins and mistakes to this one and back. Steps that are not
/// run again must not be affected.
TEST_P(WhatIfCase, GoingThereFromTheRightWayAndBackGivesTheBitsOfAWholePass) {
  const DocumentPtr plain = changed(document_, [](Document& d) {
    d.config = withoutMistakes(d.config);
    d.config.dropout = {};
    d.pins = {};
  });
  const TracePtr before = runAttention(plain);
  const TracePtr there = runAttention(document_, before);
  expectSameBits(*there, *trace_);
  expectSameBits(*runAttention(plain, there), *before);
}

INSTANTIATE_TEST_SUITE_P(RightWay, WhatIfCase, testing::ValuesIn([] {
                           std::vector<WhatIf> all;
                           for (const Case& c : allCases()) {
                             all.push_back({c.name, c.config, false});
                           }
                           return all;
                         }()),
                         [](const auto& test) { return test.param.name; });

/// The result of a cell's arithmetic, computed from its terms alone.
double resultOf(const Explanation& e, const Trace& trace) {
  const AttentionConfig& c = trace.config();
  if (e.cell.tensor == TensorId::maskedScores && !c.mistakes.zeroForMasked &&
      !mayAttend(c, e.cell.item, e.cell.row, e.cell.col)) {
    return -std::numeric_limits<double>::infinity();
  }
  if (e.cell.tensor == TensorId::maskedScores &&
      !mayAttend(c, e.cell.item, e.cell.row, e.cell.col)) {
    return 0.0;
  }
  double sum = 0.0;
  double own = 0.0;
  const bool softmax = e.cell.tensor == TensorId::weights;
  for (const Term& term : e.terms) {
    const double product =
        softmax ? std::exp(term.leftValue - term.rightValue) : term.leftValue * term.rightValue;
    sum += product;
    if (!softmax || term.cells.empty()) continue;  // a sink has no cell
    if (term.cells.front().row == e.cell.row && term.cells.front().col == e.cell.col) own = product;
  }
  EXPECT_NEAR(e.sum, sum, 1e-12 * std::max(1.0, std::abs(sum)));
  if (e.cell.tensor == TensorId::scores && c.switches->scoreCap > 0.0) {
    return c.switches->scoreCap * std::tanh(sum / c.switches->scoreCap);
  }
  if (e.cell.tensor == TensorId::gate) return 1.0 / (1.0 + std::exp(-sum));
  if (!softmax) return sum;
  if (own == 0.0) return 0.0;
  if (!c.dropout.on()) return own / sum;
  const DroppedCells dropped(c);
  const bool gone = dropped(e.cell.item, e.cell.head, e.cell.row, e.cell.col);
  return gone ? 0.0 : own / sum / (1.0 - c.dropout.rate);
}

/// For every cell of every step and tensor, the stated value equals the engine's and the
/// double-precision one; the terms lead to it unless the cell is pinned.
TEST_P(WhatIfCase, EveryCellsArithmeticLeadsToTheDoublePrecisionValue) {
  const AttentionConfig& c = document_->config;
  for (const auto& [id, expected] : referencePass(*document_)) {
    const double allowed = 1e-5 * std::max(1e-30, largest(expected));
    const Shape shape = shapeOf(id, c);
    const TensorInfo& t = info(id);
    const Index cells = elementCount(shape);
    const Index kMost = kSanitized ? 301 : 3001;
    const Index stride = std::max<Index>(1, cells / kMost);  // all of them but for the largest
    for (Index n = 0; n < cells; n += stride) {
      CellRef cell{id, -1, -1, 0, 0};
      Index rest = n;
      cell.col = rest % shape.back();
      rest /= shape.back();
      cell.row = rest % shape[shape.size() - 2];
      rest /= shape[shape.size() - 2];
      if (t.perHead) {
        cell.head = rest % shape[1];
        rest /= shape[1];
      }
      cell.item = rest;
      const double want = expected[static_cast<std::size_t>(n)];
      const Explanation e = explainCell(*trace_, cell);
      ASSERT_EQ(e.value, static_cast<double>(trace_->value(cell))) << toString(cell);
      const auto pin = document_->pins.at(cell);
      ASSERT_EQ(e.pinned, pin.has_value()) << toString(cell);
      if (std::isinf(want)) {
        ASSERT_EQ(e.value, want) << toString(cell);
        ASSERT_EQ(resultOf(e, *trace_), want) << toString(cell);
        continue;
      }
      ASSERT_NEAR(e.value, want, allowed) << toString(cell);
      if (e.pinned) {
        ASSERT_EQ(e.value, static_cast<double>(*pin));
        ASSERT_NE(e.rule.find("pinned"), std::string::npos) << e.rule;
      } else {
        ASSERT_NEAR(resultOf(e, *trace_), want, allowed) << toString(cell) << ": " << e.rule;
      }
    }
  }
}

// Which steps run.

DocumentPtr small() { return randomDocument(sized(16, 4, 6)); }

std::vector<std::string> ran(const DocumentPtr& from, const Edit& edit) {
  return stepsThatRan(*runAttention(edited(from, edit), runAttention(from)));
}

using Steps = std::vector<std::string>;

TEST(Pins, OnlyWhatFollowsIsComputedAgain) {
  EXPECT_EQ(ran(small(), SetPin{{{TensorId::rawScores, 0, 1, 2, 3}, 4.0F}}),
            (Steps{"score", "scale", "mask", "softmax", "weigh", "concat", "output"}));
  EXPECT_EQ(ran(small(), SetPin{{{TensorId::scores, 0, 1, 2, 3}, 4.0F}}),
            (Steps{"scale", "mask", "softmax", "weigh", "concat", "output"}));
  EXPECT_EQ(ran(small(), SetPin{{{TensorId::weights, 0, 1, 2, 3}, 0.4F}}),
            (Steps{"softmax", "weigh", "concat", "output"}));
  EXPECT_EQ(ran(small(), SetPin{{{TensorId::heads, 0, 1, 2, 3}, 4.0F}}),
            (Steps{"weigh", "concat", "output"}));
  EXPECT_EQ(ran(small(), SetMistake{Mistake::softmaxOverQueries, true}),
            (Steps{"softmax", "weigh", "concat", "output"}));
  EXPECT_EQ(ran(small(), SetDropout{{0.5, 1}}), (Steps{"softmax", "weigh", "concat", "output"}));
}

TEST(Pins, ARowWithAPinnedScoreSumsToOneAgainAndAPinnedWeightStaysAsTyped) {
  const DocumentPtr score = edited(small(), SetPin{{{TensorId::rawScores, 0, 1, 2, 3}, 4.0F}});
  const DocumentPtr weight = edited(score, SetPin{{{TensorId::weights, 0, 1, 4, 0}, 0.75F}});
  const TracePtr plain = runAttention(small());
  const TracePtr trace = runAttention(weight);
  const auto sumOf = [](const Trace& t, Index row) {
    double sum = 0.0;
    for (Index j = 0; j < 6; ++j) sum += t.value({TensorId::weights, 0, 1, row, j});
    return sum;
  };
  EXPECT_NEAR(sumOf(*trace, 2), 1.0, 1e-6);
  EXPECT_GT(trace->value({TensorId::weights, 0, 1, 2, 3}),
            plain->value({TensorId::weights, 0, 1, 2, 3}));
  EXPECT_EQ(trace->value({TensorId::weights, 0, 1, 4, 0}), 0.75F);
  const double others = sumOf(*plain, 4) - plain->value({TensorId::weights, 0, 1, 4, 0});
  EXPECT_NEAR(sumOf(*trace, 4), others + 0.75, 1e-6);
}

TEST(Pins, AreOnePerCellInOrderAndGoOneByOneOrAll) {
  const CellRef late{TensorId::heads, 0, 3, 5, 1};
  const CellRef early{TensorId::rawScores, 0, 0, 0, 2};
  DocumentPtr d = edited(edited(small(), SetPin{{late, 1.0F}}), SetPin{{early, 2.0F}});
  d = edited(d, SetPin{{late, 3.0F}});
  EXPECT_EQ(d->pins.all(), (std::vector<Pin>{{early, 2.0F}, {late, 3.0F}}));
  EXPECT_EQ(d->pins.of(TensorId::heads, 0, 3, 5).size(), 1U);
  EXPECT_TRUE(d->pins.of(TensorId::heads, 0, 3, 4).empty());
  EXPECT_EQ(edited(d, RemovePin{early})->pins.all(), (std::vector<Pin>{{late, 3.0F}}));
  EXPECT_TRUE(edited(d, RemoveAllPins{})->pins.empty());
  expectRefused(d, RemovePin{{TensorId::heads, 0, 0, 0, 0}}, "", "heads[0, 0, 0, 0]", "not pinned");
}

TEST(Pins, WhatCannotBePinnedIsSaid) {
  const float infinite = std::numeric_limits<float>::infinity();
  expectRefused(small(), SetPin{{{TensorId::q, 0, 1, 2, 3}, 1.0F}}, "", "q[0, 1, 2, 3]", "weights");
  expectRefused(small(), SetPin{{{TensorId::weights, 0, 4, 2, 3}, 1.0F}}, "", "no such cell");
  expectRefused(small(), SetPin{{{TensorId::weights, 0, 1, 2, 3}, infinite}}, "", "∞");
  expectRefused(small(), SetPin{{{TensorId::weights, 0, 1, 2, 3}, std::nanf("")}}, "", "NaN");
}

TEST(Pins, ThoseOfCellsThatAreGoneGoWithANote) {
  const DocumentPtr two = fromTexts({"the cat sat on the mat"});
  const DocumentPtr pinned = edited(edited(two, SetPin{{{TensorId::weights, 0, 0, 5, 5}, 1.0F}}),
                                    SetPin{{{TensorId::weights, 0, 0, 1, 1}, 1.0F}});
  const EditResult shorter = applied(pinned, SetTokens{3});
  EXPECT_EQ(shorter.document->pins.all().size(), 1U);
  EXPECT_NE(shorter.note.find("1 pin of a cell that no longer exists was removed"),
            std::string::npos)
      << shorter.note;
}

// Mistakes and dropout.

TEST(MistakeTexts, EachCanBeSwitchedByItsIdAndIsFoundOn) {
  for (const MistakeText& text : allMistakes()) {
    EXPECT_EQ(mistakeFromString(text.id), text.mistake);
    EXPECT_EQ(&textOf(text.mistake), &text);
    const DocumentPtr on = edited(small(), SetMistake{text.mistake, true});
    EXPECT_EQ(mistakesOn(on->config), std::vector<Mistake>{text.mistake});
    EXPECT_NE(on->config, small()->config);
    EXPECT_EQ(withoutMistakes(on->config), small()->config);
    EXPECT_EQ(edited(on, SetMistake{text.mistake, false})->config, small()->config);
  }
  expectUserError([] { mistakeFromString("transpose"); }, "transpose", "reshape",
                  "softmax-queries");
}

TEST(MistakeTexts, StepsSayWhatIsReallyRun) {
  const AttentionConfig plain = sized(16, 4, 6);
  const auto line = [](StepId id, AttentionConfig c, Mistake m) {
    c.mask.causal = true;
    setMistake(c, m, true);
    return step(id).text(c).pytorchLine();
  };
  EXPECT_EQ(line(StepId::split, plain, Mistake::reshapeWithoutTranspose).find("transpose"),
            std::string::npos);
  EXPECT_NE(line(StepId::softmax, plain, Mistake::softmaxOverQueries).find("dim=-2"),
            std::string::npos);
  EXPECT_NE(line(StepId::mask, plain, Mistake::zeroForMasked).find("~allowed, 0)"),
            std::string::npos);
  EXPECT_NE(line(StepId::split, plain, Mistake::sharedHead).find("expand"), std::string::npos);
  EXPECT_EQ(line(StepId::scale, plain, Mistake::noScale).find("sqrt"), std::string::npos);
}

TEST(DropoutOfWeights, DropsItsShareAndRescalesTheRest) {
  AttentionConfig c = sized(16, 4, 64);
  const TracePtr plain = runAttention(randomDocument(c));
  c.dropout = {0.25, 3};
  const TracePtr trace = runAttention(randomDocument(c));
  const auto before = plain->tensor(TensorId::weights).values();
  const auto after = trace->tensor(TensorId::weights).values();
  std::size_t gone = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (after[i] == 0.0F) {
      ++gone;
    } else {
      ASSERT_FLOAT_EQ(after[i], before[i] / 0.75F);
    }
  }
  const double share = static_cast<double>(gone) / static_cast<double>(before.size());
  EXPECT_NEAR(share, 0.25, 0.015);  // 16,384 draws: more than four standard deviations
  c.dropout.seed = 4;
  EXPECT_FALSE(sameBits(runAttention(randomDocument(c))->tensor(TensorId::weights),
                        trace->tensor(TensorId::weights)));
  expectRefused(small(), SetDropout{{1.0, 1}}, "dropout", "below 1");
  expectRefused(small(), SetDropout{{std::nan(""), 1}}, "dropout", "at least 0");
}

}  // namespace
}  // namespace headscope::test
