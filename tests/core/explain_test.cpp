// A cell's arithmetic: its terms lead to its value, for every step and tensor over all cases.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention/steps/step.h"
#include "core/attention/switches.h"
#include "tests/core/support/cases.h"
#include "tests/core/support/reference.h"

namespace headscope::test {
namespace {

class Explain : public testing::TestWithParam<Case> {
 protected:
  DocumentPtr document_ = randomDocument(GetParam().config);
  TracePtr trace_ = runAttention(document_);

  const AttentionConfig& config() const { return document_->config; }

  /// The cells at the corners and in the middle of a tensor, for the first, a middle and the last
  /// item and head.
  std::vector<CellRef> cellsOf(TensorId id) const {
    const TensorInfo& t = info(id);
    const Shape shape = shapeOf(id, config());
    const auto picks = [](bool has, Index count) {
      std::vector<Index> indices;
      if (!has) return std::vector<Index>{-1};
      for (const Index i : {Index{0}, count / 2, count - 1}) {
        if (indices.empty() || indices.back() != i) indices.push_back(i);
      }
      return indices;
    };
    std::vector<CellRef> cells;
    for (const Index item : picks(t.perItem, config().batch)) {
      for (const Index head : picks(t.perHead, shape[1])) {
        for (const Index row : picks(true, shape[shape.size() - 2])) {
          for (const Index col : picks(true, shape.back())) {
            cells.push_back({id, item, head, row, col});
          }
        }
      }
    }
    return cells;
  }

  /// The sum of an explanation's terms, recomputed from their numbers.
  static double sumOf(const Explanation& e) {
    double sum = 0.0;
    for (const Term& term : e.terms) {
      const bool exponential = e.cell.tensor == TensorId::weights;
      sum += exponential ? std::exp(term.leftValue - term.rightValue)
                         : term.leftValue * term.rightValue;
    }
    return sum;
  }

  /// The value that the arithmetic of an explanation yields.
  static double resultOf(const Explanation& e, const AttentionConfig& c) {
    if (e.cell.tensor == TensorId::weights) {
      for (const Term& term : e.terms) {
        if (term.cells.front().col == e.cell.col) return term.product / e.sum;
      }
      return 0.0;
    }
    if (e.cell.tensor == TensorId::maskedScores &&
        !mayAttend(c, e.cell.item, e.cell.row, e.cell.col)) {
      return -std::numeric_limits<double>::infinity();
    }
    return sumOf(e);
  }

  void expectTermsAreReal(const Explanation& e) const {
    for (const Term& term : e.terms) {
      ASSERT_FALSE(term.cells.empty()) << toString(e.cell);
      for (const CellRef& cell : term.cells) {
        ASSERT_TRUE(exists(cell, config())) << toString(cell);
      }
      const double gain =
          e.cell.tensor == TensorId::heads ? static_cast<double>(config().gain(e.cell.head)) : 1.0;
      EXPECT_NE(term.left.find(toString(term.cells[0])), std::string::npos) << term.left;
      EXPECT_DOUBLE_EQ(term.leftValue, gain * static_cast<double>(trace_->value(term.cells[0])));
      if (term.cells.size() == 2) {
        EXPECT_EQ(term.right, toString(term.cells[1]));
        EXPECT_EQ(term.rightValue, static_cast<double>(trace_->value(term.cells[1])));
      }
    }
  }

