// Passes after random edits of every kind of configuration: the results shared with the previous
// pass and the new ones together equal those of a whole pass, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/document/document.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/sanitized.h"

namespace headscope::test {
namespace {

std::vector<Case> editedCases() {
  std::vector<Case> cases = allCases();
  for (const Case& each : whatIfCases()) cases.push_back(each);
  for (const Case& each : switchCases()) cases.push_back(each);
  cases.push_back({"Wide", with(sized(64, 8, 150), [](auto& c) { c.batch = 2; })});
  return cases;
}

/// Draws edits from a random stream of its own, so that a failure is reproducible on every machine.
class EditDraws {
 public:
  explicit EditDraws(std::string_view name) : stream_(11, name) {}

  float value() { return stream_.uniform(next_++); }  // in [−1, 1)
  Index below(Index count) {
    const auto drawn = static_cast<Index>((value() + 1.0F) / 2.0F * static_cast<float>(count));
    return std::min(drawn, count - 1);
  }

 private:
  RandomStream stream_;
  std::uint64_t next_ = 0;
};

CellRef anyCell(TensorId id, const AttentionConfig& c, EditDraws& draws) {
  const Shape shape = shapeOf(id, c);
  CellRef cell{id, -1, -1, 0, draws.below(shape.back())};
  if (info(id).perItem) cell.item = draws.below(c.batch);
  if (info(id).perHead) cell.head = draws.below(shape[1]);
  if (shape.size() > 1) cell.row = draws.below(shape[shape.size() - 2]);
  return cell;
}

Edit anySwitch(const AttentionConfig& c, EditDraws& draws) {
  switch (draws.below(4)) {
    case 0:
      return SetSwitch{&Switches::temperature, 1.25 + static_cast<double>(draws.value()) / 2.0};
    case 1:
      return SetSwitch{&Switches::bias, !c.switches->bias};
    case 2:
      return SetDropout{{c.dropout.on() ? 0.0 : 0.25, 5}};
    default: {
      Mask mask = c.mask;
      mask.causal = !mask.causal;
      return SetMask{mask};
    }
  }
}

Edit anyEdit(const Document& d, EditDraws& draws) {
  const AttentionConfig& c = d.config;
  std::vector<TensorId> operands{TensorId::x, TensorId::wQ, TensorId::wK, TensorId::wV,
                                 TensorId::wO};
  if (c.crossAttention()) operands.push_back(TensorId::memory);
  if (c.switches->bias) {
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

/// The document after the first random edit that it allows.
DocumentPtr editedByAny(const DocumentPtr& document, EditDraws& draws, std::string& names) {
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

DocumentPtr holding(ScoreStorage held, const DocumentPtr& document) {
  return changed(document, [held](Document& d) { d.scoreStorage = held; });
}

class EditedPass : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(All, EditedPass, testing::ValuesIn(editedCases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(EditedPass, IsBitForBitAWholePassOverRandomEdits) {
  EditDraws draws(GetParam().name);
  ExecutionContext execution;
  execution.memory = std::make_shared<BlockStore>();  // reused by every pass
  DocumentPtr document = randomDocument(GetParam().config);
  TracePtr trace = runAttention(document, nullptr, execution);
  TracePtr onlyWeights, noScores;
  const int kRounds = kSanitized ? 10 : 40;
  for (int n = 0; n < kRounds; ++n) {
    std::string names;
    for (Index edits = 1 + draws.below(3); edits > 0; --edits) {
      document = editedByAny(document, draws, names);
    }
    const TracePtr before = trace;
    trace = runAttention(document, before, execution);
    const TracePtr whole = runAttention(document);
    expectSameBits(*trace, *whole);
    EXPECT_EQ(trace->fullyMaskedRows, whole->fullyMaskedRows);
    if (!document->config.mistakes.softmaxOverQueries) {
      onlyWeights = runAttention(holding(ScoreStorage::weights, document), onlyWeights, execution);
      EXPECT_TRUE(onlyWeights->tensor(TensorId::rawScores).empty());
      EXPECT_FALSE(onlyWeights->tensor(TensorId::weights).empty());
      expectSameBits(*onlyWeights, *whole);
      noScores = runAttention(holding(ScoreStorage::none, document), noScores, execution);
      EXPECT_TRUE(noScores->tensor(TensorId::weights).empty());
      expectSameBits(*noScores, *whole);
    }
    for (std::size_t i = 0; i < kTensorCount; ++i) {
      const auto id = static_cast<TensorId>(i);
      if (trace->revision(id) != before->revision(id)) continue;
      EXPECT_TRUE(sameBits(before->materialise(id), trace->materialise(id)))
          << info(id).name << " is said to be the same";
    }
    if (HasFailure()) FAIL() << "edit " << n << ": " << names;
  }
}

TEST(EditedPass, GivesNothingWhereItIsCancelled) {
  const std::atomic<bool> cancelled = true;
  ExecutionContext execution;
  execution.cancelled = &cancelled;
  EXPECT_EQ(runAttention(randomDocument(sized(64, 8, 40)), nullptr, execution), nullptr);
}

TEST(EditedPass, HoldsScoresAgainOrNoMore) {
  DocumentPtr document = randomDocument(sized(64, 8, 40));
  TracePtr trace = runAttention(document);
  using enum ScoreStorage;
  Index head = 0;
  for (const ScoreStorage held : {none, all, weights, all, none, weights, none}) {
    document = edited(document, SetHeadGain{head++, 0.5F});
    trace = runAttention(holding(held, document), trace);
    for (const TensorId id : {TensorId::rawScores, TensorId::weights}) {
      EXPECT_EQ(trace->tensor(id).empty(), !holds(held, id));
    }
    expectSameBits(*trace, *runAttention(document));
  }
}

TEST(EditedPass, FollowsAMemoryOfOtherLength) {
  DocumentPtr document = fromTexts({"the cat sat on it"}, {"a b c"});
  TracePtr trace = runAttention(document);
  for (const char* memory : {"a b c d e f g h", "a b", "a b c d"}) {
    document = edited(document, SetText{0, true, memory});
    trace = runAttention(document, trace);
    expectSameBits(*trace, *runAttention(document));
  }
}

/// Results that an edit of one value made huge are right again once the value is small.
TEST(EditedPass, GoesToExtremesAndBack) {
  const DocumentPtr start = randomDocument(sized(64, 4, 40));
  for (const CellRef& cell :
       {CellRef{TensorId::x, 0, -1, 7, 5}, CellRef{TensorId::wV, -1, -1, 17, 5},
        CellRef{TensorId::bV, -1, -1, 0, 17}, CellRef{TensorId::wO, -1, -1, 3, 17},
        CellRef{TensorId::bO, -1, -1, 0, 3}}) {
    DocumentPtr document = start;
    TracePtr trace = runAttention(document);
    for (const float value : {1e15F, 1.0F, -1e15F, 1e-40F, 1e10F, 0.0F, 0.5F}) {
      document = edited(document, SetCell{cell, value});
      trace = runAttention(document, trace);
      expectSameBits(*trace, *runAttention(document));
      if (HasFailure()) FAIL() << toString(cell) << " = " << value;
    }
  }
}

/// A pass does not write over results of the previous pass that are still in use.
TEST(EditedPass, LeavesThePassBeforeAsItWas) {
  ExecutionContext execution;
  execution.memory = std::make_shared<BlockStore>();
  DocumentPtr document = randomDocument(sized(64, 8, 40));
  const TracePtr first = runAttention(document, nullptr, execution);
  const TracePtr kept = runAttention(document);
  TracePtr trace = first;
  for (int n = 0; n < 5; ++n) {
    document = edited(document, SetCell{{TensorId::x, 0, -1, 3, 7}, static_cast<float>(n)});
    trace = runAttention(document, trace, execution);
  }
  expectSameBits(*first, *kept);
}

}  // namespace
}  // namespace headscope::test
