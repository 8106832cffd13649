// Values computed in the background: the newest key wins, whichever way it was requested.
#include "app/ui/parts/computed.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "core/base/error.h"

namespace headscope::ui {
namespace {

Computed<int> want(Computations& computations, int value, When when,
                   std::atomic<bool>* go = nullptr) {
  return computations.want<int>("value", Fingerprint("value", value), when, [&] {
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

TEST(Computations, GiveWhatWasComputedBeside) {
  Computations computations;
  EXPECT_EQ(want(computations, 1, When::beside).current, nullptr);
  EXPECT_TRUE(nextFrame(computations));
  ASSERT_NE(want(computations, 1, When::beside).current, nullptr);
  const auto next = want(computations, 2, When::beside);
  EXPECT_EQ(next.current, nullptr);
  ASSERT_NE(next.last, nullptr);
  EXPECT_EQ(*next.last, 1);
  nextFrame(computations);
  EXPECT_EQ(*want(computations, 2, When::beside).current, 2);
  EXPECT_FALSE(nextFrame(computations));
}

TEST(Computations, RefuseANameOfAnotherType) {
  Computations computations;
  want(computations, 1, When::atOnce);
  EXPECT_THROW(computations.last<std::string>("value"), std::logic_error);
}

TEST(Computations, AreTheSameThroughoutAFrame) {
  Computations computations;
  want(computations, 1, When::beside);
  nextFrame(computations);
  const auto first = want(computations, 2, When::beside);
  computations.finish();
  const auto later = want(computations, 2, When::beside);
  EXPECT_EQ(later.current, nullptr);
  EXPECT_EQ(later.last, first.last);
  EXPECT_EQ(*first.last, 1);
  computations.beginFrame(false);
  EXPECT_EQ(*want(computations, 2, When::beside).current, 2);
}

TEST(Computations, WhatAnOlderKeyStillBringsHidesNothingNewer) {
  Computations computations;
  std::atomic<bool> go = false;
  want(computations, 1, When::beside, &go);
  EXPECT_EQ(*want(computations, 2, When::atOnce).current, 2);
  go = true;
  nextFrame(computations);
  const auto found = want(computations, 2, When::atOnce);
  ASSERT_NE(found.current, nullptr);
  EXPECT_EQ(*found.current, 2);
}

TEST(Computations, SayWhyThereIsNone) {
  Computations computations;
  EXPECT_EQ(want(computations, -1, When::atOnce).problem, "no such value");
  EXPECT_EQ(want(computations, 3, When::atOnce).problem, "");
  want(computations, -1, When::beside);
  nextFrame(computations);
  EXPECT_EQ(want(computations, -1, When::beside).problem, "no such value");
}

TEST(Computations, WaitForTheHandToRest) {
  Computations computations;
  computations.beginFrame(true);
  want(computations, 1, When::atRest);
  EXPECT_FALSE(nextFrame(computations));
  want(computations, 1, When::atRest);
  EXPECT_TRUE(nextFrame(computations));
  EXPECT_EQ(*want(computations, 1, When::atRest).current, 1);
}

}  // namespace
}  // namespace headscope::ui
