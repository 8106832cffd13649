// Passes on numbers at the ends of float32, of every kind of configuration: against double
// precision, step by step where rounding decides the rest, and when edits lead there and back.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/head_metrics.h"
#include "core/analysis/sharpness.h"
#include "core/attention/steps/softmax_row.h"
#include "core/attention/steps/step.h"
#include "core/attention/switches.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/reference.h"
#include "tests/core/support/sanitized.h"

namespace headscope::test {
namespace {

constexpr float kDenormal = 1e-40F;

void scale(Tensor& tensor, float factor) {
  tensor = tensor.clone();
  for (Index n = 0; n < tensor.size(); ++n) tensor.mutableData()[n] *= factor;
}

void fill(Tensor& tensor, float value) {
  tensor = tensor.clone();
  std::fill_n(tensor.mutableData(), tensor.size(), value);
}

void changeInput(Document& d, const std::function<void(Tensor&)>& change) {
  Input input = *d.input;
  change(input.x);
  if (!input.memory.empty()) change(input.memory);
  d.input = std::make_shared<const Input>(std::move(input));
}

void forEachWeight(Document& d, std::initializer_list<Tensor Weights::*> weights, float factor) {
  for (Tensor Weights::*weight : weights) scale(d.weights.*weight, factor);
}

/// A change that makes a document extreme.
struct Extreme {
  std::string name;
  std::function<void(Document&)> make;
  bool conditioned = true;  // float32 holds what its weights depend on
};

std::vector<Extreme> extremes() {
  return {
      {"HugeInput",
       [](Document& d) {  // queries and keys of usual size
         changeInput(d, [](Tensor& x) { scale(x, 1e30F); });
         forEachWeight(d, {&Weights::wQ, &Weights::wK}, 1e-30F);
       }},
      {"HugeScores",
       [](Document& d) {
         changeInput(d, [](Tensor& x) { scale(x, 1e18F); });
         forEachWeight(d, {&Weights::wO}, 1e18F);
       },
       false},
      {"HugeOutputBias", [](Document& d) { fill(d.weights.bO, 1e30F); }},
      {"HugeBiases",
       [](Document& d) {
         fill(d.weights.bQ, 1e15F);
         fill(d.weights.bK, -1e15F);
         fill(d.weights.bV, 1e30F);
       },
       false},
      {"DenormalInput",
       [](Document& d) { changeInput(d, [](Tensor& x) { scale(x, kDenormal); }); }},
      {"AllDenormal",
       [](Document& d) {
         changeInput(d, [](Tensor& x) { scale(x, 1e-20F); });
         forEachWeight(d,
                       {&Weights::wQ, &Weights::wK, &Weights::wV, &Weights::wO, &Weights::bQ,
                        &Weights::bK, &Weights::bV, &Weights::bO},
                       1e-20F);
       }},
      {"AllEqual", [](Document& d) { changeInput(d, [](Tensor& x) { fill(x, 3.0F); }); }},
      {"AllZero",
       [](Document& d) {
         changeInput(d, [](Tensor& x) { fill(x, 0.0F); });
         forEachWeight(d, {&Weights::wQ, &Weights::wK, &Weights::wV, &Weights::wO}, 0.0F);
       }},
      {"AllMasked",
       [](Document& d) {
         const AttentionConfig& c = d.config;
         d.config.mask.painted =
             painted(c.seqLen, c.keys(),
                     std::vector<std::uint8_t>(static_cast<std::size_t>(c.seqLen * c.keys()), 0));
       }},
      {"Cold", [](Document& d) { d.config.switches->temperature = 1e-30; }, false},
      {"Hot", [](Document& d) { d.config.switches->temperature = 1e30; }},
      {"HotterThanFloats", [](Document& d) { d.config.switches->temperature = 1e300; }},
  };
}

struct ExtremeCase {
  std::string name;
  AttentionConfig config;
  Extreme extreme;
};

std::ostream& operator<<(std::ostream& out, const ExtremeCase& c) { return out << c.name; }

/// The cases that satisfy `wanted`.
std::vector<ExtremeCase> casesWhere(const std::function<bool(const ExtremeCase&)>& wanted) {
  std::vector<Case> configs = allCases();
  for (const Case& c : whatIfCases()) configs.push_back(c);
  std::vector<ExtremeCase> cases;
  for (const Extreme& extreme : extremes()) {
    for (const Case& c : configs) {
      ExtremeCase here{extreme.name + c.name, c.config, extreme};
      if (wanted(here)) cases.push_back(std::move(here));
    }
  }
  return cases;
}

std::vector<ExtremeCase> everyCase() {
  return casesWhere([](const ExtremeCase&) { return true; });
}

/// The cases in which float32 holds the numbers that the weights depend on.
std::vector<ExtremeCase> conditionedCases() {
  return casesWhere([](const ExtremeCase& c) { return c.extreme.conditioned; });
}

/// The cases in which a row of weights is the softmax of its scores and nothing else.
std::vector<ExtremeCase> plainSoftmaxCases() {
  return casesWhere([](const ExtremeCase& c) {
    return !c.config.mistakes.softmaxOverQueries && !c.config.dropout.on();
  });
}

class ExtremePass : public testing::TestWithParam<ExtremeCase> {
 protected:
  DocumentPtr document_ = changed(randomDocument(GetParam().config), GetParam().extreme.make);
  TracePtr trace_ = runAttention(document_);