  std::size_t termCount(TensorId id, const CellRef& cell) const {
    const AttentionConfig& c = config();
    const std::size_t bias = c.switches->bias ? 1 : 0;
    const auto n = [](Index count) { return static_cast<std::size_t>(count); };
    switch (id) {
      case TensorId::qProj:
        return n(c.dModel) + bias;
      case TensorId::kProj:
      case TensorId::vProj:
        return n(c.kvWidth()) + bias;
      case TensorId::rawScores:
        return n(c.dK());
      case TensorId::weights: {
        std::size_t allowed = 0;
        for (Index j = 0; j < c.keys(); ++j)
          allowed += mayAttend(c, cell.item, cell.row, j) ? 1 : 0;
        return allowed;
      }
      case TensorId::heads:
        return n(c.keys());
      case TensorId::output:
        return n(c.numHeads * c.dK()) + bias;
      default:
        return 1;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, Explain, testing::ValuesIn(allCases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(Explain, EveryTensorOfEveryStep) {
  for (const Step* step : stepsOf({})) {
    for (const TensorId id : step->outputs()) {
      EXPECT_EQ(&producerOf(id), step);
      const double allowed = 1e-5 * std::max(1e-30, largest(trace_->materialise(id).values()));
      for (const CellRef& cell : cellsOf(id)) {
        SCOPED_TRACE(toString(cell));
        const Explanation e = step->explain(*trace_, cell);
        EXPECT_EQ(e.cell, cell);
        EXPECT_EQ(e.value, static_cast<double>(trace_->value(cell)));
        EXPECT_FALSE(e.rule.empty());
        EXPECT_EQ(e.terms.size(), termCount(id, cell));
        expectTermsAreReal(e);
        const double result = resultOf(e, config());
        if (std::isinf(result)) {
          EXPECT_EQ(e.value, result);
          EXPECT_EQ(e.sum, result);
          continue;
        }
        EXPECT_NEAR(e.value, result, allowed);
        EXPECT_NEAR(e.sum, sumOf(e), 1e-12 * std::max(1.0, std::abs(e.sum)));
      }
    }
  }
}

TEST_P(Explain, EachForbiddenKeyHasItsReason) {
  const AttentionConfig& c = config();
  for (const CellRef& cell : cellsOf(TensorId::maskedScores)) {
    const bool allowed = mayAttend(c, cell.item, cell.row, cell.col);
    const std::string reason = whyForbidden(c.mask, cell.item, cell.row, cell.col);
    EXPECT_EQ(reason.empty(), allowed);
    const std::string maskRule = step(StepId::mask).explain(*trace_, cell).rule;
    if (!allowed) {
      EXPECT_NE(maskRule.find(reason), std::string::npos) << maskRule;
    }
    CellRef weight = cell;
    weight.tensor = TensorId::weights;
    const std::string rule = step(StepId::softmax).explain(*trace_, weight).rule;
    if (fullyMasked(c, cell.item, cell.row)) {
      EXPECT_NE(rule.find("every key of this row is masked"), std::string::npos) << rule;
    } else if (!allowed) {
      EXPECT_NE(rule.find(reason), std::string::npos) << rule;
    }
  }
}

/// The bias is the last term, times "1".
TEST(ExplainWords, BiasComesLast) {
  const TracePtr trace = runAttention(randomDocument(sized(8, 2, 3)));
  const Explanation e = step(StepId::project).explain(*trace, {TensorId::kProj, 0, -1, 2, 5});
  EXPECT_EQ(e.terms.front().left, "x[0, 2, 0]");
  EXPECT_EQ(e.terms.front().right, "W_K[5, 0]");
  EXPECT_EQ(e.terms.back().left, "b_K[5]");
  EXPECT_EQ(e.terms.back().right, "1");
  EXPECT_EQ(e.terms.back().rightValue, 1.0);
}

TEST(ExplainWords, MemoryIsNamedInCrossAttention) {
  const TracePtr trace =
      runAttention(randomDocument(with(sized(8, 2, 3), [](auto& c) { c.memoryLen = 4; })));
  const auto left = [&](TensorId id) {
    return step(StepId::project).explain(*trace, {id, 0, -1, 0, 0}).terms.front().left;
  };
  EXPECT_EQ(left(TensorId::qProj), "x[0, 0, 0]");
  EXPECT_EQ(left(TensorId::kProj), "memory[0, 0, 0]");
  EXPECT_EQ(left(TensorId::vProj), "memory[0, 0, 0]");
}

TEST(ExplainWords, GroupedHeadsReadTheirOwnKeyHead) {
  const TracePtr trace = runAttention(randomDocument(sized(24, 6, 4, 2)));
  const auto right = [&](StepId id, TensorId tensor, Index head) {
    return step(id).explain(*trace, {tensor, 0, head, 1, 2}).terms.front().right;
  };
  EXPECT_EQ(right(StepId::score, TensorId::rawScores, 2), "k[0, 0, 2, 0]");
  EXPECT_EQ(right(StepId::score, TensorId::rawScores, 3), "k[0, 1, 2, 0]");
  EXPECT_EQ(right(StepId::weigh, TensorId::heads, 5), "v[0, 1, 0, 2]");
}

TEST(ExplainWords, ScaleNamesItsFactor) {
  const auto right = [](AttentionConfig c) {
    return step(StepId::scale)
        .explain(*runAttention(randomDocument(c)), {TensorId::scores, 0, 0, 0, 0})
        .terms.front()
        .right;
  };
  EXPECT_EQ(right(sized(8, 2, 3)), "1/√4");
  EXPECT_EQ(right(with(sized(8, 2, 3), [](auto& c) { c.switches->temperature = 2.0; })),
            "1/√4 / 2");
  EXPECT_EQ(right(with(sized(8, 2, 3), [](auto& c) { c.switches->scale = false; })), "1");
}

}  // namespace
}  // namespace headscope::test
