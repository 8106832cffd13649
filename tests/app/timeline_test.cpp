// The timeline without a window: its moments, what each shows and what each says.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "app/ui/timeline/narration.h"
#include "app/ui/timeline/shown.h"
#include "app/ui/widgets.h"
#include "app_driver.h"
#include "core/attention.h"
#include "tests/core/support/cases.h"

namespace headscope::ui {
namespace {

using test::Case;
using test::sized;
using test::with;

/// The kinds of passes there are, and what else can be odd about them.
std::vector<std::pair<std::string, DocumentPtr>> documents() {
  std::vector<std::pair<std::string, DocumentPtr>> all;
  for (const Case& c : test::allCases()) all.emplace_back(c.name, test::randomDocument(c.config));
  const auto add = [&](const char* name, AttentionConfig config) {
    all.emplace_back(name, test::randomDocument(std::move(config)));
  };
  const auto causal = with(sized(16, 2, 9), [](auto& c) { c.mask.causal = true; });
  add("Dropout", with(causal, [](auto& c) { c.dropout.rate = 0.5; }));
  add("SoftmaxDown", with(causal, [](auto& c) { c.mistakes.softmaxOverQueries = true; }));
  add("ZeroForMasked", with(causal, [](auto& c) { c.mistakes.zeroForMasked = true; }));
  add("NoTranspose", with(causal, [](auto& c) { c.mistakes.reshapeWithoutTranspose = true; }));
  add("SharedHead", with(causal, [](auto& c) { c.mistakes.sharedHead = true; }));
  all.emplace_back("Pins", test::changed(test::randomDocument(causal), [](Document& d) {
                     for (const TensorId id : {TensorId::rawScores, TensorId::scores,
                                               TensorId::weights, TensorId::heads}) {
                       d.pins = d.pins.with({{id, 0, 1, 2, 1}, 0.625F});
                     }
                   }));
  return all;
}

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
  for (const auto& [name, document] : documents()) {
    const Timeline timeline(document->config, {0, 0, 0});
    double time = 0.0;
    std::size_t place = 0;
    for (const Moment& moment : timeline.moments()) {
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

/// What a step goes through, one by one and in the rest, is all there is.
TEST(Timeline, LeavesNothingOut) {
  const AttentionConfig c = with(sized(96, 12, 40), [](auto& config) { config.batch = 2; });
  const Timeline timeline(c, {0, 0, 3});
  const auto covered = [&](StepId step, Beat one, Beat rest) {
    Index next = 0;
    for (const Moment& m : timeline.moments()) {
      if (m.step != step || (m.beat != one && m.beat != rest)) continue;
      EXPECT_EQ(m.from, next);
      next = m.to;
    }
    return next;
  };
  EXPECT_EQ(covered(StepId::project, Beat::cell, Beat::restOfCells), 8);
  EXPECT_EQ(covered(StepId::split, Beat::head, Beat::restOfHeads), 12);
  for (const StepId step : {StepId::score, StepId::scale, StepId::mask, StepId::softmax}) {
    EXPECT_EQ(covered(step, Beat::cell, Beat::restOfCells), 40);
    EXPECT_EQ(covered(step, Beat::row, Beat::restOfRows), 39);
    EXPECT_EQ(covered(step, Beat::allHeads, Beat::allHeads), 12);
  }
  EXPECT_EQ(covered(StepId::weigh, Beat::key, Beat::restOfKeys), 40);
  EXPECT_EQ(covered(StepId::concat, Beat::head, Beat::restOfHeads), 12);
  EXPECT_EQ(covered(StepId::output, Beat::head, Beat::restOfHeads), 12);
  EXPECT_EQ(covered(StepId::output, Beat::row, Beat::restOfRows), 39);
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
  for (const Moment& moment : small.moments()) {
    const double there = large.translate(small, moment.start + moment.length / 2);
    EXPECT_EQ(large.moments()[large.at(there)].step, moment.step);
    EXPECT_NEAR(small.translate(large, there), moment.start + moment.length / 2, 1e-9);
  }
  EXPECT_EQ(large.translate(small, small.length()), large.length());
}

bool isVeiled(const Shown& shown, Index row, Index col) {
  const double r = static_cast<double>(row) + 0.5;
  const double c = static_cast<double>(col) + 0.5;
  return std::any_of(shown.veiled.begin(), shown.veiled.end(), [&](const CellRange& v) {
    return r > v.row0 && r < v.row1 && c > v.col0 && c < v.col1;
  });
}

TEST(Shown, IsWithinEveryPassAtEveryMoment) {
  for (const auto& [name, document] : documents()) {
    const TracePtr trace = runAttention(document);
    const AttentionConfig& c = trace->config();
    for (const Subject& s : {Subject{0, 0, 0}, Subject{c.batch - 1, c.numHeads - 1, c.seqLen - 1},
                             Subject{0, c.numHeads / 2, c.seqLen / 2}}) {
      const Timeline timeline(c, s);
      for (const Moment& moment : timeline.moments()) {
        for (const double share : {0.0, 0.37, 0.5, 1.0}) {
          const Shown shown = shownAt(*trace, s, moment, share);
          EXPECT_TRUE(shown.head >= 0 && shown.head < c.numHeads) << name;
          EXPECT_TRUE(shown.headsReached >= 0 && shown.headsReached <= c.numHeads) << name;
          EXPECT_LT(shown.lit[static_cast<std::size_t>(Lane::query)], c.seqLen) << name;
          EXPECT_LT(shown.lit[static_cast<std::size_t>(Lane::key)], c.keys()) << name;
          EXPECT_LT(shown.lit[static_cast<std::size_t>(Lane::column)], c.dK()) << name;
          for (const CellRange& v : shown.veiled) {
            EXPECT_TRUE(v.row0 >= 0.0 && v.row0 < v.row1 && v.col0 >= 0.0 && v.col0 < v.col1);
            EXPECT_LE(v.row1, static_cast<double>(std::max(c.seqLen, c.keys()))) << name;
            EXPECT_LE(v.col1, static_cast<double>(std::max({c.dModel, c.queryWidth(), c.keys()})))
                << name;
          }
        }
      }
    }
  }
}

TEST(Shown, VeilsWhatHasNotBeenReached) {
  const TracePtr trace = runAttention(test::randomDocument(sized(24, 4, 6)));
  const Subject s{0, 2, 3};
  const Timeline timeline(trace->config(), s);
  int cells = 0;
  int rows = 0;
  for (const Moment& m : timeline.moments()) {
    if (m.step != StepId::score) continue;
    const Shown shown = shownAt(*trace, s, m, 0.5);
    for (Index row = 0; row < 6; ++row) {
      for (Index col = 0; col < 6; ++col) {
        bool reached = true;
        if (m.beat == Beat::cell) reached = row == s.query && col <= m.from;
        if (m.beat == Beat::row) reached = row == s.query || row <= otherRow(s.query, m.from);
        if (m.beat == Beat::restOfRows) reached = row <= otherRow(s.query, 3);  // of 3 and 4
        EXPECT_EQ(isVeiled(shown, row, col), !reached) << row << ", " << col;
      }
    }
    if (m.beat == Beat::cell) {
      EXPECT_EQ(shown.lit[static_cast<std::size_t>(Lane::query)], s.query);
      EXPECT_EQ(shown.lit[static_cast<std::size_t>(Lane::key)], m.from);
      ++cells;
    }
    rows += m.beat == Beat::row ? 1 : 0;
    EXPECT_EQ(shown.scope == StageScope::allHeads, m.beat == Beat::allHeads);
  }
  EXPECT_EQ(cells, 6);
  EXPECT_EQ(rows, 3);
}

TEST(Shown, AHeadBringsItsColumns) {
  const TracePtr trace = runAttention(test::randomDocument(sized(24, 4, 6)));
  const Subject s{0, 2, 3};
  const Timeline timeline(trace->config(), s);
  for (const Moment& m : timeline.moments()) {
    if (m.step != StepId::concat) continue;
    const Shown shown = shownAt(*trace, s, m, 0.0);
    EXPECT_EQ(shown.head, m.from);
    for (Index col = 0; col < 24; ++col) EXPECT_EQ(isVeiled(shown, 1, col), col / 6 > m.from);
  }
}

TEST(Narration, SaysSomethingSoundAtEveryMomentOfEveryPass) {
  for (const auto& [name, document] : documents()) {
    const TracePtr trace = runAttention(document);
    const AttentionConfig& c = trace->config();
    for (const Subject& s : {Subject{0, 0, 0}, Subject{c.batch - 1, c.numHeads - 1, c.seqLen - 1},
                             Subject{0, std::min<Index>(1, c.numHeads - 1), c.seqLen / 4}}) {
      const Timeline timeline(c, s);
      for (const Moment& moment : timeline.moments()) {
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

class Told : public testing::Test {
 protected:
  void open(const DocumentPtr& document) { trace_ = runAttention(document); }

  /// The sentence of the first such moment from `from` on.
  std::string told(StepId step, Beat beat, Index from = 0) const {
    const Timeline timeline(trace_->config(), kSubject);
    for (const Moment& m : timeline.moments()) {
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

  static constexpr Subject kSubject{0, 5, 2};  // “sat” in head 6
  TracePtr trace_;
};

TEST_F(Told, ByTokensAndTheTracesNumbers) {
  open(presetDocument("original-transformer"));
  expectAll(told(StepId::project, Beat::cell, 1),
            {"“sat”", "q_proj[sat, 321]", "= " + value(TensorId::qProj, 2, 321) + "."});
  expectAll(told(StepId::project, Beat::row, 1),
            {"“cat”", "q_proj[cat, 320] = " + value(TensorId::qProj, 1, 320)});
  expectAll(told(StepId::project, Beat::likewise),
            {"key", "W_K", "k_proj[sat, 320] = " + value(TensorId::kProj, 2, 320)});
  expectAll(told(StepId::split, Beat::head, 2),
            {"Head 3", "columns 128 to 191", "q_proj[sat, 128]", value(TensorId::qProj, 2, 128)});
  expectAll(told(StepId::score, Beat::cell, 1),
            {"“sat” asks “cat”", "62 more terms = " + value(TensorId::rawScores, 2, 1) + "."});
  expectAll(
      told(StepId::scale, Beat::cell, 1),
      {"“cat”", value(TensorId::rawScores, 2, 1) + " × 0.1250 = ", value(TensorId::scores, 2, 1)});
  expectAll(told(StepId::mask, Beat::restOfCells), {"No mask", "“sat”", "every key, 6 of them"});
  expectAll(told(StepId::softmax, Beat::cell, 4),
            {"“sat” gives “the”", "= " + value(TensorId::weights, 2, 4)});
  expectAll(told(StepId::weigh, Beat::mixture),
            {"head 6", "heads[sat, 0] = " + value(TensorId::heads, 2, 0)});
  expectAll(told(StepId::concat, Beat::head, 4),
            {"Head 5", "columns 256 to 319", "C[sat, 256]", value(TensorId::heads, 2, 0, 4)});
  expectAll(told(StepId::output, Beat::total),
            {"b_O", "“sat”", "output[sat, 0] = " + value(TensorId::output, 2, 0)});
  expectAll(told(StepId::output, Beat::restOfRows),
            {"5 tokens", "“mat”", "output[mat, 0] = " + value(TensorId::output, 5, 0)});
  expectAll(told(StepId::score, Beat::allHeads),
            {value(TensorId::rawScores, 2, 5, 0) + " in head 1",
             value(TensorId::rawScores, 2, 5, 7) + " in head 8"});
}

TEST_F(Told, TheSumsAreThoseOfTheTrace) {
  open(presetDocument("original-transformer"));
  double largest = -1e9;
  double exponentials = 0.0;
  for (Index j = 0; j < 6; ++j) {
    largest = std::max<double>(largest, trace_->value({TensorId::maskedScores, 0, 5, 2, j}));
  }
  for (Index j = 0; j < 6; ++j) {
    exponentials += std::exp(trace_->value({TensorId::maskedScores, 0, 5, 2, j}) - largest);
  }
  expectAll(told(StepId::softmax, Beat::maximum), {"“sat”", "6 allowed", number(largest)});
  expectAll(told(StepId::softmax, Beat::sum), {number(exponentials)});
  // the values mixed one after another: after the last, what the trace has
  expectAll(told(StepId::weigh, Beat::key, 5),
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
  expectAll(told(StepId::output, Beat::head, 2),
            {"Head 3", "a vector of length " + number(std::sqrt(squares)) + "."});
}

TEST_F(Told, WhatAMaskForbidsAndWhy) {
  const auto causal = [](Document& d) { d.config.mask.causal = true; };
  open(test::changed(presetDocument("original-transformer"), causal));
  expectAll(told(StepId::mask, Beat::cell, 1), {"“sat” may see “cat”"});
  expectAll(told(StepId::mask, Beat::cell, 3),
            {"“sat” may not see “on”", "causal: key 3 comes after query 2", "−∞",
             value(TensorId::scores, 2, 3)});
  expectAll(told(StepId::softmax, Beat::maximum), {"3 allowed scores"});
  expectAll(told(StepId::softmax, Beat::cell, 4), {"“the” 0 of its attention", "causal"});
}

TEST_F(Told, ARowWithoutAKeyAndAPinnedCell) {
  const auto shut = [](Document& d) {
    std::vector<std::uint8_t> allowed(36, 1);
    std::fill(allowed.begin() + 12, allowed.begin() + 18, std::uint8_t{0});
    d.config.mask.painted = test::painted(6, 6, allowed);
    d.pins = d.pins.with({{TensorId::rawScores, 0, 5, 2, 1}, 30.5F});
  };
  open(test::changed(presetDocument("original-transformer"), shut));
  expectAll(told(StepId::softmax, Beat::maximum), {"“sat”", "no softmax"});
  expectAll(told(StepId::score, Beat::cell, 1), {"pinned to 30.50"});
  const Timeline timeline(trace_->config(), kSubject);
  for (const Moment& m : timeline.moments()) {
    EXPECT_NE(m.beat, Beat::exponentials);
    EXPECT_NE(m.beat, Beat::sum);
  }
}

/// With fewer numbers to a head than are told of a row, a row ends where the head does.
TEST_F(Told, AHeadsNumbersAlone) {
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
    endsWith(told(StepId::project, Beat::row, 1), numbersOf(TensorId::qProj, 1));
    endsWith(told(StepId::project, Beat::restOfRows), numbersOf(TensorId::qProj, 5));
    endsWith(told(StepId::project, Beat::likewise), numbersOf(TensorId::kProj, 2));
  }
}

TEST_F(Told, WhoseColumnsTheyAreUnderAMistake) {
  const auto withMistake = [&](Mistake mistake) {
    open(test::changed(presetDocument("original-transformer"),
                       [mistake](Document& d) { setMistake(d.config, mistake, true); }));
  };
  open(presetDocument("original-transformer"));
  expectAll(told(StepId::project, Beat::restOfCells), {"of head 6’s part of “sat”’s query"});
  expectAll(told(StepId::project, Beat::allHeads), {"of which each head owns 64"});
  withMistake(Mistake::sharedHead);
  expectAll(told(StepId::project, Beat::restOfCells),
            {"of head 6’s part", "q_proj[sat, 63] = " + value(TensorId::qProj, 2, 63)});
  expectAll(told(StepId::project, Beat::likewise), {"k_proj[sat, 0]"});
  withMistake(Mistake::reshapeWithoutTranspose);
  expectAll(told(StepId::project, Beat::restOfCells),
            {"of columns 320 to 383 of “sat”’s query", "q_proj[sat, 383]"});
  EXPECT_EQ(told(StepId::project, Beat::allHeads).find("owns"), std::string::npos);
}

TEST_F(Told, AWeightThatIsDroppedOrKept) {
  open(test::changed(presetDocument("original-transformer"), [](Document& d) {
    d.config.dropout = {0.5, 1};
  }));
  int dropped = 0;
  for (Index key = 0; key < 6; ++key) {
    const bool gone = trace_->value({TensorId::weights, 0, 5, 2, key}) == 0.0F;
    expectAll(told(StepId::softmax, Beat::cell, key),
              {gone ? ", then dropped → 0." : ", then rescaled for dropout → "});
    dropped += gone ? 1 : 0;
  }
  EXPECT_GT(dropped, 0);
  EXPECT_LT(dropped, 6);
}

}  // namespace
}  // namespace headscope::ui
