// Loops over threads: every piece once.
#include "core/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "tests/core/support/limits.h"

namespace headscope::test {
namespace {

constexpr Index kPieces = 200;

void expectEveryPieceOnce() {
  std::vector<std::atomic<int>> times(kPieces);
  const ThreadCount threads(8);
  forPieces(kPieces, {[](void* context, Index piece) {
                        ++(*static_cast<std::vector<std::atomic<int>>*>(
                            context))[static_cast<std::size_t>(piece)];
                      },
                      &times});
  for (const auto& count : times) EXPECT_EQ(count, 1);
}

TEST(Threads, WhereNoneCanBeStartedThoseThereAreDoTheWork) {
  {
    const NoMoreThreads none;
    expectEveryPieceOnce();
    expectEveryPieceOnce();
  }
  expectEveryPieceOnce();
}

}  // namespace
}  // namespace headscope::test
