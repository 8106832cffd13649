// ALiBi: its slopes, the step mask with it, and what is said of a cell. The tensors, gradients and
// cells of passes with it are compared where those of all cases are.
#include "core/attention/alibi.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/attention/steps/softmax_row.h"
#include "core/attention/switches.h"
#include "core/base/numbers.h"
#include "core/formats/pytorch_script.h"
#include "core/formats/session.h"
#include "core/words/arithmetic.h"
#include "core/words/cells.h"
#include "core/words/narration.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/reference.h"
#include "tests/core/test_files.h"

namespace headscope::test {
namespace {

DocumentPtr penalised(AttentionConfig config) {
  config.switches->alibi = true;
  return randomDocument(config);
}

TEST(Alibi, SlopesAreThePapers) {
  for (Index h = 0; h < 8; ++h) {
    EXPECT_EQ(alibiSlope(h, 8), std::exp2(-static_cast<float>(h + 1)));
    EXPECT_EQ(alibiSlope(h, 12), alibiSlope(h, 8));
  }
  EXPECT_EQ(alibiSlope(15, 16), 1.0F / 256.0F);
  EXPECT_FLOAT_EQ(alibiSlope(0, 16), std::sqrt(0.5F));
  EXPECT_FLOAT_EQ(alibiSlope(8, 12), std::sqrt(0.5F));  // the first, third, … of sixteen slopes
  EXPECT_FLOAT_EQ(alibiSlope(9, 12), std::sqrt(0.5F) / 2.0F);
  EXPECT_EQ(alibiSlope(0, 1), 1.0F / 256.0F);
  for (Index heads = 1; heads <= 40; ++heads) {
    const std::vector<double> slopes = slopesOf(heads);
    for (Index h = 0; h < heads; ++h) {
      EXPECT_FLOAT_EQ(alibiSlope(h, heads), static_cast<float>(slopes[static_cast<std::size_t>(h)]))
          << h << " of " << heads;
    }
  }
}

/// Whole rows, parts of rows, single cells and the scores before the softmax have equal bits.
TEST(Alibi, EveryPathGivesTheSameBits) {
  for (const Case& each : alibiCases()) {
    const AttentionConfig& c = each.config;
    const TracePtr trace = runAttention(withPins(randomDocument(c)));
    const auto width = static_cast<std::size_t>(c.keys());
    std::vector<float> row(width), part(width), weights(width);
    for (Index head = 0; head < c.numHeads; ++head) {
      for (Index i = 0; i < c.seqLen; ++i) {
        trace->tile(TensorId::maskedScores, 0, head, i, 1, 0, c.keys(), row.data());
        const Index cut = c.keys() / 3;
        trace->tile(TensorId::maskedScores, 0, head, i, 1, cut, c.keys() - cut, part.data());
        for (Index j = cut; j < c.keys(); ++j) {
          const auto at = static_cast<std::size_t>(j);
          ASSERT_EQ(part[at - static_cast<std::size_t>(cut)], row[at]) << each.name;
          ASSERT_EQ(trace->value({TensorId::maskedScores, 0, head, i, j}), row[at]) << each.name;
        }
        if (c.mistakes.softmaxOverQueries || c.dropout.on()) continue;
        softmaxRow(row, softmaxKeys(c, 0, i));
        trace->tile(TensorId::weights, 0, head, i, 1, 0, c.keys(), weights.data());
        for (Index j = 0; j < c.keys(); ++j) {
          if (trace->pins().at({TensorId::weights, 0, head, i, j})) continue;
          const auto at = static_cast<std::size_t>(j);
          ASSERT_EQ(weights[at], row[at]) << each.name << ", head " << head << ", query " << i;
        }
      }
    }
  }
}

TEST(Alibi, StepsRunFromTheMaskOn) {
  const DocumentPtr plain = randomDocument(sized(16, 4, 6));
  const TracePtr before = runAttention(plain);
  const TracePtr there = runAttention(edited(plain, SetSwitch{&Switches::alibi, true}), before);
  EXPECT_EQ(stepsThatRan(*there),
            (std::vector<std::string>{"mask", "softmax", "weigh", "concat", "output"}));
  expectSameBits(*there, *runAttention(penalised(plain->config)));
  EXPECT_FALSE(
      sameBits(there->materialise(TensorId::output), before->materialise(TensorId::output)));
  expectSameBits(*runAttention(plain, there), *before);
}

TEST(Alibi, ItAndRopeTakeEachOthersPlace) {
  const DocumentPtr alibi =
      edited(randomDocument(sized(16, 4, 6)), SetSwitch{&Switches::alibi, true});
  const DocumentPtr rope = edited(alibi, SetRotary{{.theta = 100.0}});
  EXPECT_TRUE(rope->config.rotary.on());
  EXPECT_FALSE(rope->config.switches->alibi);
  EXPECT_EQ(edited(rope, SetSwitch{&Switches::alibi, true})->config, alibi->config);
  EXPECT_EQ(edited(alibi, SetRotary{})->config, alibi->config);  // off is off, and no more
  AttentionConfig both = alibi->config;
  both.rotary.theta = 100.0;
  ASSERT_EQ(validate(both).size(), 1U);
  EXPECT_NE(validate(both).front().message.find("so turn one off"), std::string::npos);
}

TEST(Alibi, CrossAttentionIsRefused) {
  AttentionConfig cross = sized(16, 4, 6);
  cross.memoryLen = 4;
  expectUserError(
      [&] {
        edited(randomDocument(cross), SetSwitch{&Switches::alibi, true});
      },
      "turn ALiBi off");
}

TEST(Alibi, ASessionKeepsIt) {
  const TempFolder folder;
  const DocumentPtr document = penalised(sized(12, 3, 4));
  formats::saveSession(folder / "a.headscope.json", {document, "{}", {}, {}});
  EXPECT_EQ(formats::loadSession(folder / "a.headscope.json", kBudget).document->config,
            document->config);
}

TEST(Alibi, ACellSaysWhatItLoses) {
  const AttentionConfig causal = with(sized(16, 4, 6), [](auto& c) { c.mask.causal = true; });
  const TracePtr trace = runAttention(penalised(causal));
  const CellRef cell{TensorId::maskedScores, 0, 0, 4, 1};
  CellRef score = cell;
  score.tensor = TensorId::scores;
  const Explanation e = explainCell(*trace, cell);
  ASSERT_EQ(e.terms.size(), 2U);
  EXPECT_EQ(e.terms[1].leftValue, -0.25);
  EXPECT_EQ(e.terms[1].rightValue, 3.0);
  EXPECT_NEAR(e.sum, static_cast<double>(trace->value(score)) - 0.75, 1e-12);
  const Arithmetic a = arithmetic(*trace, e, 3, false);
  EXPECT_NE(a.sum.find("− 0.25 × 3 = " + number(e.value, 5)), std::string::npos) << a.sum;
  EXPECT_EQ(a.remark, "");
  EXPECT_EQ(e.rule, "allowed: minus slope × distance");
  const Arithmetic before = arithmetic(*trace, explainCell(*trace, score), 3, false);
  const auto stated = fmt::format("− 0.25 × 3 → {}", number(e.value));
  EXPECT_NE(before.next.find(stated), std::string::npos) << before.next;
  // what is forbidden is not weighed up
  const Explanation forbidden = explainCell(*trace, {TensorId::maskedScores, 0, 0, 1, 4});
  EXPECT_TRUE(isForbidden(*trace, forbidden));
  EXPECT_FALSE(isForbidden(*trace, e));
  EXPECT_EQ(forbidden.terms.size(), 1U);
  EXPECT_TRUE(std::isinf(forbidden.sum));
}

TEST(Alibi, TheScriptHasTheSlopesAndTheModuleTheBias) {
  const auto script = [](const AttentionConfig& c) {
    return formats::pytorchScript(*runAttention(penalised(c)));
  };
  const auto expectIn = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  };
  const std::string open = script(sized(8, 2, 3));
  expectIn(open, "slope = torch.tensor([0.0625, 0.00390625], dtype=REAL).view(H, 1, 1)");
  expectIn(open, "\nmasked_scores = scores - slope * distance\n");
  expectIn(open, "attn_mask=(-slope * distance).expand(B, H, T, M).reshape(B * H, T, M),");
  const std::string causal = script(with(sized(8, 2, 3), [](auto& c) { c.mask.causal = true; }));
  expectIn(causal,
           "\nmasked_scores = (scores - slope * distance).masked_fill(~allowed, float('-inf'))\n");
  expectIn(causal, ".masked_fill(~allowed, float(\"-inf\")).reshape(");
}

TEST(Alibi, TheFlowNamesIt) {
  AttentionConfig c = sized(16, 4, 6);
  c.switches->alibi = true;
  EXPECT_EQ(step(StepId::mask).text(c).flow, " + ALiBi");
  c.mask.causal = true;
  EXPECT_EQ(step(StepId::mask).text(c).flow, " + ALiBi + mask");
}

}  // namespace
}  // namespace headscope::test
