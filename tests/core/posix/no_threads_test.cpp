// A system that starts no more threads.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "core/base/execution.h"
#include "core/platform/threads.h"
#include "tests/core/support/limits.h"

namespace headscope::test {
namespace {

TEST(Threads, WhereNoneCanBeStartedThoseThereAreDoTheWork) {
  constexpr int kMoreThanAnyOther = 12;
  const ScopedThreadLimit count(kMoreThanAnyOther);
  std::vector<int> calls(200, 0);
  const auto callEach = [&] {
    parallelFor(200, {}, [&](Index i) { ++calls[static_cast<std::size_t>(i)]; });
  };
  {
    const NoMoreThreads none;
    callEach();
    callEach();
  }
  callEach();
  EXPECT_EQ(calls, std::vector<int>(200, 3));
}

}  // namespace
}  // namespace headscope::test
