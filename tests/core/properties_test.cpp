// Properties of every configuration, checked over all cases of support/cases.h.
#include <gtest/gtest.h>

#include <numeric>

#include "core/attention/switches.h"
#include "tests/core/support/cases.h"
#include "tests/core/support/reference.h"

namespace headscope::test {
namespace {

class Property : public testing::TestWithParam<Case> {
 protected:
  const AttentionConfig& config() const { return GetParam().config; }
  DocumentPtr document_ = randomDocument(GetParam().config);
  TracePtr trace_ = runAttention(document_);

  template <typename Function>
  void everyRow(Function function) const {
    for (Index b = 0; b < config().batch; ++b) {
      for (Index h = 0; h < config().numHeads; ++h) {
        for (Index i = 0; i < config().seqLen; ++i) function(b, h, i);
      }
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, Property, testing::ValuesIn(allCases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(Property, EveryTensorAgreesWithDoublePrecision) {
  const Reference reference = referencePass(*document_);
  ASSERT_EQ(reference.size(), kTensorCount - kFirstResult);
  for (const auto& [id, expected] : reference) {
    EXPECT_EQ(trace_->materialise(id).shape(), shapeOf(id, config())) << info(id).name;
    expectClose(trace_->materialise(id), expected, std::string(info(id).name));
  }
}

TEST_P(Property, RowsSumToOneAndForbiddenWeightsAreExactlyZero) {
  const Tensor& weights = trace_->tensor(TensorId::weights);
  everyRow([&](Index b, Index h, Index i) {
    double sum = 0.0;
    for (Index j = 0; j < config().keys(); ++j) {
      const float weight = weights.at({b, h, i, j});
      sum += weight;
      EXPECT_GE(weight, 0.0F);
      if (!mayAttend(config(), b, i, j)) {
        EXPECT_EQ(weight, 0.0F) << i << ", " << j;
      }
    }
    EXPECT_NEAR(sum, fullyMasked(config(), b, i) ? 0.0 : 1.0, 1e-6);
  });
}

TEST_P(Property, FullyMaskedRowsAreReportedAndGiveTheBiasAlone) {
  std::vector<FullyMaskedRow> expected;
  for (Index b = 0; b < config().batch; ++b) {
    for (Index i = 0; i < config().seqLen; ++i) {
      if (!fullyMasked(config(), b, i)) continue;
      for (Index h = 0; h < config().numHeads; ++h) expected.push_back({b, h, i});
      for (Index o = 0; o < config().dModel; ++o) {
        EXPECT_EQ(trace_->tensor(TensorId::output).at({b, i, o}),
                  config().switches->bias ? document_->weights.bO.at({o}) : 0.0F);
      }
    }
  }
  EXPECT_EQ(trace_->fullyMaskedRows, expected);
}

TEST_P(Property, SplitAndConcatAreViews) {
  const auto shared = [&](TensorId a, TensorId b) {
    return trace_->tensor(a).sharesStorageWith(trace_->tensor(b));
  };
  EXPECT_TRUE(shared(TensorId::q, TensorId::qProj));
  EXPECT_TRUE(shared(TensorId::k, TensorId::kProj));
  EXPECT_TRUE(shared(TensorId::v, TensorId::vProj));
  EXPECT_TRUE(shared(TensorId::concat, TensorId::heads));
  EXPECT_TRUE(trace_->tensor(TensorId::scores).empty());
  EXPECT_TRUE(trace_->tensor(TensorId::maskedScores).empty());
}

/// Column i·d_k + j of the combined matrix is column j of head i's own.
TEST_P(Property, PerHeadMatricesEqualTheCombinedOne) {
  const Index dK = config().dK();
  const auto check = [&](TensorId combined, TensorId split) {
    const Tensor& heads = trace_->tensor(split);
    for (Index b = 0; b < heads.dim(0); ++b) {
      for (Index h = 0; h < heads.dim(1); ++h) {
        for (Index t = 0; t < heads.dim(2); ++t) {
          for (Index j = 0; j < dK; ++j) {
            EXPECT_EQ(heads.at({b, h, t, j}), trace_->tensor(combined).at({b, t, h * dK + j}));
          }
        }
      }
    }
  };
  check(TensorId::qProj, TensorId::q);
  check(TensorId::kProj, TensorId::k);
  check(TensorId::vProj, TensorId::v);
  check(TensorId::concat, TensorId::heads);
}

/// Projecting with one head's rows of W_Q alone gives that head's queries; so too K and V.
TEST_P(Property, AHeadsOwnRowsOfTheWeightsGiveItsOwnProjections) {
  const AttentionConfig& c = config();
  const Index dK = c.dK();
  const Tensor& memory = c.crossAttention() ? document_->input->memory : document_->input->x;
  const auto check = [&](const Tensor& x, const Tensor& weight, const Tensor& bias, TensorId id) {
    const Tensor& all = trace_->tensor(id);
    const double allowed = 1e-5 * largest(all.values());
    for (Index h = 0; h < all.dim(1); ++h) {
      const Tensor rows = weight.slice(0, h * dK, (h + 1) * dK);
      for (Index t = 0; t < all.dim(2); ++t) {
        for (Index j = 0; j < dK; ++j) {
          double sum = c.switches->bias ? static_cast<double>(bias.at({h * dK + j})) : 0.0;
          for (Index i = 0; i < rows.dim(1); ++i) {
            sum += static_cast<double>(x.at({0, t, i})) * static_cast<double>(rows.at({j, i}));
          }
          EXPECT_NEAR(all.at({0, h, t, j}), sum, allowed);
        }
      }
    }
  };
  const Weights& w = document_->weights;
  check(document_->input->x, w.wQ, w.bQ, TensorId::q);
  check(memory, w.wK, w.bK, TensorId::k);
  check(memory, w.wV, w.bV, TensorId::v);
}

/// Any tile of what is not stored has the bits of the whole, and the softmax of exactly those bits
/// is the weights.
TEST_P(Property, TilesAreWhatTheSoftmaxUsed) {
  const AttentionConfig& c = config();
  const Index keys = c.keys();
  for (const TensorId id : {TensorId::scores, TensorId::maskedScores}) {
    const Tensor whole = trace_->materialise(id);
    for (const Index first : {Index{0}, keys / 3, keys - 1}) {
      for (const Index count : {Index{1}, keys / 2, keys - first}) {
        if (count < 1 || first + count > keys) continue;
        const Index row = c.seqLen / 2;
        const Index rows = c.seqLen - row;
        std::vector<float> tile(static_cast<std::size_t>(rows * count));
        trace_->tile(id, c.batch - 1, c.numHeads - 1, row, rows, first, count, tile.data());
        for (Index r = 0; r < rows; ++r) {
          for (Index j = 0; j < count; ++j) {
            EXPECT_EQ(tile[static_cast<std::size_t>(r * count + j)],
                      whole.at({c.batch - 1, c.numHeads - 1, row + r, first + j}));
          }
        }
      }
    }
  }
  const Tensor masked = trace_->materialise(TensorId::maskedScores);
  everyRow([&](Index b, Index h, Index i) {
    std::vector<double> scores;
    for (Index j = 0; j < keys; ++j) scores.push_back(masked.at({b, h, i, j}));
    const auto expected = softmax(scores);
    for (Index j = 0; j < keys; ++j) {
      EXPECT_NEAR(trace_->tensor(TensorId::weights).at({b, h, i, j}),
                  expected[static_cast<std::size_t>(j)], 1e-6);
    }
  });
}

TEST_P(Property, EveryValueIsTheOneInTheTensor) {
  for (std::size_t i = 0; i < kTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    if (id == TensorId::memory && !config().crossAttention()) continue;
    const Tensor whole = trace_->materialise(id);
    CellRef cell{
        id, info(id).perItem ? config().batch - 1 : -1, info(id).perHead ? whole.dim(1) - 1 : -1,
        whole.rank() > 1 ? whole.dim(whole.rank() - 2) - 1 : 0, whole.dim(whole.rank() - 1) - 1};
    ASSERT_TRUE(exists(cell, config())) << toString(cell);
    EXPECT_EQ(trace_->value(cell), whole.at(cell.index())) << toString(cell);
    ++cell.col;
    EXPECT_FALSE(exists(cell, config())) << toString(cell);
  }
}

TEST_P(Property, TheSameRunTwiceGivesTheSameBits) {
  expectSameBits(*trace_, *runAttention(document_));
}

TEST_P(Property, OtherThreadCountsAgreeToRounding) {
  ExecutionContext execution;
  execution.flopsPerThread = 1;  // however small
  execution.threads = 1;
  const TracePtr one = runAttention(document_, nullptr, execution);
  execution.threads = 3;
  const TracePtr three = runAttention(document_, nullptr, execution);
  for (std::size_t i = kFirstResult; i < kTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    expectClose(three->materialise(id), one->materialise(id).values(), std::string(info(id).name),
                2e-6);
  }
}

/// Without a mask and without positions in X, attention does not know the order of its tokens.
TEST_P(Property, PermutingTokensPermutesTheOutput) {
  AttentionConfig c = config();
  c.mask = {};
  const auto row = [&](Index i) { return (i * 5 + 3) % c.seqLen; };  // a permutation where coprime
  if (std::gcd(Index{5}, c.seqLen) != 1) c.seqLen += 1;
  const DocumentPtr straight = randomDocument(c);
  Tensor x = straight->input->x.clone();
  for (Index b = 0; b < c.batch; ++b) {
    const ConstMatrixView from = straight->input->x.matrix({b});
    const MatrixView to = x.mutableMatrix({b});
    for (Index i = 0; i < c.seqLen; ++i) {
      for (Index j = 0; j < c.dModel; ++j) to(i, j) = from(row(i), j);
    }
  }
  const TracePtr a = runAttention(straight);
  const TracePtr b = runAttention(documentOf(c, x, straight->input->memory, straight->weights));
  std::vector<float> expected;
  const Tensor& output = a->tensor(TensorId::output);
  for (Index item = 0; item < c.batch; ++item) {
    for (Index i = 0; i < c.seqLen; ++i) {
      for (Index j = 0; j < c.dModel; ++j) expected.push_back(output.at({item, row(i), j}));
    }
  }
  expectClose(b->tensor(TensorId::output), expected, "output");
}

}  // namespace
}  // namespace headscope::test
