// Values computed in the background: the newest key wins, whichever way it was requested.
#include "app/ui/parts/computed.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "core/base/error.h"

namespace headscope::ui {
namespace {

Computed<int> want(Computations& computations, int value, Schedule when,
                   std::atomic<bool>* go = nullptr) {
  return computations.request<int>("value", Fingerprint("value", value), when, [&] {
    return [value, go](const std::atomic<bool>&) -> std::optional<int> {
      while (go != nullptr && !*go) {
      }
      if (value < 0) throw UserError("no such value");
      return value;
    };
  });
}

/// Finishes all computations and begins a frame; returns whether there were new results.
bool nextFrame(Computations& computations) {
  const bool news = computations.finish();
  computations.beginFrame(false);
  return news;
}

TEST(Computations, GiveWhatWasComputedInTheBackground) {
  Scheduler scheduler;
  Computations computations(scheduler);
  EXPECT_EQ(want(computations, 1, Schedule::background).current, nullptr);
  EXPECT_TRUE(nextFrame(computations));
  ASSERT_NE(want(computations, 1, Schedule::background).current, nullptr);
  const auto next = want(computations, 2, Schedule::background);
  EXPECT_EQ(next.current, nullptr);
  ASSERT_NE(next.last, nullptr);
  EXPECT_EQ(*next.last, 1);
  nextFrame(computations);
  EXPECT_EQ(*want(computations, 2, Schedule::background).current, 2);
  EXPECT_FALSE(nextFrame(computations));
}

TEST(Computations, RefuseANameOfAnotherType) {
  Scheduler scheduler;
  Computations computations(scheduler);
  want(computations, 1, Schedule::now);
  EXPECT_THROW(computations.last<std::string>("value"), std::logic_error);
}

TEST(Computations, AreTheSameThroughoutAFrame) {
  Scheduler scheduler;
  Computations computations(scheduler);
  want(computations, 1, Schedule::background);
  nextFrame(computations);
  const auto first = want(computations, 2, Schedule::background);
  computations.finish();
  const auto later = want(computations, 2, Schedule::background);
  EXPECT_EQ(later.current, nullptr);
  EXPECT_EQ(later.last, first.last);
  EXPECT_EQ(*first.last, 1);
  computations.beginFrame(false);
  EXPECT_EQ(*want(computations, 2, Schedule::background).current, 2);
}

TEST(Computations, WhatAnOlderKeyStillBringsHidesNothingNewer) {
  Scheduler scheduler;
  Computations computations(scheduler);
  std::atomic<bool> go = false;
  want(computations, 1, Schedule::background, &go);
  EXPECT_EQ(*want(computations, 2, Schedule::now).current, 2);
  go = true;
  nextFrame(computations);
  const auto found = want(computations, 2, Schedule::now);
  ASSERT_NE(found.current, nullptr);
  EXPECT_EQ(*found.current, 2);
}

TEST(Computations, SayWhyThereIsNone) {
  Scheduler scheduler;
  Computations computations(scheduler);
  EXPECT_EQ(want(computations, -1, Schedule::now).problem, "no such value");
  EXPECT_EQ(want(computations, 3, Schedule::now).problem, "");
  want(computations, -1, Schedule::background);
  nextFrame(computations);
  EXPECT_EQ(want(computations, -1, Schedule::background).problem, "no such value");
}

TEST(Computations, StopForAKeyUntilTheyAreForgotten) {
  Scheduler scheduler;
  Computations computations(scheduler);
  std::atomic<bool> ends = false;
  const auto units = [&] {
    return computations.request<int>("value", Fingerprint("units"), Schedule::background, [&] {
      return [&ends](const std::atomic<bool>&, std::optional<int>& result) {
        if (ends) result = 5;
        return ends.load();
      };
    });
  };
  units();
  while (units().unitsDone < 3) std::this_thread::yield();
  computations.stop("value");
  EXPECT_EQ(units().problem, Computations::kStopped);
  computations.finish();
  EXPECT_FALSE(computations.busy());
  EXPECT_EQ(units().current, nullptr);
  EXPECT_FALSE(computations.busy()) << "the stopped work did not begin again";
  ends = true;
  computations.forget("value");
  EXPECT_TRUE(units().problem.empty());
  nextFrame(computations);
  ASSERT_NE(units().current, nullptr);
  EXPECT_EQ(*units().current, 5);
}

TEST(Computations, WaitForTheHandToRest) {
  Scheduler scheduler;
  Computations computations(scheduler);
  computations.beginFrame(true);
  want(computations, 1, Schedule::whenIdle);
  EXPECT_FALSE(nextFrame(computations));
  want(computations, 1, Schedule::whenIdle);
  EXPECT_TRUE(nextFrame(computations));
  EXPECT_EQ(*want(computations, 1, Schedule::whenIdle).current, 1);
}

}  // namespace
}  // namespace headscope::ui
