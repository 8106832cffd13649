#include "core/analysis/norm_weighted.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "tests/core/support/patterns.h"

namespace headscope::test {
namespace {

/// ‖A_ij · v_j · W_O,h‖ term by term.
double naive(const Trace& trace, const CellRef& cell) {
  const AttentionConfig& c = trace.config();
  double squares = 0.0;
  for (Index o = 0; o < c.dModel; ++o) {
    double sum = 0.0;
    for (Index d = 0; d < c.dK(); ++d) {
      sum += static_cast<double>(trace.value(cell)) *
             static_cast<double>(
                 trace.value({TensorId::v, cell.item, c.kvHead(cell.head), cell.col, d})) *
             static_cast<double>(trace.value({TensorId::wO, -1, -1, o, cell.head * c.dK() + d}));
    }
    squares += sum * sum;
  }
  return std::sqrt(squares);
}

void expectTheDefinition(const DocumentPtr& document, const std::string& name) {
  const TracePtr trace = runAttention(document);
  const AttentionConfig& c = trace->config();
  for (Index item = 0; item < c.batch; ++item) {
    std::vector<double> mean(static_cast<std::size_t>(c.seqLen * c.keys()));
    for (Index h = 0; h < c.numHeads; ++h) {
      std::vector<double> expected;
      for (Index i = 0; i < c.seqLen; ++i) {
        for (Index j = 0; j < c.keys(); ++j) {
          const CellRef cell{TensorId::weights, item, h, i, j};
          mean[expected.size()] += trace->value(cell) / static_cast<double>(c.numHeads);
          expected.push_back(naive(*trace, cell));
        }
      }
      expectClose(*normWeighted(*trace, item, h), expected, name + ", norm-weighted");
    }
    expectClose(*meanWeights(*trace, item), mean, name + ", mean over heads");
  }
}

TEST(NormWeighted, AndTheMeanAreTheDefinitions) {
  for (const Case& each : allCases()) {
    if (each.name == "Medium") continue;  // five plain loops over it take long
    expectTheDefinition(randomDocument(each.config), each.name);
  }
  for (const Case& each : whatIfCases()) {
    expectTheDefinition(withPins(randomDocument(each.config)), each.name);
  }
}

TEST(NormWeighted, AStrongWeightOnAValueOfNoLengthMovesNothing) {
  const auto document = changed(randomDocument(sized(8, 2, 3)), [](Document& d) {
    d.weights.wV = Tensor::zeros({8, 8});
    d.weights.bV = Tensor::zeros({8});
  });
  const auto trace = runAttention(document);
  for (const float value : normWeighted(*trace, 0, 1)->values()) EXPECT_EQ(value, 0.0F);
}

TEST(NormWeighted, GivesNothingWhereCancelled) {
  const std::atomic<bool> cancelled{true};
  const auto trace = runAttention(randomDocument(sized(8, 2, 4)));
  EXPECT_FALSE(normWeighted(*trace, 0, 0, {0, &cancelled, nullptr}).has_value());
  EXPECT_FALSE(meanWeights(*trace, 0, {0, &cancelled, nullptr}).has_value());
}

}  // namespace
}  // namespace headscope::test
