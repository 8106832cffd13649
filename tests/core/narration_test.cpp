// The timeline of a play: its moments, and what is said at each.
#include "core/words/narration.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/attention/mistakes.h"
#include "core/attention/steps/step.h"
#include "core/base/numbers.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/presets/presets.h"
#include "tests/core/support/cases.h"

namespace headscope {
namespace {

using test::sized;
using test::with;

TEST(Timeline, LastsAtMostAMinuteAndAHalfAtAnySize) {
  for (const Index tokens : {1, 2, 6, 12, 40, 4096}) {
    for (const Index heads : {1, 2, 7, 12, 96}) {
      for (const bool causal : {false, true}) {
        AttentionConfig c = sized(heads * 64, heads, tokens);
        c.mask.causal = causal;
        const double length = Timeline(c, {0, 0, 0}).length();
        EXPECT_LE(length, 90.0) << tokens << " tokens, " << heads << " heads";
        EXPECT_GE(length, tokens >= 6 && heads >= 7 ? 60.0 : 25.0)
            << tokens << " tokens, " << heads << " heads";
      }
    }
  }
}

TEST(Timeline, MomentsFollowEachOtherThroughEveryStep) {
  for (const auto& [name, document] : test::documentsOfAllKinds()) {
    const Timeline timeline(document->config, {0, 0, 0});
    double time = 0.0;
    std::size_t place = 0;
    for (const TimelineSegment& moment : timeline.moments()) {
      EXPECT_EQ(moment.start, time) << name;
      EXPECT_GE(moment.length, 0.4) << name;
      EXPECT_LT(moment.from, moment.to) << name;
      const std::size_t its = stepPlace(moment.step, document->config);
      EXPECT_TRUE(its == place || its == place + 1) << name << ": " << its << " after " << place;
      place = its;
      time = moment.end();
    }
    EXPECT_EQ(place + 1, stepsOf(document->config).size()) << name;
    EXPECT_EQ(timeline.stepStart(StepId::project), 0.0) << name;
    EXPECT_EQ(timeline.stepEnd(StepId::output), timeline.length()) << name;
  }
}

/// The single moments of a step and the moments for the rest together cover the whole step.
TEST(Timeline, LeavesNothingOut) {
  const AttentionConfig c = with(sized(96, 12, 40), [](auto& config) { config.batch = 2; });
  const Timeline timeline(c, {0, 0, 3});
  const auto covered = [&](StepId step, SegmentKind one, SegmentKind rest) {
    Index next = 0;
    for (const TimelineSegment& m : timeline.moments()) {
      if (m.step != step || (m.beat != one && m.beat != rest)) continue;
      EXPECT_EQ(m.from, next);
      next = m.to;
    }
    return next;
  };
  EXPECT_EQ(covered(StepId::project, SegmentKind::cell, SegmentKind::restOfCells), 8);
  EXPECT_EQ(covered(StepId::split, SegmentKind::head, SegmentKind::restOfHeads), 12);
  for (const StepId step : {StepId::score, StepId::scale, StepId::mask, StepId::softmax}) {
    EXPECT_EQ(covered(step, SegmentKind::cell, SegmentKind::restOfCells), 40);
    EXPECT_EQ(covered(step, SegmentKind::row, SegmentKind::restOfRows), 39);
    EXPECT_EQ(covered(step, SegmentKind::allHeads, SegmentKind::allHeads), 12);
  }
  EXPECT_EQ(covered(StepId::weigh, SegmentKind::key, SegmentKind::restOfKeys), 40);
  EXPECT_EQ(covered(StepId::concat, SegmentKind::head, SegmentKind::restOfHeads), 12);
  EXPECT_EQ(covered(StepId::output, SegmentKind::head, SegmentKind::restOfHeads), 12);
  EXPECT_EQ(covered(StepId::output, SegmentKind::row, SegmentKind::restOfRows), 39);
}

TEST(Timeline, ATimeHasItsMoment) {
  const Timeline timeline(sized(512, 8, 6), {0, 0, 0});
  const auto& moments = timeline.moments();
  EXPECT_EQ(timeline.at(-1.0), 0U);
  EXPECT_EQ(timeline.at(1e9), moments.size() - 1);
  for (std::size_t i = 0; i < moments.size(); ++i) {
    EXPECT_EQ(timeline.at(moments[i].start), i);
    EXPECT_EQ(timeline.at(moments[i].start + moments[i].length * 0.99), i);
  }
}

TEST(Timeline, AnotherSizeIsShownAtTheSameShareOfItsStep) {
  const Timeline small(sized(8, 2, 3), {0, 0, 0});
  const Timeline large(sized(512, 8, 30), {0, 0, 0});
  for (const TimelineSegment& moment : small.moments()) {
    const double there = large.translate(small, moment.start + moment.length / 2);
    EXPECT_EQ(large.moments()[large.at(there)].step, moment.step);
    EXPECT_NEAR(small.translate(large, there), moment.start + moment.length / 2, 1e-9);
  }
  EXPECT_EQ(large.translate(small, small.length()), large.length());
}

TEST(Narration, SaysSomethingSoundAtEveryMomentOfEveryPass) {
  for (const auto& [name, document] : test::documentsOfAllKinds()) {
    const TracePtr trace = runAttention(document);
    const AttentionConfig& c = trace->config();
    for (const RowRef& s : {RowRef{0, 0, 0}, RowRef{c.batch - 1, c.numHeads - 1, c.seqLen - 1},
                            RowRef{0, std::min<Index>(1, c.numHeads - 1), c.seqLen / 4}}) {
      const Timeline timeline(c, s);
      for (const TimelineSegment& moment : timeline.moments()) {
        const std::string text = narrate(*trace, s, moment);
        EXPECT_GE(text.size(), 20U) << name;
        EXPECT_LE(text.size(), 260U) << name << ": " << text;
        for (const char* wrong : {"nan", "not a number", "inf", " 1 numbers", " 1 more keys"}) {
          EXPECT_EQ(text.find(wrong), std::string::npos) << name << ": " << text;
        }
      }
    }
  }
}

DocumentPtr presetDocument(std::string_view name) {
  return makePreset(presetByName(name), {}, Index{1} << 30);
}

class NarratedPass : public testing::Test {
 protected:
  void open(const DocumentPtr& document) { trace_ = runAttention(document); }

