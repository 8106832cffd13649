// The soft cap of scores (Gemma 2): its values, its words, and that it prevents overflow. Passes,
// gradients and cells with it are compared where those of all switches are (switchCases).
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/attention/switches.h"
#include "core/document/attention.h"
#include "core/formats/document_json.h"
#include "core/words/arithmetic.h"
#include "core/words/cells.h"
#include "tests/core/support/documents.h"

namespace headscope::test {
namespace {

const CellRef kRaw{TensorId::rawScores, 0, 1, 2, 1};
const CellRef kScore{TensorId::scores, 0, 1, 2, 1};

/// A pass of d_k 16 with that cap and raw score.
TracePtr capped(double cap, float raw) {
  AttentionConfig config = sized(32, 2, 4);
  config.switches->scoreCap = cap;
  return runAttention(edited(randomDocument(config), SetPin{{kRaw, raw}}));
}

TEST(ScoreCap, BendsScoresTowardsTheCap) {
  EXPECT_FLOAT_EQ(capped(0.0, 400.0F)->value(kScore), 100.0F);
  // 50 · tanh(400 / √16 / 50) = 50 · tanh(2), and tanh(−0.002) · 50
  EXPECT_FLOAT_EQ(capped(50.0, 400.0F)->value(kScore), 48.201379F);
  EXPECT_FLOAT_EQ(capped(50.0, -0.4F)->value(kScore), -0.09999987F);
}

TEST(ScoreCap, PreventsOverflow) {
  const auto hot = [](double cap) {
    AttentionConfig config = sized(32, 2, 4);
    config.switches->temperature = 1e-6;
    config.switches->scoreCap = cap;
    return runAttention(edited(randomDocument(config), SetPin{{kRaw, 3e38F}}));
  };
  expectUserError([&] { hot(0.0); }, "does not fit a 32-bit float");
  EXPECT_EQ(hot(30.0)->value(kScore), 30.0F);
}

TEST(ScoreCap, ACellSaysHowItIsCapped) {
  const TracePtr trace = capped(50.0, 400.0F);
  const Explanation e = explainCell(*trace, kScore);
  EXPECT_TRUE(formulaOf(*trace, e).starts_with("50·tanh("));
  const std::string sum = arithmetic(*trace, e, 3, false).sum;
  EXPECT_NE(sum.find("100, 50·tanh(100 / 50) = 48.201"), std::string::npos) << sum;
  const std::string next = arithmetic(*trace, explainCell(*trace, kRaw), 3, false).next;
  EXPECT_NE(next.find("× 0.2500, 50·tanh(x / 50) → 48.2"), std::string::npos) << next;
  const StepText text = step(StepId::scale).text(trace->config());
  EXPECT_EQ(text.formula, "50·tanh(S / √16 / 50)");
  EXPECT_EQ(text.flow, "/√16 capped at 50");
}

TEST(ScoreCap, FilesHaveItOnlyWhereItIsSet) {
  AttentionConfig config = sized(32, 2, 4);
  EXPECT_EQ(formats::wholeConfigJson(config).find("score_cap"), nullptr);
  config.switches->scoreCap = 50.0;
  EXPECT_EQ(formats::wholeConfigJson(config).find("score_cap")->number(), 50.0);
  for (const double cap : {-1.0, 1e-31, 1e31, std::nan("")}) {
    config.switches->scoreCap = cap;
    ASSERT_EQ(validate(config).size(), 1U) << cap;
    EXPECT_EQ(validate(config).front().field, "score_cap");
  }
}

}  // namespace
}  // namespace headscope::test
