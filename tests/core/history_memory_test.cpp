// The states that the history keeps and returns: bit for bit, with shared storage, within the
// budget.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/switches.h"
#include "core/base/random.h"
#include "core/document/document.h"
#include "core/editing/history.h"
#include "tests/core/support/states.h"

namespace headscope::test {
namespace {

/// All entries are kept within the default budget, and lead to the first state and back.
void expectTenThousandWithinBudget(History& h, const Document& start) {
  ASSERT_EQ(h.size(), 10'001U);
  EXPECT_LT(h.bytesHeld(), Index{256} << 20);
  const DocumentPtr end = apart(*h.current());
  h.jumpTo(0);
  expectSameState(*h.current(), start);
  h.jumpTo(10'000);
  expectSameState(*h.current(), *end);
}

TEST(HistoryMemory, TenThousandCellsOfALargeMatrix) {
  const Index width = 256;  // whole matrices would be 2.6 GB
  History h(fromSource(TextSource{{"the cat sat"}, {}}, sized(width, 4, 1)), Index{4} << 30);
  const DocumentPtr start = apart(*h.current());
  const Index cells = width * width;
  for (Index i = 0; i < 10'000; ++i) {
    h.apply(cellEdit(*h.current(), 0, i * 7919 % cells, static_cast<float>(i)));
  }
  expectTenThousandWithinBudget(h, *start);
  for (int i = 0; i < 100; ++i) h.undo();  // one by one as well
  EXPECT_EQ(h.position(), 9'900U);
  EXPECT_EQ(h.current()->weights.wQ.data()[9'900 * 7919 % cells],
            start->weights.wQ.data()[9'900 * 7919 % cells]);
  EXPECT_EQ(h.current()->weights.wQ.data()[9'899 * 7919 % cells], 9'899.0F);
  EXPECT_LT(h.bytesHeld(), Index{256} << 20);
}

DocumentPtr loaded(Shape shape) {
  return fromSource(
      TensorSource{"layer.safetensors", randomTensor(std::move(shape), 1, "x", 1.0F), {}, {}, {}});
}

TEST(HistoryMemory, TenThousandCellsOfALoadedX) {
  History h(loaded({1, 64, 240}), kBudget);
  const DocumentPtr start = apart(*h.current());
  const Index cells = 64 * 240;
  for (Index i = 0; i < 10'000; ++i) {
    const Index cell = i * 7919 % cells;
    h.apply(SetCell{{TensorId::x, 0, -1, cell / 240, cell % 240}, static_cast<float>(i)});
  }
  expectTenThousandWithinBudget(h, *start);
}

TEST(HistoryMemory, ACellOfXCostsNoMore) {
  History h(fromSource(TextSource{{"the cat sat"}, {"on a mat"}}, sized(768, 12, 1)), kBudget);
  h.apply(cellEdit(*h.current(), 8, 5, 0.25F));
  const Index once = h.bytesHeld();
  EXPECT_LT(once, 4'000);
  h.apply(cellEdit(*h.current(), 9, 6, 0.5F));
  EXPECT_EQ(h.bytesHeld(), 2 * once);
  h.jumpTo(0);
  EXPECT_EQ(h.bytesHeld(), 2 * once);
}

TEST(HistoryMemory, CountsWhatIsNotCurrent) {
  History h(fromTexts({"the cat sat"}), kBudget);
  const Index small = 4 * 4 * 48 * 48;
  const Index large = 4 * 4 * 96 * 96;
  h.apply(SetDimensions{96, 4, 4});
  EXPECT_GE(h.bytesHeld(), small);
  EXPECT_LT(h.bytesHeld(), 2 * small);
  h.undo();
  EXPECT_GE(h.bytesHeld(), large);
  EXPECT_LT(h.bytesHeld(), 2 * large);
}

TEST(HistoryMemory, CountsThePinsThatChange) {
  History h(fromTexts({"the cat sat"}), kBudget);
  const auto added = [&h](const Edit& edit) {
    const Index before = h.bytesHeld();
    h.apply(edit);
    return h.bytesHeld() - before;
  };
  const CellRef first{TensorId::rawScores, 0, 0, 0, 0};
  const CellRef second{TensorId::rawScores, 0, 0, 0, 1};
  const auto pin = static_cast<Index>(sizeof(Pin));
  const Index once = added(SetPin{{first, 1.0F}});
  EXPECT_EQ(added(SetPin{{second, 1.0F}}), once);
  EXPECT_EQ(added(SetPin{{second, 2.0F}}), once + pin);       // the value before it as well
  EXPECT_LT(added(SetSwitch{&Switches::bias, false}), once);  // shares them
  EXPECT_GE(added(RemoveAllPins{}), once + pin - 100);        // two of them; its name is shorter
}

TEST(HistoryMemory, APinOnEveryScore) {
  const Index tokens = 20;
  const Index cells = 4 * tokens * tokens;  // 4 heads
  History h(loaded({1, tokens, 48}), kBudget);
  for (Index i = 0; i < cells; ++i) {
    const Index cell = i * 7919 % cells;
    const CellRef at{TensorId::rawScores, 0, cell / (tokens * tokens), cell / tokens % tokens,
                     cell % tokens};
    h.apply(SetPin{{at, static_cast<float>(i)}});
  }
  ASSERT_EQ(h.size(), 1'601U);
  EXPECT_LT(h.bytesHeld(), cells * 6'000);  // with all pins in each: 82 MB more
  const Pins all = h.current()->pins;
  h.jumpTo(0);
  EXPECT_TRUE(h.current()->pins.empty());
  h.jumpTo(1'600);
  EXPECT_EQ(h.current()->pins, all);
  h.undo();
  EXPECT_EQ(h.current()->pins.all().size(), 1'599U);
  EXPECT_FALSE(h.current()->pins.at({TensorId::rawScores, 0, 0, 4, 1}));  // 1'599 * 7919 % 1'600
}

TEST(HistoryMemory, PatchedStatesHoldNoTensors) {
  History h(fromSource(TextSource{{"the cat sat"}, {}}, sized(96, 4, 1)), kBudget);
  h.apply(SetSwitch{&Switches::bias, false});  // shares W_Q with the start
  const std::weak_ptr<const Document> second = h.current();
  h.apply(cellEdit(*h.current(), 0, 3, 2.0F));
  h.apply(cellEdit(*h.current(), 1, 3, 2.0F));
  EXPECT_TRUE(second.expired());
  EXPECT_LT(h.bytesHeld(), h.current()->weights.wQ.size() * 4);
}

TEST(HistoryMemory, WhatDoesNotDifferStaysTheVerySame) {
  History h(fromTexts({"the cat sat"}, {"on a mat"}), kBudget);
  const DocumentPtr start = h.current();  // held or not
  h.apply(cellEdit(*h.current(), 0, 3, 2.0F));
  h.apply(cellEdit(*h.current(), 8, 3, 2.0F));
  h.apply(cellEdit(*h.current(), 5, 3, 2.0F));
  const auto expectOnly = [&h](std::vector<std::size_t> changed, const auto& move) {
    const DocumentPtr before = h.current();
    move();
    for (std::size_t t = 0; t < kTensors; ++t) {
      const bool expected = std::find(changed.begin(), changed.end(), t) == changed.end();
      EXPECT_EQ(tensorOf(*h.current(), t).sameAs(tensorOf(*before, t)), expected) << t;
    }
    const bool input = std::find(changed.begin(), changed.end(), 8U) == changed.end();
    EXPECT_EQ(h.current()->input == before->input, input);
  };
  expectOnly({5}, [&] { h.undo(); });
  expectOnly({8}, [&] { h.undo(); });
  expectOnly({0}, [&] { h.undo(); });
  expectOnly({0, 8}, [&] { h.jumpTo(2); });
  expectOnly({5}, [&] { h.redo(); });
  expectOnly({0, 5, 8}, [&] { h.jumpTo(0); });
}

TEST(HistoryMemory, WhoeverHoldsADocumentIsLeftAlone) {
  History h(fromTexts({"the cat sat"}), kBudget);
  h.apply(cellEdit(*h.current(), 0, 3, 2.0F));
  const DocumentPtr held = h.current();
  const DocumentPtr copy = apart(*held);
  for (Index i = 0; i < 5; ++i) h.apply(cellEdit(*h.current(), 0, i, 7.0F));
  const DocumentPtr last = h.current();
  const DocumentPtr lastCopy = apart(*last);
  const DocumentPtr looked = h.at(3);
  const DocumentPtr lookedCopy = apart(*looked);
  h.jumpTo(0);
  h.jumpTo(4);
  expectSameState(*held, *copy);
  expectSameState(*last, *lastCopy);
  expectSameState(*looked, *lookedCopy);
}

TEST(HistoryMemory, AGestureCostsOneEntry) {
  History h(fromTexts({"the cat sat"}), kBudget);
  const DocumentPtr start = apart(*h.current());
  h.apply(cellEdit(*h.current(), 0, 0, 1.0F), "drag");
  const Index once = h.bytesHeld();
  for (int i = 2; i <= 50; ++i) {
    h.apply(cellEdit(*h.current(), 0, 0, static_cast<float>(i)), "drag");
  }
  EXPECT_EQ(h.size(), 2U);
  EXPECT_EQ(h.bytesHeld(), once);
  const DocumentPtr end = apart(*h.current());
  h.undo();
  expectSameState(*h.current(), *start);
  h.redo();
  expectSameState(*h.current(), *end);
}

TEST(HistoryMemory, TheOldestGoFirstAndTheNameStays) {
  const Index budget = 20'000;
  History h(fromTexts({"the cat sat"}), kBudget, budget);
  std::vector<DocumentPtr> all{apart(*h.current())};
  for (Index i = 0; i < 50; ++i) {
    Open edit = cellEdit(*h.current(), 0, i, 7.0F);
    edit.name = "cell " + std::to_string(i + 1);
    h.apply(edit);
    all.push_back(apart(*h.current()));
    EXPECT_LE(h.bytesHeld(), budget);
  }
  EXPECT_GT(h.bytesHeld(), budget - 4'000);
  ASSERT_GT(h.size(), 5U);
  ASSERT_LT(h.size(), 51U);
  const std::size_t dropped = all.size() - h.size();
  for (std::size_t i = 0; i < h.size(); ++i) {
    EXPECT_EQ(h.nameAt(i), "cell " + std::to_string(dropped + i));
    expectSameState(*h.at(i), *all[dropped + i]);
  }
  h.jumpTo(0);
  expectSameState(*h.current(), *all[dropped]);
}

/// A loaded X with moved rows is also in the source; both share one whole copy.
TEST(HistoryMemory, LoadedInputs) {
  History h(loaded({1, 64, 48}), kBudget);
  const Index bytes = 64 * 48 * 4;
  const DocumentPtr start = h.current();
  h.apply(MoveToken{0, false, 0, 1});
  h.apply(cellEdit(*h.current(), 8, 5, 0.25F));
  EXPECT_GE(h.bytesHeld(), bytes);
  EXPECT_LT(h.bytesHeld(), bytes + 20'000);
  const DocumentPtr end = apart(*h.current());
  h.jumpTo(0);
  EXPECT_EQ(h.current(), start);
  h.jumpTo(2);
  expectSameState(*h.current(), *end);
}

}  // namespace
}  // namespace headscope::test
