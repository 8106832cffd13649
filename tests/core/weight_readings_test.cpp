#include "core/analysis/weight_readings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
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

/// The cells of all rows, read in parts of up to three as a picture may read them.
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

// The largest weights that make up a share of a row, against sorting all of them.

namespace {

using Places = std::vector<Index>;

/// The places found by sorting all weights of a row.
Places naive(const std::vector<float>& row, double mass) {
  Places order(row.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto at = [&](Index j) {
    return std::abs(static_cast<double>(row[static_cast<std::size_t>(j)]));
  };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return at(a) > at(b); });
  double all = 0.0;
  for (const float w : row) all += std::abs(static_cast<double>(w));
  Places found;
  double sum = 0.0;
  for (const Index j : order) {
    if (at(j) == 0.0 || (!found.empty() && mass < 1.0 && sum >= mass * all)) break;
    found.push_back(j);
    sum += at(j);
  }
  return found;
}

TEST(LargestOfMass, KnownRows) {
  const std::vector<float> row{0.05F, 0.6F, 0.0F, 0.2F, 0.15F};
  EXPECT_EQ(largestOfMass(row, 0.5), (Places{1}));
  EXPECT_EQ(largestOfMass(row, 0.7), (Places{1, 3}));
  EXPECT_EQ(largestOfMass(row, 0.9), (Places{1, 3, 4}));
  EXPECT_EQ(largestOfMass(row, 1.0), (Places{1, 3, 4, 0}));
  EXPECT_EQ(largestOfMass(row, 1.0, 2), (Places{1, 3}));
  EXPECT_EQ(largestOfMass(std::vector<float>(4, 0.25F), 0.5), (Places{0, 1}));  // equals
  EXPECT_EQ(largestOfMass(std::vector<float>(4, 0.0F), 0.9), Places{});
  EXPECT_EQ(largestOfMass(std::vector<float>{-3.0F, 1.0F}, 0.5), (Places{0}));  // pinned
}

TEST(LargestOfMass, AgreesWithSorting) {
  std::uint64_t state = 7;
  const auto next = [&state] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<float>(state >> 40U) / 16777216.0F;
  };
  for (int round = 0; round < 60; ++round) {
    std::vector<float> row(static_cast<std::size_t>(1 + round));
    for (float& w : row) w = std::floor(next() * 8.0F) / 8.0F;  // with zeros and equals
    for (const double mass : {0.05, 0.5, 0.9, 0.99, 1.0}) {
      const Places found = largestOfMass(row, mass);
      ASSERT_EQ(found, naive(row, mass)) << "round " << round << ", mass " << mass;
      for (std::size_t j = 0; j < row.size(); ++j) {
        const auto place = static_cast<Index>(j);
        const bool in = std::find(found.begin(), found.end(), place) != found.end();
        ASSERT_EQ(isOfMass(row, place, mass), in) << "round " << round << ", place " << j;
      }
    }
  }
}

}  // namespace

}  // namespace headscope::test