  /// The sentence of the first such moment from `from` on.
  std::string narration(StepId step, SegmentKind beat, Index from = 0) const {
    const Timeline timeline(trace_->config(), kSubject);
    for (const TimelineSegment& m : timeline.moments()) {
      if (m.step == step && m.beat == beat && m.from >= from) return narrate(*trace_, kSubject, m);
    }
    ADD_FAILURE() << "no such moment in step " << static_cast<int>(step);
    return {};
  }
  std::string value(TensorId tensor, Index row, Index col, Index head = kSubject.head) const {
    const TensorInfo& t = info(tensor);
    return number(trace_->value({tensor, 0, t.perHead ? head : -1, row, col}));
  }
  static void expectAll(const std::string& text, std::initializer_list<std::string> parts) {
    for (const std::string& part : parts) {
      EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in: " << text;
    }
  }

  static constexpr RowRef kSubject{0, 5, 2};  // “sat” in head 6
  TracePtr trace_;
};

TEST_F(NarratedPass, ByTokensAndTheTracesNumbers) {
  open(presetDocument("original-transformer"));
  expectAll(narration(StepId::project, SegmentKind::cell, 1),
            {"“sat”", R"(q_proj["sat", 321])", "= " + value(TensorId::qProj, 2, 321) + "."});
  expectAll(narration(StepId::project, SegmentKind::row, 1),
            {"“cat”", R"(q_proj["cat", 320] = )" + value(TensorId::qProj, 1, 320)});
  expectAll(narration(StepId::project, SegmentKind::likewise),
            {"key", "W_K", R"(k_proj["sat", 320] = )" + value(TensorId::kProj, 2, 320)});
  expectAll(
      narration(StepId::split, SegmentKind::head, 2),
      {"Head 3", "columns 128 to 191", R"(q_proj["sat", 128])", value(TensorId::qProj, 2, 128)});
  expectAll(narration(StepId::score, SegmentKind::cell, 1),
            {"“sat” asks “cat”", "62 more terms = " + value(TensorId::rawScores, 2, 1) + "."});
  expectAll(
      narration(StepId::scale, SegmentKind::cell, 1),
      {"“cat”", value(TensorId::rawScores, 2, 1) + " × 0.1250 = ", value(TensorId::scores, 2, 1)});
  expectAll(narration(StepId::mask, SegmentKind::restOfCells), {"No mask", "“sat”", "all 6 keys"});
  expectAll(narration(StepId::softmax, SegmentKind::cell, 4),
            {"“sat” gives “the”", "= " + value(TensorId::weights, 2, 4)});
  expectAll(narration(StepId::weigh, SegmentKind::mixture),
            {"head 6", R"(heads["sat", 0] = )" + value(TensorId::heads, 2, 0)});
  expectAll(narration(StepId::concat, SegmentKind::head, 4),
            {"Head 5", "columns 256 to 319", R"(C["sat", 256])", value(TensorId::heads, 2, 0, 4)});
  expectAll(narration(StepId::output, SegmentKind::total),
            {"b_O", "“sat”", R"(output["sat", 0] = )" + value(TensorId::output, 2, 0)});
  expectAll(narration(StepId::output, SegmentKind::restOfRows),
            {"5 tokens", "“mat”", "output[\"mat\", 0] = " + value(TensorId::output, 5, 0)});
  expectAll(narration(StepId::score, SegmentKind::allHeads),
            {value(TensorId::rawScores, 2, 5, 0) + " in head 1",
             value(TensorId::rawScores, 2, 5, 7) + " in head 8"});
}

/// The third residue, I, in head 6.
TEST_F(NarratedPass, GateAndPairBiasAreSaidByTheirNumbers) {
  open(presetDocument("alphafold2-evoformer"));
  expectAll(narration(StepId::mask, SegmentKind::cell, 1), {"“I”", "“Q”", "the pair's bias"});
  const std::string gate = value(TensorId::gate, 2, 0), gated = value(TensorId::gated, 2, 0);
  expectAll(narration(StepId::gate, SegmentKind::cell),
            {"“I” computes a gate for number 0", R"(gate["I", 0] = )" + gate, R"(gated["I", 0] = )",
             " = " + gated + "."});
  expectAll(narration(StepId::gate, SegmentKind::restOfCells),
            {"likewise", R"(gated["I", 0] = )" + gated});
  expectAll(narration(StepId::gate, SegmentKind::restOfRows),
            {"31 queries", "“D”", "gated[\"D\", 0]"});
  expectAll(narration(StepId::gate, SegmentKind::allHeads),
            {"head 1 begins with " + value(TensorId::gate, 2, 0, 0),
             "head 8 with " + value(TensorId::gate, 2, 0, 7)});
  expectAll(narration(StepId::concat, SegmentKind::head, 5), {R"(gated["I", 0] = )" + gated});
}

TEST_F(NarratedPass, TheSumsAreThoseOfTheTrace) {
  open(presetDocument("original-transformer"));
  double largest = -1e9;
  double exponentials = 0.0;
  for (Index j = 0; j < 6; ++j) {
    largest = std::max<double>(largest, trace_->value({TensorId::maskedScores, 0, 5, 2, j}));
  }
  for (Index j = 0; j < 6; ++j) {
    exponentials += std::exp(trace_->value({TensorId::maskedScores, 0, 5, 2, j}) - largest);
  }
  expectAll(narration(StepId::softmax, SegmentKind::maximum),
            {"“sat”", "6 allowed", number(largest)});
  expectAll(narration(StepId::softmax, SegmentKind::sum), {number(exponentials)});
  // the values mixed one after another: after the last, what the trace has
  expectAll(narration(StepId::weigh, SegmentKind::key, 5),
            {"“mat”", "so far " + value(TensorId::heads, 2, 0) + "."});
  // all heads' terms and the bias make the output; one head's length is its own
  const auto& concat = trace_->tensor(TensorId::concat);
  const auto& wO = trace_->tensor(TensorId::wO);
  double squares = 0.0;
  for (Index o = 0; o < 512; ++o) {
    double sum = 0.0;
    for (Index d = 128; d < 192; ++d) {
      sum += static_cast<double>(concat.at({0, 2, d})) * static_cast<double>(wO.at({o, d}));
    }
    squares += sum * sum;
  }
  expectAll(narration(StepId::output, SegmentKind::head, 2),
            {"Head 3", "a vector of length " + number(std::sqrt(squares)) + "."});
}

TEST_F(NarratedPass, WhatAMaskForbidsAndWhy) {
  const auto causal = [](Document& d) { d.config.mask.causal = true; };
  open(test::changed(presetDocument("original-transformer"), causal));
  expectAll(narration(StepId::mask, SegmentKind::cell, 1), {"“sat” can see “cat”"});
  expectAll(narration(StepId::mask, SegmentKind::cell, 3),
            {"“sat” cannot see “on”", "causal: key 3 comes after query 2", "−∞",
             value(TensorId::scores, 2, 3)});
  expectAll(narration(StepId::softmax, SegmentKind::maximum), {"3 allowed scores"});
  expectAll(narration(StepId::softmax, SegmentKind::cell, 4),
            {"“the” 0 of its attention", "causal"});
}

TEST_F(NarratedPass, ARowWithoutAKeyAndAPinnedCell) {
  const auto shut = [](Document& d) {
    std::vector<std::uint8_t> allowed(36, 1);
    std::fill(allowed.begin() + 12, allowed.begin() + 18, std::uint8_t{0});
    d.config.mask.painted = test::painted(6, 6, allowed);
    d.pins = d.pins.with({{TensorId::rawScores, 0, 5, 2, 1}, 30.5F});
  };
  open(test::changed(presetDocument("original-transformer"), shut));
  expectAll(narration(StepId::softmax, SegmentKind::maximum), {"“sat”", "no softmax"});
  expectAll(narration(StepId::score, SegmentKind::cell, 1), {"pinned to 30.50"});
  const Timeline timeline(trace_->config(), kSubject);
  for (const TimelineSegment& m : timeline.moments()) {
    EXPECT_NE(m.beat, SegmentKind::exponentials);
    EXPECT_NE(m.beat, SegmentKind::sum);
  }
}

/// In a head with few numbers, the narrated part of a row ends with the head.
TEST_F(NarratedPass, AHeadsNumbersAlone) {
  for (const Index dK : {1, 2, 3}) {
    open(test::randomDocument(sized(8 * dK, 8, 6)));
    const auto numbersOf = [&](TensorId tensor, Index row) {
      std::string text = " = " + value(tensor, row, 5 * dK);
      for (Index i = 1; i < dK; ++i) text += ", " + value(tensor, row, 5 * dK + i);
      return text;
    };
    const auto endsWith = [](const std::string& text, const std::string& end) {
      EXPECT_TRUE(text.ends_with(end)) << "no '" << end << "' at the end of: " << text;
    };
    endsWith(narration(StepId::project, SegmentKind::row, 1), numbersOf(TensorId::qProj, 1));
    endsWith(narration(StepId::project, SegmentKind::restOfRows), numbersOf(TensorId::qProj, 5));
    endsWith(narration(StepId::project, SegmentKind::likewise), numbersOf(TensorId::kProj, 2));
  }
}

TEST_F(NarratedPass, WhoseColumnsTheyAreUnderAMistake) {
  const auto withMistake = [&](Mistake mistake) {
    open(test::changed(presetDocument("original-transformer"),
                       [mistake](Document& d) { setMistake(d.config, mistake, true); }));
  };
  open(presetDocument("original-transformer"));
  expectAll(narration(StepId::project, SegmentKind::restOfCells),
            {"of head 6’s part of “sat”’s query"});
  expectAll(narration(StepId::project, SegmentKind::allHeads), {"of which each head owns 64"});
  withMistake(Mistake::sharedHead);
  expectAll(narration(StepId::project, SegmentKind::restOfCells),
            {"of head 6’s part", R"(q_proj["sat", 63] = )" + value(TensorId::qProj, 2, 63)});
  expectAll(narration(StepId::project, SegmentKind::likewise), {R"(k_proj["sat", 0])"});
  withMistake(Mistake::reshapeWithoutTranspose);
  expectAll(narration(StepId::project, SegmentKind::restOfCells),
            {"of columns 320 to 383 of “sat”’s query", R"(q_proj["sat", 383])"});
  EXPECT_EQ(narration(StepId::project, SegmentKind::allHeads).find("owns"), std::string::npos);
}

TEST_F(NarratedPass, AWeightThatIsDroppedOrKept) {
  open(test::changed(presetDocument("original-transformer"), [](Document& d) {
    d.config.dropout = {0.5, 1};
  }));
  int dropped = 0;
  for (Index key = 0; key < 6; ++key) {
    const bool gone = trace_->value({TensorId::weights, 0, 5, 2, key}) == 0.0F;
    expectAll(narration(StepId::softmax, SegmentKind::cell, key),
              {gone ? ", then dropped → 0." : ", then rescaled for dropout → "});
    dropped += gone ? 1 : 0;
  }
  EXPECT_GT(dropped, 0);
  EXPECT_LT(dropped, 6);
}

}  // namespace
}  // namespace headscope
