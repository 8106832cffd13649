#include "core/editing/history.h"

#include <gtest/gtest.h>

#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/document/document.h"
#include "tests/core/support/documents.h"
#include "tests/core/test_files.h"

namespace headscope::test {
namespace {

History history(Index budget = Index{256} << 20) {
  return {fromTexts({"the cat sat"}), kBudget, budget};
}

TEST(History, UndoAndRedoGiveTheVerySameDocuments) {
  History h = history();
  const DocumentPtr first = h.current();
  EXPECT_FALSE(h.canUndo());
  EXPECT_EQ(h.undoName(), "");
  h.apply(SetTokens{5});
  const DocumentPtr second = h.current();
  h.apply(SetSwitch{&Switches::bias, false});
  const DocumentPtr third = h.current();
  EXPECT_EQ(h.undoName(), "bias off");
  h.undo();
  EXPECT_EQ(h.current(), second);
  EXPECT_EQ(h.undoName(), "tokens 3 → 5");
  EXPECT_EQ(h.redoName(), "bias off");
  h.undo();
  EXPECT_EQ(h.current(), first);
  h.undo();  // nothing left
  EXPECT_EQ(h.current(), first);
  h.redo();
  h.redo();
  EXPECT_EQ(h.current(), third);
  EXPECT_FALSE(h.canRedo());
  h.redo();
  EXPECT_EQ(h.current(), third);
}

TEST(History, AnEditAfterUndoDropsWhatWasUndone) {
  History h = history();
  h.apply(SetTokens{5});
  h.apply(SetTokens{6});
  h.undo();
  h.apply(SetTokens{7});
  EXPECT_FALSE(h.canRedo());
  h.undo();
  EXPECT_EQ(h.current()->config.seqLen, 5);
}

TEST(History, AMarkGoesWithItsStates) {
  History h = history();
  h.apply(SetTokens{5});
  h.setMark(1);
  h.apply(SetTokens{6});
  EXPECT_EQ(h.mark(), 1);
  h.jumpTo(0);
  EXPECT_EQ(h.mark(), 0);
  h.redo();
  EXPECT_EQ(h.mark(), 1);
  h.undo();
  h.apply(SetTokens{7});
  EXPECT_EQ(h.mark(), 0);
  EXPECT_FALSE(h.hasMark(1));
}

TEST(History, ARefusedEditChangesNothing) {
  History h = history();
  h.apply(SetTokens{5});
  h.apply(SetTokens{6});
  h.undo();
  const DocumentPtr before = h.current();
  expectUserError([&] { h.apply(SetTokens{0}); }, "tokens is 0");
  EXPECT_EQ(h.current(), before);
  EXPECT_EQ(h.undoName(), "tokens 3 → 5");
  EXPECT_TRUE(h.canRedo());
}

TEST(History, OneGestureIsOneEntry) {
  History h = history();
  for (const Index tokens : {4, 5, 6, 7}) h.apply(SetTokens{tokens}, "tokens");
  EXPECT_EQ(h.undoName(), "tokens 3 → 7");
  h.undo();
  EXPECT_EQ(h.current()->config.seqLen, 3);
  EXPECT_FALSE(h.canUndo());
}

TEST(History, OtherGesturesAndUndoEndOne) {
  History h = history();
  h.apply(SetTokens{4}, "tokens");
  h.apply(SetSwitch{&Switches::temperature, 2.0}, "temperature");
  h.apply(SetTokens{5}, "tokens");
  h.apply(SetTokens{6});
  h.apply(SetTokens{7});
  for (const Index tokens : {6, 5, 4, 4, 3}) {
    h.undo();
    EXPECT_EQ(h.current()->config.seqLen, tokens);
  }
  h.redo();
  h.apply(SetTokens{8}, "tokens");  // after redo: an entry of its own
  h.undo();
  EXPECT_EQ(h.current()->config.seqLen, 4);
}

TEST(History, TheBudgetDropsTheOldest) {
  // each width makes weights of its own: 4·(4·D² + 4·D) bytes, and X
  const auto widthAfter = [](Index budget) {
    History h = history(budget);
    for (const Index width : {64, 80, 96, 112}) h.apply(SetDimensions{width, 4, 4});
    Index undone = 0;
    for (; h.canUndo(); ++undone) h.undo();
    return undone;
  };
  EXPECT_EQ(widthAfter(Index{1} << 30), 4);
  EXPECT_EQ(widthAfter(300'000), 2);
  EXPECT_EQ(widthAfter(1'000), 0);
}

TEST(History, WhatEntriesShareCostsNothing) {
  History h = history(1'000'000);  // 27 times the weights
  for (int i = 0; i < 200; ++i) h.apply(SetSwitch{&Switches::bias, i % 2 == 0});
  Index undone = 0;
  for (; h.canUndo(); ++undone) h.undo();
  EXPECT_EQ(undone, 200);
}

/// Painting a large mask again and again stays within the budget as well.
TEST(History, PaintedMasksCount) {
  const Index tokens = 256;
  History h(edited(fromTexts({"the cat sat"}), SetTokens{tokens}), kBudget,
            15 * (tokens * tokens + 4'000));
  for (std::uint8_t i = 0; i < 100; ++i) {
    Mask mask;
    std::vector<std::uint8_t> allowed(static_cast<std::size_t>(tokens * tokens), 1);
    allowed[i] = 0;
    mask.painted = painted(tokens, tokens, allowed);
    h.apply(SetMask{mask});
  }
  Index undone = 0;
  for (; h.canUndo(); ++undone) h.undo();
  EXPECT_EQ(undone, 15);
}

TEST(History, ListsItsStates) {
  History h = history();
  EXPECT_EQ(h.size(), 1U);
  EXPECT_EQ(h.nameAt(0), "start");
  for (const Index tokens : {4, 5, 6}) h.apply(SetTokens{tokens});
  EXPECT_EQ(h.size(), 4U);
  EXPECT_EQ(h.position(), 3U);
  EXPECT_EQ(h.nameAt(0), "start");
  EXPECT_EQ(h.nameAt(1), "tokens 3 → 4");
  EXPECT_EQ(h.nameAt(3), "tokens 5 → 6");
  h.jumpTo(1);
  EXPECT_EQ(h.position(), 1U);
  EXPECT_EQ(h.size(), 4U);
  EXPECT_EQ(h.current()->config.seqLen, 4);
  EXPECT_EQ(h.redoName(), "tokens 4 → 5");
  h.jumpTo(3);
  EXPECT_EQ(h.current()->config.seqLen, 6);
  EXPECT_FALSE(h.canRedo());
}

TEST(History, LooksAtAStateWithoutMoving) {
  History h = history();
  for (const Index tokens : {4, 5, 6}) h.apply(SetTokens{tokens});
  h.undo();
  const DocumentPtr current = h.current();
  for (std::size_t i = 0; i < h.size(); ++i) {
    EXPECT_EQ(h.at(i)->config.seqLen, static_cast<Index>(3 + i));
  }
  EXPECT_EQ(h.at(2), current);
  EXPECT_EQ(h.current(), current);
  EXPECT_EQ(h.position(), 2U);
  EXPECT_EQ(h.undoName(), "tokens 4 → 5");
  EXPECT_EQ(h.redoName(), "tokens 5 → 6");
}

TEST(History, AJumpEndsAGesture) {
  History h = history();
  h.apply(SetTokens{4}, "tokens");
  h.jumpTo(1);
  h.apply(SetTokens{5}, "tokens");
  EXPECT_EQ(h.size(), 3U);
}

/// Moved rows of a loaded input are stored once.
TEST(History, MovedTensorsCountOnce) {
  const DocumentPtr before = fromTensors();
  const DocumentPtr after = edited(before, MoveToken{0, false, 0, 1});
  const Tensor& moved = after->input->x;
  EXPECT_FALSE(moved.sharesStorageWith(before->input->x));
  EXPECT_TRUE(moved.sharesStorageWith(std::get<TensorSource>(*after->source).x));
  EXPECT_TRUE(sameWeights(*before, *after));
}

/// A state held elsewhere (the saved one, a scene) is identical to the one that undo restores.
TEST(HistoryOfCells, AStateSomebodyHoldsComesBackAsTheVerySame) {
  const DocumentPtr start = randomDocument(sized(48, 4, 6));
  History history(start, kBudget);
  history.apply(SetCell{{TensorId::wQ, -1, -1, 1, 2}, 0.5F});
  history.apply(SetCell{{TensorId::x, 0, -1, 1, 2}, 0.5F});
  const DocumentPtr edited = history.current();
  history.apply(SetPin{{{TensorId::weights, 0, 1, 2, 3}, 0.4F}});
  history.undo();
  EXPECT_EQ(history.current(), edited);
  history.jumpTo(0);
  EXPECT_EQ(history.current(), start);
  history.jumpTo(2);
  EXPECT_EQ(history.current(), edited);
  history.jumpTo(0);
  EXPECT_EQ(history.current(), start);
}

}  // namespace
}  // namespace headscope::test
