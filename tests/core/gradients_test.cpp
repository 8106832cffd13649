// Gradients: against PyTorch's of every golden case, against central differences in double of every
// case there is, and each cell against its own arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "core/attention/steps/step.h"
#include "core/attention/weight_tensors.h"
#include "core/document/trace_gradients.h"
#include "tests/core/support/cases.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/goldens.h"
#include "tests/core/support/reference.h"
#include "tests/core/support/sanitized.h"

namespace headscope::test {
namespace {

Tensor randomGradOutput(const AttentionConfig& c) {
  return randomTensor(shapeOf(TensorId::output, c), 20, "grad_output", 1.0F);
}

class GoldenGradients : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(GoldenGradients, AgreeWithPyTorch) {
  const SafetensorsFile file(golden(std::get<0>(GetParam())));
  const Golden golden = goldenOf(file);
  ExecutionContext execution;
  execution.threads = std::get<1>(GetParam());
  execution.flopsPerThread = 1;
  const Tensor gradOutput =
      golden.storedInputs
          ? file.read("grad_output")
          : generated(shapeOf(TensorId::output, golden.config), 100 * golden.seed + 20, 1.0);
  const GradientsPtr gradients =
      gradientsOf(runAttention(goldenDocument(file)), gradOutput, execution);
  const std::map<std::string, TensorId> names{{"x", TensorId::x},   {"memory", TensorId::memory},
                                              {"wq", TensorId::wQ}, {"wk", TensorId::wK},
                                              {"wv", TensorId::wV}, {"wo", TensorId::wO},
                                              {"bq", TensorId::bQ}, {"bk", TensorId::bK},
                                              {"bv", TensorId::bV}, {"bo", TensorId::bO}};
  int compared = 0;
  for (const auto& [name, id] : names) {
    const std::string stored = "expected.grad." + name;
    if (!file.has(stored)) continue;
    ++compared;
    if (id == TensorId::bK) {  // 0 but for rounding: a row's softmax does not see what is added
      EXPECT_LE(largest(gradients->tensor(id).values()),
                1e-5 * largest(gradients->tensor(TensorId::bQ).values()));
      continue;
    }
    expectClose(gradients->tensor(id), file.read(stored).values(), stored);
  }
  const AttentionConfig& c = golden.config;
  const int operands = (c.switches->bias ? 9 : 5) + (c.crossAttention() ? 1 : 0);
  EXPECT_EQ(compared, golden.storedInputs ? operands : 1);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenGradients,
                         testing::Combine(testing::ValuesIn(kGoldens), testing::Values(1, 2)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_threads_" +
                                  std::to_string(std::get<1>(test.param));
                         });

/// All cases with d_model up to 40: passes in double with plain loops are too slow for larger ones.
std::vector<Case> casesWithGradients() {
  std::vector<Case> cases = allCases();
  for (Case& each : whatIfCases()) cases.push_back(std::move(each));
  for (Case& each : turnedCases()) cases.push_back(std::move(each));
  for (Case& each : switchCases()) cases.push_back(std::move(each));
  std::erase_if(cases, [](const Case& each) { return each.config.dModel > 40; });
  return cases;
}

/// Σ output · grad_output, in double.
double sumOfOutput(const Document& document, const std::vector<float>& gradOutput) {
  const std::vector<double> output = referencePass(document).at(TensorId::output);
  double sum = 0.0;
  for (std::size_t i = 0; i < output.size(); ++i) {
    sum += output[i] * static_cast<double>(gradOutput[i]);
  }
  return sum;
}

class Gradient : public testing::TestWithParam<Case> {
 protected:
  const AttentionConfig& config() const { return GetParam().config; }
  Tensor gradOutput_ = randomGradOutput(GetParam().config);

  DocumentPtr document(bool pinned) const {
    const DocumentPtr plain = randomDocument(config());
    return pinned ? withPins(plain) : plain;
  }

  static Tensor operand(const Document& d, TensorId id) {
    return Trace(std::make_shared<const Document>(d)).tensor(id);
  }