  /// Calls function(cell) for every cell of a result, or for about kMost cells spread over a large
  /// one.
  const Index kMost = kSanitized ? 40 : 400;
  template <typename Function>
  void everyCell(TensorId id, Function function) const {
    const Shape shape = shapeOf(id, document_->config);
    const Index cells = elementCount(shape);
    for (Index n = 0; n < cells; n += 1 + cells / (kMost + 1)) {
      CellRef cell{id, 0, -1, 0, n % shape.back()};
      Index rest = n / shape.back();
      cell.row = rest % shape[shape.size() - 2];
      rest /= shape[shape.size() - 2];
      if (info(id).perHead) {
        cell.head = rest % shape[1];
        rest /= shape[1];
      }
      cell.item = rest;
      function(cell);
    }
  }
};

class ConditionedExtremePass : public ExtremePass {};
class ExtremeSoftmax : public ExtremePass {};

const auto nameOfCase = [](const auto& test) { return test.param.name; };
INSTANTIATE_TEST_SUITE_P(All, ExtremePass, testing::ValuesIn(everyCase()), nameOfCase);
INSTANTIATE_TEST_SUITE_P(All, ConditionedExtremePass, testing::ValuesIn(conditionedCases()),
                         nameOfCase);
INSTANTIATE_TEST_SUITE_P(All, ExtremeSoftmax, testing::ValuesIn(plainSoftmaxCases()), nameOfCase);

TEST_P(ExtremePass, EveryValueIsFiniteOrMasked) {
  for (std::size_t i = kFirstResult; i < kTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    for (const float value : trace_->materialise(id).values()) {
      const bool masked =
          id == TensorId::maskedScores && value == -std::numeric_limits<float>::infinity();
      ASSERT_TRUE(std::isfinite(value) || masked) << info(id).name << " holds " << value;
    }
  }
  const auto heads = headMetrics(*trace_, {});
  ASSERT_TRUE(heads);
  for (const HeadMetrics& head : *heads) {
    for (const MetricInfo& m : allMetrics()) {
      const MetricValue& measured = head[m.metric];
      ASSERT_TRUE(!measured.value ? !measured.why.empty() : std::isfinite(*measured.value));
    }
  }
}

/// Each step is checked on the engine's own values of the step before.
TEST_P(ExtremePass, EveryStepAgreesWithDoublePrecision) {
  for (std::size_t i = kFirstResult; i < kTensorCount; ++i) {
    everyCell(static_cast<TensorId>(i), [&](const CellRef& cell) {
      const Explanation e = explainCell(*trace_, cell);
      const double expected = e.computed();
      if (std::isinf(expected)) {
        ASSERT_EQ(e.value, expected) << toString(cell);
        return;
      }
      double terms = 1e-38;  // below it float32 has fewer digits
      if (cell.tensor == TensorId::weights) {
        terms = 1.0;
      } else {
        for (const Term& term : e.terms) terms += std::abs(term.product);
      }
      ASSERT_NEAR(e.value, expected, 1e-5 * terms) << toString(cell) << ": " << e.rule;
    });
    if (HasFatalFailure()) return;
  }
}

TEST_P(ConditionedExtremePass, AllOfItAgreesWithDoublePrecision) {
  for (const auto& [id, expected] : referencePass(*document_)) {
    const std::vector<float> values = trace_->materialise(id).values();
    ASSERT_EQ(values.size(), expected.size());
    const double allowed = 1e-5 * largest(expected) + 1e-43;
    for (std::size_t n = 0; n < values.size(); ++n) {
      if (std::isinf(expected[n])) {
        ASSERT_EQ(values[n], expected[n]) << info(id).name << ", value " << n;
      } else {
        ASSERT_NEAR(values[n], expected[n], allowed) << info(id).name << ", value " << n;
      }
    }
  }
}

TEST_P(ExtremeSoftmax, EveryProcessorGivesTheseWeights) {
  const AttentionConfig& c = document_->config;
  std::vector<float> row(static_cast<std::size_t>(c.keys()));
  for (Index item = 0; item < c.batch; ++item) {
    for (Index head = 0; head < c.numHeads; ++head) {
      for (Index query = 0; query < c.seqLen; ++query) {
        const AllowedKeys keys = softmaxKeys(c, item, query);
        if (!keys.any()) continue;
        for (const SoftmaxLoops loops : softmaxLoopsHere()) {
          trace_->tile(TensorId::rawScores, item, head, query, 1, 0, c.keys(), row.data());
          scoresForSoftmax(row, row, c, document_->pins, {item, head, query, 0});
          const MatrixView cells{row.data(), 1, c.keys(), c.keys()};
          loops(cells, 1.0F, cells, &keys);
          for (Index j = keys.begin; j < keys.end; ++j) {
            ASSERT_EQ(row[static_cast<std::size_t>(j)],
                      trace_->value({TensorId::weights, item, head, query, j}));
          }
        }
      }
    }
  }
}

// Weights at another temperature than the pass's.

TEST(RowWeightsOfExtremes, ScoresThatLeaveFloat32HaveTheirWeights) {
  AttentionConfig c = sized(4, 1, 3);
  c.switches->scale = false;
  const DocumentPtr document = documentOf(
      c, Tensor::fromValues({1, 3, 4}, std::vector<float>{1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0}), {},
      drawWeights(c, WeightInit::identity, 1));
  const TracePtr trace = runAttention(changed(document, [](Document& d) {
    scale(d.weights.wQ, 1e37F);
    scale(d.weights.wK, 3.0F);
  }));
  EXPECT_EQ(rowWeights(*trace, {0, 0, 2}, {false, 1.0}), (std::vector<float>{0.0F, 0.5F, 0.5F}));
  EXPECT_EQ(rowWeights(*trace, {0, 0, 2}, {false, 0.25}), (std::vector<float>{0.0F, 0.5F, 0.5F}));
  EXPECT_EQ(rowWeights(*trace, {0, 0, 2}, {false, 1e-39}), (std::vector<float>{0.0F, 0.5F, 0.5F}));
  const TracePtr pinned = runAttention(
      edited(edited(trace->documentPtr(), SetPin{{{TensorId::scores, 0, 0, 2, 1}, 1.0F}}),
             SetMask{{true, 0, {}, nullptr}}));
  EXPECT_EQ(rowWeights(*pinned, {0, 0, 2}, {false, 0.25}), (std::vector<float>{0.0F, 0.0F, 1.0F}));
  EXPECT_EQ(rowWeights(*pinned, {0, 0, 1}, {false, 0.25}), (std::vector<float>{0.0F, 1.0F, 0.0F}));
}

}  // namespace
}  // namespace headscope::test
