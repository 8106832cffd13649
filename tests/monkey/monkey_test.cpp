// The whole program under a monkey: some thousands of random events, checked after every frame.
// tests/monkey/run.sh runs it for any time.
#include "monkey.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

namespace headscope::monkey {
namespace {

constexpr int kEvents = 400;  // events per seed and start of the program
constexpr int kFew = 200;     // fixed events in every run of the tests

/// An environment variable as a number; `otherwise` where it is not set.
std::uint64_t fromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

struct Walk {
  std::uint64_t walked = 0;
  int frames = 0;
  double slowest = 0.0;
};

Walk walk(std::uint64_t seed, Pace pace, int events) {
  Monkey monkey(seed, pace);
  monkey.run(events);
  return {monkey.walked(), monkey.frames(), monkey.slowestFrame()};
}

class Seeded : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Seeded, NothingBreaks) {
  try {
    walk(GetParam(), Pace::waits, kFew);
  } catch (const Fault& fault) {
    FAIL() << fault.what();
  }
}

TEST_P(Seeded, NothingBreaksWhileTheEngineIsBehind) {
  try {
    walk(GetParam(), Pace::hurries, kFew);
  } catch (const Fault& fault) {
    FAIL() << fault.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Monkey, Seeded, testing::Range<std::uint64_t>(1, 6));

TEST(Monkey, RepeatsItselfFromItsSeed) {
  const Walk once = walk(7, Pace::waits, kFew);
  const Walk again = walk(7, Pace::waits, kFew);
  EXPECT_EQ(once.walked, again.walked);
  EXPECT_EQ(once.frames, again.frames);
  EXPECT_NE(once.walked, walk(8, Pace::waits, 10).walked);
}

/// HEADSCOPE_MONKEY_EVENTS events in all, the first ones of HEADSCOPE_MONKEY_SEED, the next of the
/// seed after it, … every fourth of them without waiting.
TEST(Monkey, DoesAsMuchAsItIsAsked) {
  const std::uint64_t events = fromEnvironment("HEADSCOPE_MONKEY_EVENTS", kFew);
  const std::uint64_t first = fromEnvironment("HEADSCOPE_MONKEY_SEED", 11);
  std::uint64_t done = 0;
  for (std::uint64_t seed = first; done < events; ++seed, done += kEvents) {
    const Pace pace = seed % 4 == 0 ? Pace::hurries : Pace::waits;
    try {
      const Walk taken = walk(seed, pace, kEvents);
      std::cout << fmt::format("seed {}: {} events, {} frames, the slowest {:.0f} ms", seed,
                               kEvents, taken.frames, taken.slowest * 1e3)
                << std::endl;
    } catch (const Fault& fault) {
      ADD_FAILURE() << fault.what();
    }
  }
}

}  // namespace
}  // namespace headscope::monkey