  /// The sum for the document with one number of an operand changed by `by`.
  static double sumWith(const DocumentPtr& document, const CellRef& cell, double by,
                        const std::vector<float>& gradOutput, double* moved) {
    if (cell.tensor == TensorId::pairBias) {
      const double before = Trace(document).value(cell);
      const auto value = static_cast<float>(before + by);
      *moved = static_cast<double>(value) - before;
      return sumOfOutput(*edited(document, SetCell{cell, value}), gradOutput);
    }
    Tensor tensor = operand(*document, cell.tensor).clone();
    float& value = tensor.mutableMatrixOf(std::max<Index>(cell.item, 0), 0)(cell.row, cell.col);
    const double before = value;
    value = static_cast<float>(before + by);
    *moved = static_cast<double>(value) - before;
    Document d = *document;
    Input input = *d.input;
    if (cell.tensor == TensorId::x) input.x = tensor;
    if (cell.tensor == TensorId::memory) input.memory = tensor;
    for (const WeightTensor& w : kWeightTensors) {
      if (w.id == cell.tensor) d.weights.*w.tensor = tensor;
    }
    d.input = std::make_shared<const Input>(std::move(input));
    return sumOfOutput(d, gradOutput);
  }

  /// The output's sum for the document with the value of a pinned cell changed by `by`.
  static double sumPinned(const DocumentPtr& document, const CellRef& cell, double by,
                          const std::vector<float>& gradOutput, double* moved) {
    const double before = *document->pins.at(cell);
    const auto value = static_cast<float>(before + by);
    *moved = static_cast<double>(value) - before;
    return sumOfOutput(*changed(document,
                                [&](Document& d) {
                                  d.pins = d.pins.with({cell, value});
                                }),
                       gradOutput);
  }

  /// The central difference extrapolated from steps h and 2h, which cancels the error of second
  /// order.
  template <typename Sum>
  static double derivative(Sum sumMovedBy) {
    constexpr double kStep = 1.0 / 128.0;
    const auto slope = [&](double step) {
      double up = 0.0, down = 0.0;
      const double above = sumMovedBy(step, &up);
      const double below = sumMovedBy(-step, &down);
      return (above - below) / (up - down);
    };
    return (4.0 * slope(kStep) - slope(2.0 * kStep)) / 3.0;
  }

  /// Some cells of an operand, its first included.
  std::vector<CellRef> cellsOf(TensorId id) const {
    const Index kCells = kSanitized ? 1 : 4;
    const Shape shape = shapeOf(id, config());
    const bool perItem = info(id).perItem;
    const Index rows = shape.size() > 1 ? shape[shape.size() - 2] : 1;
    std::vector<CellRef> cells;
    for (Index n = 0; n < kCells; ++n) {
      const Index head = info(id).perHead ? n % config().numHeads : -1;
      const CellRef cell{id, perItem ? n % config().batch : -1, head, (n * 5 + n / 2) % rows,
                         (n * 7) % shape.back()};
      if (std::find(cells.begin(), cells.end(), cell) == cells.end()) cells.push_back(cell);
    }
    return cells;
  }

