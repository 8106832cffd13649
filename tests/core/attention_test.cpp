// The whole pass: the steps that run after each change, the refusals, and cancelling.
#include "core/document/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "core/attention/steps/step.h"
#include "core/attention/switches.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/reference.h"

namespace headscope::test {
namespace {

using Steps = std::vector<std::string>;

const Steps kAll{"project", "split", "score",  "scale", "mask",
                 "softmax", "weigh", "concat", "output"};

Steps from(const std::string& first) {
  return {std::find(kAll.begin(), kAll.end(), first), kAll.end()};
}

DocumentPtr textDocument() { return fromTexts({"the cat sat on the mat"}); }

/// One weight matrix exchanged for another of the same shape.
DocumentPtr withNew(const DocumentPtr& document, Tensor Weights::*member) {
  return changed(document, [&](Document& d) {
    Tensor& tensor = d.weights.*member;
    tensor = randomTensor(tensor.shape(), 99, "new", 0.2F);
  });
}

struct Change {
  std::string name;
  std::function<DocumentPtr(const DocumentPtr&)> make;
  Steps expected;
};

std::ostream& operator<<(std::ostream& out, const Change& c) { return out << c.name; }

Change editing(std::string name, Edit edit, Steps expected) {
  return {std::move(name),
          [edit = std::move(edit)](const DocumentPtr& d) { return edited(d, edit); },
          std::move(expected)};
}

Change exchanging(std::string name, Tensor Weights::*member, Steps expected) {
  return {std::move(name), [member](const DocumentPtr& d) { return withNew(d, member); },
          std::move(expected)};
}

Mask causal() {
  Mask mask;
  mask.causal = true;
  return mask;
}

/// The third of six queries may attend to nothing.
Mask withoutKeys() {
  std::vector<std::uint8_t> allowed(36, 1);
  std::fill_n(allowed.begin() + 12, 6, std::uint8_t{0});
  Mask mask;
  mask.painted = painted(6, 6, allowed);
  return mask;
}

std::vector<Change> allChanges() {
  const Steps ofValues{"project", "split", "weigh", "concat", "output"};
  const auto loaded = [] {
    const AttentionConfig c = sized(64, 8, 6, 2);
    return SetWeights{"file", randomWeights(c, 5), false, 8, 2};
  };
  const auto tensors = [] {
    return std::make_shared<const InputSource>(
        TensorSource{"file", randomTensor({2, 5, 40}, 5, "x", 1.0F), {}, {}, {}});
  };
  const auto same = [](const DocumentPtr& d) { return changed(d, [](Document&) {}); };
  return {
      {"Nothing", same, {}},
      exchanging("QueryWeights", &Weights::wQ, kAll),
      exchanging("KeyBias", &Weights::bK, kAll),
      exchanging("ValueWeights", &Weights::wV, ofValues),
      exchanging("ValueBias", &Weights::bV, ofValues),
      exchanging("OutputWeights", &Weights::wO, {"output"}),
      exchanging("OutputBias", &Weights::bO, {"output"}),
      editing("Heads", SetDimensions{48, 8, 8}, from("split")),
      editing("KeyValueHeads", SetDimensions{48, 4, 2}, kAll),
      editing("Width", SetDimensions{64, 4, 4}, kAll),
      editing("Tokens", SetTokens{9}, kAll),
      editing("Batch", SetBatch{2}, kAll),
      editing("Bias", SetSwitch{&Switches::bias, false}, kAll),
      editing("Scale", SetSwitch{&Switches::scale, false}, from("scale")),
      editing("Temperature", SetSwitch{&Switches::temperature, 2.0}, from("scale")),
      editing("TemperatureAsItWas", SetSwitch{&Switches::temperature, 1.0}, {}),
      editing("Mask", SetMask{causal()}, from("mask")),
      editing("MaskAsItWas", SetMask{}, {}),
      editing("RowsWithoutKeys", SetMask{withoutKeys()}, from("mask")),
      editing("Positions", SetPositions{Positions::none}, kAll),
      editing("Text", SetText{0, false, "the dog ran"}, kAll),
      editing("Memory", SetText{0, true, "die Katze"}, kAll),
      editing("MovedToken", MoveToken{0, false, 1, 4}, kAll),
      editing("Input", SetInput{tensors()}, kAll),
      editing("DrawnWeights", DrawWeights{WeightInit::normal, 7}, kAll),
      editing("LoadedWeights", loaded(), kAll),
      editing("HeadOff", SetHeadGain{2, 0.0F}, from("weigh")),
      editing("GainAsItWas", SetHeadGain{2, 1.0F}, {}),
      editing("AnotherDocument", Open{randomDocument(sized(12, 3, 4, 1)), "another"}, kAll),
  };
}

class Recompute : public testing::TestWithParam<Change> {
 protected:
  DocumentPtr before_ = textDocument();
  TracePtr first_ = runAttention(before_);
  DocumentPtr after_ = GetParam().make(before_);
};

INSTANTIATE_TEST_SUITE_P(All, Recompute, testing::ValuesIn(allChanges()),
                         [](const auto& test) { return test.param.name; });

TEST_P(Recompute, RunsTheStepsWhoseOperandsChanged) {
  const TracePtr part = runAttention(after_, first_);
  EXPECT_EQ(stepsThatRan(*part), GetParam().expected);
  EXPECT_EQ(part->stepsRun(), static_cast<int>(GetParam().expected.size()));
  EXPECT_EQ(stepsThatRan(*runAttention(after_, part)), Steps{});
}

TEST_P(Recompute, APartEqualsAllBitForBit) {
  expectSameBits(*runAttention(after_, first_), *runAttention(after_));
}

TEST_P(Recompute, BackAgainEqualsTheFirst) {
  expectSameBits(*runAttention(before_, runAttention(after_, first_)), *first_);
}

/// Equal revisions mean equal values; a step that ran gives its results a new revision.
TEST_P(Recompute, RevisionsFollowTheValues) {
  const TracePtr part = runAttention(after_, first_);
  EXPECT_EQ(part->pass(), first_->pass() + 1);
  for (std::size_t i = 0; i < kTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    if (part->revision(id) == first_->revision(id)) {
      EXPECT_TRUE(sameBits(part->materialise(id), first_->materialise(id))) << info(id).name;
    } else {
      EXPECT_EQ(part->revision(id), part->pass()) << info(id).name;
      if (!part->tensor(id).empty()) {
        EXPECT_FALSE(part->tensor(id).sameAs(first_->tensor(id))) << info(id).name;
      }
    }
  }
  for (const Step* step : stepsOf({})) {
    const bool ran = part->run(step->id()).ran;
    bool any = false;
    for (const TensorId id : step->outputs()) any |= part->revision(id) == part->pass();
    EXPECT_EQ(any, ran) << step->text(part->config()).id;
  }
}

/// With new values of W_V alone, the tensors up to the weights, Q and K included, keep their
/// revisions.
TEST(Attention, ValuesAloneLeaveQueriesAndKeys) {
  const DocumentPtr before = textDocument();
  const TracePtr first = runAttention(before);
  const TracePtr next = runAttention(withNew(before, &Weights::wV), first);
  for (const TensorId id : {TensorId::qProj, TensorId::kProj, TensorId::q, TensorId::k,
                            TensorId::rawScores, TensorId::maskedScores, TensorId::weights}) {
    EXPECT_EQ(next->revision(id), first->revision(id)) << info(id).name;
  }
  for (const TensorId id : {TensorId::vProj, TensorId::v, TensorId::heads, TensorId::output}) {
    EXPECT_EQ(next->revision(id), next->pass()) << info(id).name;
  }
}

/// The queries are split again even with the same W_Q and the same number of key/value heads.
TEST(Attention, QueryHeadsAloneAreSplitAgain) {
  const DocumentPtr before = randomDocument(sized(48, 4, 6, 2));
  const DocumentPtr after = changed(before, [](Document& d) {
    d.config = sized(48, 8, 6, 2);
    const Weights other = randomWeights(d.config, 2);
    d.weights.wK = other.wK;
    d.weights.wV = other.wV;
    d.weights.bK = other.bK;
    d.weights.bV = other.bV;
  });
  expectSameBits(*runAttention(after, runAttention(before)), *runAttention(after));
}

/// A product large enough to be computed in pieces of 64 rows.
TEST(Attention, PiecesOfALargeProductJoinUp) {
  const AttentionConfig c = sized(4096, 8, 130);
  const Tensor weight = randomTensor({c.dModel, c.dModel}, 1, "W", 0.05F);
  const Tensor bias = randomTensor({c.dModel}, 1, "b", 0.3F);
  const DocumentPtr document =
      documentOf(c, randomTensor(shapeOf(TensorId::x, c), 1, "x", 1.0F), {},
                 {weight, weight, weight, weight, bias, bias, bias, bias});
  const Tensor q = runAttention(document)->tensor(TensorId::qProj);
  for (const Index t : {0, 63, 64, 127, 128, 129}) {
    for (const Index o : {0, 1000, 4095}) {
      double sum = bias.at({o});
      for (Index j = 0; j < c.dModel; ++j) {
        sum += static_cast<double>(document->input->x.at({0, t, j})) *
               static_cast<double>(weight.at({o, j}));
      }
      EXPECT_NEAR(q.at({0, t, o}), sum, 1e-4) << t << ", " << o;
    }
  }
}

/// Goes through every change in turn; each trace reuses the one before.
TEST(Attention, ALongSeriesOfEditsStaysRight) {
  DocumentPtr document = textDocument();
  TracePtr trace = runAttention(document);
  for (int round = 0; round < 2; ++round) {
    for (const Change& change : allChanges()) {
      if (change.name == "AnotherDocument" || change.name == "Input") continue;
      SCOPED_TRACE(change.name);
      try {
        document = change.make(document);
      } catch (const UserError&) {
        continue;  // an edit that does not fit what came before it
      }
      trace = runAttention(document, trace);
      expectSameBits(*trace, *runAttention(document));
    }
  }
}

/// One head of full width is attention without heads: softmax(QKᵀ/√D)V, then W_O.
TEST(Attention, OneHeadOfFullWidthIsPlainAttention) {
  const DocumentPtr document = randomDocument(sized(16, 1, 5));
  const TracePtr trace = runAttention(document);
  const Weights& w = document->weights;
  const auto at = [](const Tensor& m, Index i, Index j) {
    return static_cast<double>(m.at({i, j}));
  };
  const Tensor x = document->input->x.reshaped({5, 16});
  const auto projected = [&](const Tensor& weight, const Tensor& bias, Index t, Index o) {
    double sum = bias.at({o});
    for (Index i = 0; i < 16; ++i) sum += at(x, t, i) * at(weight, o, i);
    return sum;
  };
  std::vector<double> expected;
  for (Index i = 0; i < 5; ++i) {
    std::vector<double> scores(5, 0.0);
    for (Index j = 0; j < 5; ++j) {
      for (Index d = 0; d < 16; ++d) {
        scores[static_cast<std::size_t>(j)] +=
            projected(w.wQ, w.bQ, i, d) * projected(w.wK, w.bK, j, d) / 4.0;
      }
    }
    const auto weights = softmax(scores);
    std::vector<double> mixed(16, 0.0);
    for (Index j = 0; j < 5; ++j) {
      for (Index d = 0; d < 16; ++d) {
        mixed[static_cast<std::size_t>(d)] +=
            weights[static_cast<std::size_t>(j)] * projected(w.wV, w.bV, j, d);
      }
    }
    for (Index o = 0; o < 16; ++o) {
      double sum = w.bO.at({o});
      for (Index d = 0; d < 16; ++d) sum += mixed[static_cast<std::size_t>(d)] * at(w.wO, o, d);
      expected.push_back(sum);
    }
  }
  expectClose(trace->tensor(TensorId::output), expected, "output");
}

TEST(Attention, AHeadThatIsOffGivesExactZeros) {
  AttentionConfig config = sized(16, 4, 5);
  config.headGains = {1.0F, 0.0F, 1.0F, 1.0F};
  const TracePtr trace = runAttention(randomDocument(config));
  const Tensor off = trace->tensor(TensorId::heads).slice(1, 1, 2);
  for (const float value : off.values()) EXPECT_EQ(value, 0.0F);
}

TEST(Attention, CancelledPassGivesNothing) {
  const DocumentPtr document = randomDocument(sized(16, 4, 5));
  const std::atomic<bool> cancelled{true};
  ExecutionContext execution;
  execution.cancelled = &cancelled;
  EXPECT_EQ(runAttention(document, nullptr, execution), nullptr);
  const std::atomic<bool> going{false};
  std::atomic<int> done{0};
  execution.cancelled = &going;
  execution.stepsDone = &done;
  EXPECT_NE(runAttention(document, nullptr, execution), nullptr);
  EXPECT_EQ(done, 9);
}

TEST(Attention, TimesAddUp) {
  const TracePtr trace = runAttention(randomDocument(sized(96, 12, 40)));
  double sum = 0.0;
  for (const StepRun& run : trace->steps) {
    EXPECT_GE(run.ms, 0.0);
    sum += run.ms;
  }
  EXPECT_GT(sum, 0.0);
  EXPECT_LE(sum, trace->ms);
}

TEST(Attention, EveryRowMaskedGivesTheBiasAlone) {
  AttentionConfig c = sized(16, 4, 3);
  c.mask.painted = painted(3, 3, std::vector<std::uint8_t>(9, 0));
  const TracePtr trace = runAttention(randomDocument(c));
  EXPECT_EQ(trace->fullyMaskedRows.size(), 12U);
  for (const float weight : trace->tensor(TensorId::weights).values()) EXPECT_EQ(weight, 0.0F);
  for (Index i = 0; i < 3; ++i) {
    for (Index o = 0; o < 16; ++o) {
      EXPECT_EQ(trace->tensor(TensorId::output).at({0, i, o}), trace->tensor(TensorId::bO).at({o}));
    }
  }
}

}  // namespace
}  // namespace headscope::test
