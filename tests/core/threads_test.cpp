// The team of threads: each piece of a loop runs once, also with several loops at a time; a
// cancelled loop stops after the pieces in progress, which are small.
#include "core/platform/threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/attention/ledger.h"
#include "core/attention/steps/linear.h"
#include "core/base/execution.h"
#include "tests/core/support/documents.h"

namespace headscope::test {
namespace {

/// How often each piece of a loop over `pieces` was called.
std::vector<int> callsOf(Index pieces, int threads) {
  const ScopedThreadLimit count(threads);
  std::vector<int> calls(static_cast<std::size_t>(pieces), 0);
  parallelFor(pieces, {}, [&](Index i) { ++calls[static_cast<std::size_t>(i)]; });
  return calls;
}

TEST(Threads, EveryPieceIsCalledOnce) {
  for (const Index pieces : {0, 1, 2, 3, 7, 1000}) {
    for (const int threads : {1, 2, 3, 8}) {
      EXPECT_EQ(callsOf(pieces, threads), std::vector<int>(static_cast<std::size_t>(pieces), 1))
          << pieces << " pieces, " << threads << " threads";
    }
  }
}

TEST(Threads, LoopsSideBySideAndInsideOfEachOtherAreWhole) {
  constexpr int kCallers = 4;
  constexpr int kLoops = 200;
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < kCallers; ++caller) {
    callers.emplace_back([&wrong, caller] {
      const ScopedThreadLimit count(1 + caller % 3);
      for (int n = 0; n < kLoops; ++n) {
        std::vector<std::vector<int>> inner(5);
        parallelFor(5, {}, [&](Index i) { inner[static_cast<std::size_t>(i)] = callsOf(9, 3); });
        for (const auto& calls : inner) wrong += calls == std::vector<int>(9, 1) ? 0 : 1;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, WhatAPieceThrowsComesOutAndThePoolContinues) {
  const ScopedThreadLimit count(3);
  EXPECT_THROW(parallelFor(100, {},
                           [](Index i) {
                             if (i == 40) throw std::runtime_error("x");
                           }),
               std::runtime_error);
  EXPECT_EQ(callsOf(100, 3), std::vector<int>(100, 1));
}

/// For a loop of any length, each other thread has at most one piece in progress.
TEST(Threads, AfterACancelNoPieceIsBegun) {
  constexpr Index kPieces = 100'000;
  for (const int threads : {1, 2, 4}) {
    const ScopedThreadLimit count(threads);
    std::atomic<bool> cancelled{false};
    std::atomic<Index> begunAfter{0};
    ExecutionContext execution;
    execution.cancelled = &cancelled;
    parallelFor(kPieces, execution, [&](Index i) {
      if (cancelled) ++begunAfter;
      if (i == 50) cancelled = true;
    });
    EXPECT_TRUE(cancelled);
    EXPECT_LT(begunAfter, threads);
  }
}

/// A cancelled pass ends soon: no piece is more than a hundredth of a long pass.
TEST(Threads, ThePiecesOfALongPassAreSmall) {
  constexpr double kMost = 0.01;
  for (AttentionConfig c : {sized(256, 16, 4096), sized(1024, 16, 1024), sized(4096, 32, 512)}) {
    const auto flops = static_cast<double>(ledger(c).flops);
    for (const Box& box : linearPieces(shapeOf(TensorId::qProj, c))) {
      EXPECT_LT(static_cast<double>(2 * box.rows * box.cols * c.dModel), kMost * flops) << c.dModel;
    }
    for (const bool overQueries : {false, true}) {
      c.mistakes.softmaxOverQueries = overQueries;
      for (const RowsLoop& loop : rowsLoops(c)) {
        EXPECT_LT(static_cast<double>(loop.rows * loop.cols * 4 * c.dK()), kMost * flops)
            << c.dModel << (overQueries ? ", softmax over queries" : "");
      }
    }
  }
}

TEST(Threads, ACancelledPassGivesNothingAndTheNextIsWhole) {
  const DocumentPtr document = randomDocument(sized(96, 12, 40));
  std::atomic<bool> cancelled{true};
  std::atomic<int> stepsDone{0};
  ExecutionContext execution;
  execution.cancelled = &cancelled;
  execution.stepsDone = &stepsDone;
  EXPECT_EQ(runAttention(document, nullptr, execution), nullptr);
  EXPECT_LT(stepsDone, 9);
  cancelled = false;
  expectSameBits(*runAttention(document, nullptr, execution), *runAttention(document));
  EXPECT_EQ(stepsDone, 9);
}

}  // namespace
}  // namespace headscope::test
