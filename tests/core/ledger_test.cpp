#include "core/attention/ledger.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/attention/config.h"
#include "core/attention/limits.h"
#include "core/attention/switches.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "tests/core/support/cases.h"
#include "tests/core/test_files.h"

namespace headscope::test {
namespace {

class LedgerCase : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(All, LedgerCase, testing::ValuesIn(allCases()),
                         [](const auto& test) { return test.param.name; });

/// The rule, written down once more: a multiply-add 2, a bias 1 per element, scale 1, softmax 4.
TEST_P(LedgerCase, FlopsAndBytesByTheRule) {
  const AttentionConfig& c = GetParam().config;
  const Index B = c.batch, T = c.seqLen, M = c.keys(), D = c.dModel, H = c.numHeads;
  const Index dK = c.headDim > 0 ? c.headDim : D / H;
  const Index C = H * dK, dKv = c.numKvHeads * dK;
  const Index kvWidth = c.memoryWidth > 0 ? c.memoryWidth : D;
  const Index bias = c.switches->bias ? 1 : 0;
  const Index cells = B * H * T * M;

  const Ledger ledger = headscope::ledger(c);
  const auto steps = stepsOf(c);
  ASSERT_EQ(ledger.steps.size(), steps.size());
  const std::array<Index, 9> flops{
      B * T * C * (2 * D + bias) + 2 * B * M * dKv * (2 * kvWidth + bias),
      0,
      cells * 2 * dK,
      cells,
      0,
      cells * 4,
      B * H * T * dK * 2 * M,
      0,
      B * T * D * (2 * C + bias)};
  const std::array<Index, 9> bytes{4 * (B * T * C + 2 * B * M * dKv),
                                   0,
                                   4 * cells,
                                   4 * cells,
                                   4 * cells,
                                   4 * cells,
                                   4 * B * T * C,
                                   0,
                                   4 * B * T * D};
  Index allFlops = 0;
  Index allBytes = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto& row = ledger.steps[i];
    EXPECT_EQ(row.step, steps[i]);
    EXPECT_EQ(row.cost.flops, flops[i]) << row.step->text(c).id;
    EXPECT_EQ(row.cost.bytes, bytes[i]) << row.step->text(c).id;
    allFlops += flops[i];
    allBytes += bytes[i];
  }
  EXPECT_EQ(ledger.flops, allFlops);
  EXPECT_EQ(ledger.bytes, allBytes);
  EXPECT_EQ(ledger.kvCacheBytes, 8 * B * M * dKv);
  EXPECT_EQ(ledger.parameters.total, 2 * D * C + 2 * dKv * kvWidth + bias * (D + C + 2 * dKv));
}

/// The ledger's resident bytes are the bytes that a document and its trace hold.
TEST_P(LedgerCase, ResidentBytesAreWhatAPassHolds) {
  const AttentionConfig& c = GetParam().config;
  const TracePtr trace = runAttention(randomDocument(c));
  Index held = 0;
  for (std::size_t i = 0; i < kTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    const bool view =
        id == TensorId::q || id == TensorId::k || id == TensorId::v || id == TensorId::concat;
    const bool unusedBias = !c.switches->bias && id >= TensorId::bQ && id <= TensorId::bO;
    const Tensor& tensor = trace->tensor(id);
    if (!view && !unusedBias && !tensor.empty()) held += 4 * tensor.size();
  }
  for (const TensorId id : {TensorId::wQ, TensorId::wK, TensorId::wV, TensorId::wO}) {
    held += 4 * trace->packed(id).size();
  }
  EXPECT_EQ(ledger(c).residentBytes, held);
}

TEST_P(LedgerCase, StepsNameTheShapesOfTheTrace) {
  const AttentionConfig& c = GetParam().config;
  const TracePtr trace = runAttention(randomDocument(c));
  for (const Step* step : stepsOf({})) {
    for (const auto& list : {step->inputShapes(c), step->outputShapes(c)}) {
      for (const NamedShape& named : list) {
        EXPECT_EQ(trace->materialise(named.tensor).shape(), named.shape) << info(named.tensor).name;
      }
    }
  }
}

TEST(Ledger, KnownParameterCounts) {
  const auto p = ledger(sized(256, 8, 30)).parameters;
  EXPECT_EQ(std::accumulate(p.each.begin(), p.each.begin() + 4, Index{0}), 262'144);
  EXPECT_EQ(std::accumulate(p.each.begin() + 4, p.each.end(), Index{0}), 1'024);
  EXPECT_EQ(p.total, 263'168);
  EXPECT_EQ(ledger(sized(512, 8, 30)).parameters.total, 1'050'624);
  EXPECT_EQ(ledger(sized(512, 8, 6)).parameters.total, 1'050'624);
}

TEST(Ledger, RefusesWhat64BitsCannotCount) {
  AttentionConfig c = sized(Limits::kDModel, 1, Limits::kTokens);
  c.batch = Limits::kBatch;
  ASSERT_TRUE(validate(c).empty());
  expectUserError([&] { ledger(c); }, "cannot be counted in 64 bits", "reduce d_model");
  c.numHeads = c.numKvHeads = Limits::kDModel;
  expectUserError([&] { checkFits(c, kBudget); }, "cannot be counted in 64 bits");
}

/// The largest sizes that are counted are counted right: in floating point the sums agree.
TEST(Ledger, LargestSizesDoNotWrapAround) {
  for (const Index batch : {1, 16, 256, 1024}) {
    AttentionConfig c = sized(Limits::kDModel, 8, Limits::kTokens);
    c.batch = batch;
    try {
      const Ledger all = ledger(c);
      double flops = 0.0;
      for (const auto& row : all.steps) {
        EXPECT_GE(row.cost.flops, 0);
        EXPECT_GE(row.cost.bytes, 0);
        flops += static_cast<double>(row.cost.flops);
      }
      EXPECT_NEAR(static_cast<double>(all.flops) / flops, 1.0, 1e-9);
      EXPECT_GT(all.residentBytes, 0);
    } catch (const UserError&) {
    }
  }
}

TEST(Ledger, RefusalNamesTheFigure) {
  const AttentionConfig c = sized(512, 16, 16'384);
  // the previous results are held until the new ones are computed
  const Index needed = ledger(c).residentBytes + ledger(c).resultBytes;
  expectUserError([&] { checkFits(c, 1'000'000'000); }, bytesInWords(needed),
                  "16 heads of 16384 × 16384", "memory budget of 1.00 GB", "reduce tokens");
  EXPECT_NO_THROW(checkFits(c, needed));
  expectUserError([&] { checkFits(c, needed - 1); }, "memory budget");
  EXPECT_GT(defaultMemoryBudget(), Index{1} << 26);
}

TEST(Ledger, ScoresThatDoNotFitAreNotHeld) {
  AttentionConfig c = sized(512, 8, 16'384);
  using enum ScoreStorage;
  const auto needed = [&c](ScoreStorage held) {
    const Ledger cost = ledger(c, held);
    return cost.residentBytes + cost.resultBytes;
  };
  EXPECT_LT(needed(none) * 40, needed(all));
  EXPECT_EQ(scoresToHold(c, needed(all)), all);
  EXPECT_EQ(scoresToHold(c, needed(all) - 1), none);
  EXPECT_EQ(scoresToHold(c, needed(none)), none);
  expectUserError([&] { scoresToHold(c, needed(none) - 1); }, bytesInWords(needed(none)),
                  "even without scores", "reduce tokens");
  c.mistakes.softmaxOverQueries = true;  // all rows of a column at once
  expectUserError([&] { scoresToHold(c, needed(all) - 1); }, bytesInWords(needed(all)));
}

TEST(Ledger, NumbersInWords) {
  EXPECT_EQ(withThousands(0), "0");
  EXPECT_EQ(withThousands(999), "999");
  EXPECT_EQ(withThousands(1'050'624), "1,050,624");
  EXPECT_EQ(withThousands(-1'000), "-1,000");
  EXPECT_EQ(bytesInWords(344), "344 bytes");
  EXPECT_EQ(bytesInWords(344'000), "344 kB");
  EXPECT_EQ(bytesInWords(1'073'741'824), "1.07 GB");
  EXPECT_EQ(flopsInWords(12'700'000), "12.7 MFLOP");
}

}  // namespace
}  // namespace headscope::test
