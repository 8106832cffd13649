#include "core/analysis/norm_weighted.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <span>
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

/// The cells of all rows, in parts of up to three as a picture may read them.
std::vector<float> weighed(const Trace& trace, Index item, Index head) {
  const AttentionConfig& c = trace.config();
  const std::vector<double> norms = valueNorms(trace, item, head);
  const std::vector<float> factors(norms.begin(), norms.end());
  const ConstMatrixView weights = trace.tensor(TensorId::weights).matrix({item, head});
  std::vector<float> cells(static_cast<std::size_t>(c.seqLen * c.keys()));
  for (Index i = 0; i < c.seqLen; ++i) {
    for (Index j = 0; j < c.keys(); j += 3) {
      const auto first = static_cast<std::size_t>(j);
      const auto count = static_cast<std::size_t>(std::min<Index>(3, c.keys() - j));
      const auto place = static_cast<std::size_t>(i * c.keys() + j);
      weighByNorms(weights.row(i).subspan(first, count), std::span(factors).subspan(first, count),
                   std::span(cells).subspan(place, count));
    }
  }
  return cells;
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
      expectClose(Tensor::fromValues({c.seqLen, c.keys()}, weighed(*trace, item, h)), expected,
                  name + ", norm-weighted");
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
  for (const float value : weighed(*trace, 0, 1)) EXPECT_EQ(value, 0.0F);
}

TEST(NormWeighted, TheMeanGivesNothingWhereCancelled) {
  const std::atomic<bool> cancelled{true};
  const auto trace = runAttention(randomDocument(sized(8, 2, 4)));
  EXPECT_FALSE(meanWeights(*trace, 0, {0, &cancelled, nullptr}).has_value());
}

}  // namespace
}  // namespace headscope::test