  void expectDerivatives(const DocumentPtr& document) const {
    const std::vector<float> gradOutput = gradOutput_.values();
    const GradientsPtr gradients = gradientsOf(runAttention(document), gradOutput_);
    // rounding is relative to what goes into a sum, which may cancel
    const double most = std::max({largest(gradients->tensor(TensorId::x).values()),
                                  largest(gradients->tensor(TensorId::wV).values()),
                                  largest(gradients->tensor(TensorId::wO).values())});
    const auto expectDerivative = [&](CellRef cell, double expected) {
      cell.gradient = true;
      EXPECT_NEAR(gradients->value(cell), expected, 2e-5 * most) << toString(cell);
    };
    for (std::size_t i = 0; i < kEveryTensorCount; ++i) {
      const auto id = static_cast<TensorId>(i);
      if (isResult(id) || !has(config(), id)) continue;
      if (!config().switches->bias && isBias(id)) {
        EXPECT_TRUE(gradients->tensor(id).empty());
        continue;
      }
      for (const CellRef& cell : cellsOf(id)) {
        expectDerivative(cell, derivative([&](double by, double* moved) {
                           return sumWith(document, cell, by, gradOutput, moved);
                         }));
      }
    }
    for (const Pin& pin : document->pins.all()) {
      expectDerivative(pin.cell, derivative([&](double by, double* moved) {
                         return sumPinned(document, pin.cell, by, gradOutput, moved);
                       }));
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, Gradient, testing::ValuesIn(casesWithGradients()),
                         [](const auto& test) { return test.param.name; });

TEST_P(Gradient, IsTheDerivative) { expectDerivatives(document(false)); }

TEST_P(Gradient, StopsAtPinnedCells) { expectDerivatives(document(true)); }

void expectSameBits(const Gradients& a, const Gradients& b) {
  for (std::size_t i = 0; i < kEveryTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    EXPECT_TRUE(!has(a.config(), id) || sameBits(a.materialise(id), b.materialise(id)))
        << info(id).name;
  }
}

TEST_P(Gradient, HasTheSameBitsOnEveryNumberOfThreads) {
  const TracePtr trace = runAttention(document(true));
  ExecutionContext one, three;
  one.threads = 1;
  three.threads = 3;
  three.flopsPerThread = 1;
  expectSameBits(*gradientsOf(trace, gradOutput_, one), *gradientsOf(trace, gradOutput_, three));
}

TEST_P(Gradient, OfEachCellIsExplained) {
  const TracePtr trace = runAttention(document(true));
  const GradientsPtr gradients = gradientsOf(trace, gradOutput_);
  for (std::size_t i = 0; i < kEveryTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    if (!has(config(), id) || (!config().switches->bias && isBias(id))) continue;
    const TensorInfo& t = info(id);
    const Shape shape = shapeOf(id, config());
    ASSERT_EQ(gradients->materialise(id).shape(), shape) << t.name;
    const Index rows = t.rows == Axis::none ? 1 : shape[shape.size() - 2];
    for (Index n = 0; n < 5; ++n) {
      const CellRef cell{id,
                         t.perItem ? n % config().batch : -1,
                         t.perHead ? (n * 3 + 1) % headCount(id, config()) : -1,
                         n * 5 % rows,
                         n * 7 % shape.back(),
                         -1,
                         true};
      const Explanation e = explainGradientCell(*gradients, cell);
      EXPECT_EQ(e.cell, cell);
      EXPECT_EQ(e.value, static_cast<double>(gradients->value(cell)));
      EXPECT_FALSE(e.rule.empty());
      if (id == TensorId::output) {
        EXPECT_TRUE(e.terms.empty());
        continue;
      }
      double sum = 0.0, size = 1e-3;
      for (const Term& term : e.terms) {
        EXPECT_NEAR(term.product, term.leftValue * term.rightValue, 1e-12) << toString(cell);
        for (const CellRef& from : term.cells) EXPECT_TRUE(exists(from, config()));
        sum += term.product;
        size += std::abs(term.product);
      }
      EXPECT_NEAR(e.sum, sum, 1e-9 * size);
      const double scale = e.ending == ExplanationForm::difference ? std::abs(e.factor) + 1.0 : 1.0;
      EXPECT_NEAR(e.computed(), e.value, 1e-5 * size * scale) << toString(cell);
    }
  }
}

TEST(Gradients, OfARowWithoutKeysAreZero) {
  AttentionConfig c = sized(8, 2, 3);
  c.mask.painted = painted(3, 3, {1, 1, 0, 0, 0, 0, 1, 1, 1});
  const GradientsPtr gradients = gradientsOf(runAttention(randomDocument(c)), randomGradOutput(c));
  for (const TensorId id : {TensorId::maskedScores, TensorId::scores, TensorId::rawScores}) {
    const Tensor whole = gradients->materialise(id);
    for (Index h = 0; h < 2; ++h) {
      for (Index j = 0; j < 3; ++j) EXPECT_EQ(whole.at({0, h, 1, j}), 0.0F);
      EXPECT_NE(whole.at({0, h, 0, 0}), 0.0F);
    }
  }
}

TEST(Gradients, RefuseAnotherShapeAndAnOverflow) {
  const AttentionConfig c = sized(8, 2, 3);
  const TracePtr trace = runAttention(randomDocument(c));
  const auto refusal = [&](const Tensor& gradOutput) -> std::string {
    try {
      gradientsOf(trace, gradOutput);
    } catch (const UserError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(refusal(Tensor::zeros({1, 2, 8})),
            "grad_output is (1, 2, 8), the output is (1, 3, 8): give it that shape");
  Tensor large = Tensor::uninitialised({1, 3, 8});
  std::fill_n(large.mutableData(), large.size(), 3e38F);
  EXPECT_NE(refusal(large).find("does not fit a 32-bit float"), std::string::npos)
      << refusal(large);
}

TEST(Gradients, HaveNamesOfTheirOwn) {
  const CellRef cell{TensorId::wQ, -1, -1, 3, 17, -1, true};
  EXPECT_EQ(toString(cell), "grad.W_Q[3, 17]");
  EXPECT_EQ(cellFromString("grad.W_Q[3, 17]"), cell);
  CellRef layered = cell;
  layered.layer = 2;
  EXPECT_EQ(cellFromString(toString(layered)), layered);
}

}  // namespace
}  // namespace headscope::test
