// Passes that compute only what an edit reaches, over random edits of every kind of configuration:
// equal to whole passes to rounding, and true in what they say has changed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "tests/core/support/documents.h"

namespace headscope::test {
namespace {

std::vector<Case> patchedCases() {
  std::vector<Case> cases = allCases();
  for (const Case& each : whatIfCases()) cases.push_back(each);
  cases.push_back({"Wide", with(sized(64, 8, 150), [](auto& c) { c.batch = 2; })});
  return cases;
}

/// Draws what to do from a stream of its own, so that a failure is the same on every machine.
class Draws {
 public:
  explicit Draws(std::string_view name) : stream_(11, name) {}

  float value() { return stream_.uniform(next_++); }  // in [−1, 1)
  Index below(Index count) {
    const auto drawn = static_cast<Index>((value() + 1.0F) / 2.0F * static_cast<float>(count));
    return std::min(drawn, count - 1);
  }

 private:
  RandomStream stream_;
  std::uint64_t next_ = 0;
};

CellRef anyCell(TensorId id, const AttentionConfig& c, Draws& draws) {
  const Shape shape = shapeOf(id, c);
  CellRef cell{id, -1, -1, 0, draws.below(shape.back())};
  if (info(id).perItem) cell.item = draws.below(c.batch);
  if (info(id).perHead) cell.head = draws.below(shape[1]);
  if (shape.size() > 1) cell.row = draws.below(shape[shape.size() - 2]);
  return cell;
}

Edit anySwitch(const AttentionConfig& c, Draws& draws) {
  switch (draws.below(4)) {
    case 0:
      return SetTemperature{1.25 + static_cast<double>(draws.value()) / 2.0};
    case 1:
      return SetBias{!c.bias};
    case 2:
      return SetDropout{{c.dropout.on() ? 0.0 : 0.25, 5}};
    default: {
      Mask mask = c.mask;
      mask.causal = !mask.causal;
      return SetMask{mask};
    }
  }
}

Edit anyEdit(const Document& d, Draws& draws) {
  const AttentionConfig& c = d.config;
  std::vector<TensorId> operands{TensorId::x, TensorId::wQ, TensorId::wK, TensorId::wV,
                                 TensorId::wO};
  if (c.crossAttention()) operands.push_back(TensorId::memory);
  if (c.bias) {
    for (const TensorId id : {TensorId::bQ, TensorId::bK, TensorId::bV, TensorId::bO}) {
      operands.push_back(id);
    }
  }
  const TensorId operand =
      operands[static_cast<std::size_t>(draws.below(static_cast<Index>(operands.size())))];
  switch (draws.below(8)) {
    case 0:
    case 1:
      return SetCell{anyCell(operand, c, draws), draws.value()};
    case 2: {
      Region region = wholeRegion(operand, info(operand).perItem ? 0 : -1, c);
      region.row = draws.below(region.rows);
      region.rows = 1;
      return FillRegion{region, FillScaled{static_cast<double>(draws.value())}};
    }
    case 3: {
      Mask mask = c.mask;
      auto next = std::make_shared<PaintedMask>();
      if (mask.painted != nullptr) {
        *next = *mask.painted;
      } else {
        *next = {c.seqLen, c.keys(),
                 std::vector<std::uint8_t>(static_cast<std::size_t>(c.seqLen * c.keys()), 1)};
      }
      auto& cell = next->allowed[static_cast<std::size_t>(
          draws.below(static_cast<Index>(next->allowed.size())))];
      cell = cell == 0 ? 1 : 0;
      mask.painted = std::move(next);
      return SetMask{mask};
    }
    case 4: {
      constexpr std::array kPinned{TensorId::rawScores, TensorId::scores, TensorId::weights,
                                   TensorId::heads};
      return SetPin{
          {anyCell(kPinned[static_cast<std::size_t>(draws.below(4))], c, draws), draws.value()}};
    }
    case 5:
      return SetHeadGain{draws.below(c.numHeads), draws.value()};
    case 6: {
      const auto mistakes = allMistakes();
      const Mistake mistake =
          mistakes[static_cast<std::size_t>(draws.below(std::ssize(mistakes)))].mistake;
      return SetMistake{mistake, !isOn(c, mistake)};
    }
    default:
      return anySwitch(c, draws);
  }
}

/// Where the document allows it.
DocumentPtr editedByAny(const DocumentPtr& document, Draws& draws, std::string& names) {
  for (;;) {
    const Edit edit = anyEdit(*document, draws);
    try {
      DocumentPtr next = edited(document, edit);
      names += nameOf(edit, *document) + "; ";
      return next;
    } catch (const UserError&) {
    }
  }
}

/// Cells that a trace says have not changed are those of the trace before, bit for bit.
void expectSameOutside(const Trace& before, const Trace& now, TensorId id) {
  const Change& change = now.change(id);
  if (change.isAll() || now.tensor(id).empty()) return;
  Tensor old = before.tensor(id).clone();
  const Tensor kept = now.tensor(id);
  for (const Box& box : change.boxes()) {
    const ConstMatrixView from = kept.matrixOf(box);
    const MatrixView to = old.mutableMatrixOf(box);
    for (Index r = 0; r < to.rows; ++r) {
      for (Index c = 0; c < to.cols; ++c) to(r, c) = from(r, c);
    }
  }
  EXPECT_TRUE(sameBits(old, kept)) << info(id).name;
}

class PatchedPass : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(All, PatchedPass, testing::ValuesIn(patchedCases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(PatchedPass, EqualsAWholePassOverRandomEdits) {
  Draws draws(GetParam().name);
  Execution patching;
  patching.patchFrom = 0;
  DocumentPtr document = randomDocument(GetParam().config);
  TracePtr trace = runAttention(document, nullptr, patching);
  EXPECT_FALSE(trace->patched);
  for (int n = 0; n < 40; ++n) {
    std::string name;
    for (Index edits = 1 + draws.below(3); edits > 0; --edits) {
      document = editedByAny(document, draws, name);
    }
    const TracePtr before = trace;
    trace = runAttention(document, trace, patching);
    const TracePtr whole = runAttention(document);
    for (std::size_t i = 0; i < kTensorCount; ++i) {
      const auto id = static_cast<TensorId>(i);
      if (trace->tensor(id).empty() && !isResult(id)) continue;
      expectClose(trace->materialise(id), whole->materialise(id).values(),
                  std::string(info(id).name) + " after " + name, 5e-6);
      expectSameOutside(*before, *trace, id);
    }
    EXPECT_EQ(trace->fullyMaskedRows, whole->fullyMaskedRows) << name;
    if (HasFailure()) FAIL() << "edit " << n << ": " << name;
  }
}

/// What was computed for other keys is no ground to patch from.
TEST(PatchedPass, AMemoryOfOtherLengthIsComputed) {
  Execution patching;
  patching.patchFrom = 0;
  DocumentPtr document = fromTexts({"the cat sat on it"}, {"a b c"});
  TracePtr trace = runAttention(document, nullptr, patching);
  for (const char* memory : {"a b c d e f g h", "a b", "a b c d"}) {
    document = edited(document, SetText{0, true, memory});
    trace = runAttention(document, trace, patching);
    expectSameBits(*trace, *runAttention(document));
  }
}

TEST(PatchedPass, WeightsOfAnotherSoftmaxAreNoGroundToPatchFrom) {
  Execution patching;
  patching.patchFrom = 0;
  const DocumentPtr down =
      edited(randomDocument(sized(64, 8, 40)), SetMistake{Mistake::softmaxOverQueries, true});
  const DocumentPtr along = edited(edited(down, SetCell{{TensorId::x, 0, -1, 3, 7}, 2.0F}),
                                   SetMistake{Mistake::softmaxOverQueries, false});
  const TracePtr patched = runAttention(along, runAttention(down), patching);
  expectClose(patched->tensor(TensorId::output),
              runAttention(along)->tensor(TensorId::output).values(), "output", 5e-6);
}

/// Rounding does not add up for as long as a hand moves.
TEST(PatchedPass, FollowsOnlySoManyInARow) {
  Execution patching;
  patching.patchFrom = 0;
  DocumentPtr document = randomDocument(sized(64, 8, 40));
  TracePtr trace = runAttention(document, nullptr, patching);
  int most = 0;
  for (int n = 0; n < 450; ++n) {
    const float value = static_cast<float>(n % 7) - 3.0F;
    document = edited(document, SetCell{{TensorId::x, 0, -1, 3, 7}, value});
    trace = runAttention(document, trace, patching);
    most = std::max(most, trace->patches[static_cast<std::size_t>(TensorId::heads)].passes);
  }
  EXPECT_EQ(most, 200);
  const TracePtr whole = runAttention(document);
  expectClose(trace->tensor(TensorId::output), whole->tensor(TensorId::output).values(), "output",
              5e-6);
}

TEST(PatchedPass, ComputesNoMoreThanTheEditReaches) {
  Execution patching;
  patching.patchFrom = 0;
  const DocumentPtr document = randomDocument(sized(64, 8, 40));
  const TracePtr first = runAttention(document, nullptr, patching);
  const auto change = [&](const Edit& edit, TensorId id) {
    return runAttention(edited(document, edit), first, patching)->change(id);
  };
  const auto boxes = [&](const Edit& edit, TensorId id) { return change(edit, id).boxes(); };
  const SetCell wO{{TensorId::wO, -1, -1, 5, 7}, 0.5F};
  EXPECT_EQ(boxes(wO, TensorId::output), (std::vector<Box>{{0, 0, 0, 40, 5, 1}}));
  EXPECT_TRUE(change(wO, TensorId::weights).isNone());
  const SetCell wQ{{TensorId::wQ, -1, -1, 17, 7}, 0.5F};  // of head 2
  EXPECT_EQ(boxes(wQ, TensorId::q), (std::vector<Box>{{0, 2, 0, 40, 1, 1}}));
  EXPECT_EQ(boxes(wQ, TensorId::weights), (std::vector<Box>{{0, 2, 0, 40, 0, 40}}));
  const SetCell x{{TensorId::x, 0, -1, 3, 7}, 0.5F};
  EXPECT_EQ(boxes(x, TensorId::qProj), (std::vector<Box>{{0, 0, 3, 1, 0, 64}}));
  EXPECT_EQ(change(x, TensorId::rawScores).cells(), 8 * (40 + 39));
  Mask mask;
  std::vector<std::uint8_t> allowed(1600, 1);
  allowed[5 * 40 + 6] = 0;
  mask.painted = painted(40, 40, allowed);
  EXPECT_TRUE(change(SetMask{mask}, TensorId::rawScores).isNone());
  EXPECT_EQ(change(SetMask{mask}, TensorId::weights).cells(), 8 * 40);
  EXPECT_EQ(boxes(SetMask{mask}, TensorId::output), (std::vector<Box>{{0, 0, 5, 1, 0, 64}}));
}

TEST(PatchedPass, IsToldFromAWholeOneUntilThereIsOne) {
  Execution patching;
  patching.patchFrom = 0;
  const DocumentPtr document = randomDocument(sized(64, 8, 40));
  const TracePtr first = runAttention(document, nullptr, patching);
  const DocumentPtr changed = edited(document, SetCell{{TensorId::wO, -1, -1, 5, 7}, 0.5F});
  const TracePtr patched = runAttention(changed, first, patching);
  EXPECT_TRUE(patched->patched);
  const DocumentPtr off = edited(changed, SetHeadGain{2, 0.0F});
  EXPECT_TRUE(runAttention(off, patched, patching)->patched);
  Execution whole;
  whole.whole = true;
  const TracePtr settled = runAttention(changed, patched, whole);
  EXPECT_FALSE(settled->patched);
  expectSameBits(*settled, *runAttention(changed));
}

TEST(PatchedPass, SmallPassesAreExact) {
  const DocumentPtr document = randomDocument(sized(64, 8, 40));
  const TracePtr first = runAttention(document);
  const DocumentPtr changed = edited(document, SetCell{{TensorId::wQ, -1, -1, 5, 7}, 0.5F});
  const TracePtr next = runAttention(changed, first);
  EXPECT_FALSE(next->patched);
  expectSameBits(*next, *runAttention(changed));
}

}  // namespace
}  // namespace headscope::test
