// Background tasks: the newest request wins, errors become words, nothing outlives its task.
#include "app/background.h"

#include <gtest/gtest.h>

#include <future>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace headscope {
namespace {

using Task = BackgroundTask<int>;
using Cancelled = const std::atomic<bool>;

/// Work that runs until it is cancelled; `started` is set once it runs.
Task::Work endless(std::promise<void>& started) {
  return [&started](Cancelled& cancelled) -> std::optional<int> {
    started.set_value();
    while (!cancelled) std::this_thread::yield();
    return std::nullopt;
  };
}

TEST(BackgroundTask, GivesItsResultOnceAndWakes) {
  Task task;
  std::promise<void> woken;
  task.setWake([&] { woken.set_value(); });
  EXPECT_FALSE(task.take());
  EXPECT_FALSE(task.busy());
  task.request([](Cancelled&) { return std::optional(7); });
  task.wait();
  EXPECT_FALSE(task.busy());
  const auto outcome = task.take();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->result, 7);
  EXPECT_FALSE(task.take());
  woken.get_future().wait();
}

TEST(BackgroundTask, TheNewestRequestWins) {
  Task task;
  std::promise<void> started;
  task.request(endless(started));
  started.get_future().wait();
  EXPECT_TRUE(task.busy());
  task.request([](Cancelled&) { return std::optional(2); });
  task.wait();
  const auto outcome = task.take();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->result, 2);
}

/// The result of an older request that finishes late is not taken for that of the newer one.
TEST(BackgroundTask, AnOlderResultIsDropped) {
  Task task;
  std::promise<void> started;
  std::promise<void> proceed;
  task.request([&](Cancelled&) {
    started.set_value();
    proceed.get_future().wait();
    return std::optional(1);
  });
  started.get_future().wait();
  std::promise<void> secondStarted;
  std::promise<void> secondProceed;
  task.request([&](Cancelled&) {
    secondStarted.set_value();
    secondProceed.get_future().wait();
    return std::optional(2);
  });
  proceed.set_value();
  secondStarted.get_future().wait();
  EXPECT_FALSE(task.take());
  secondProceed.set_value();
  task.wait();
  EXPECT_EQ(task.take().value().result, 2);
  EXPECT_FALSE(task.take());
}

TEST(BackgroundTask, NothingComesOfWhatWasStopped) {
  Task task;
  task.request([](Cancelled&) { return std::optional(1); });
  task.wait();
  task.stop();
  EXPECT_FALSE(task.take()) << "what was done and not taken yet";
  std::promise<void> started;
  std::promise<void> proceed;
  task.request([&](Cancelled&) {
    started.set_value();
    proceed.get_future().wait();
    return std::optional(2);
  });
  started.get_future().wait();
  task.stop();
  proceed.set_value();
  task.wait();
  EXPECT_FALSE(task.take()) << "what comes to its end all the same";
}

TEST(BackgroundTask, AnErrorIsAnOutcome) {
  Task task;
  task.request([](Cancelled&) -> std::optional<int> { throw UserError("too wide"); });
  task.wait();
  const auto outcome = task.take();
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->result);
  EXPECT_EQ(outcome->error, "too wide");
  task.request([](Cancelled&) -> std::optional<int> { throw std::bad_alloc(); });
  task.wait();
  EXPECT_EQ(task.take().value().error.find("there is not enough memory for this"), 0U);
  task.request([](Cancelled&) -> std::optional<int> { throw std::out_of_range("map::at"); });
  task.wait();
  const std::string error = task.take().value().error;
  EXPECT_EQ(error.find("map::at"), std::string::npos) << error;
  EXPECT_NE(error.find("restart headscope"), std::string::npos) << error;
}

TEST(BackgroundTask, UnitsRunUntilTheLast) {
  Task task;
  task.requestUnits([at = 0](Cancelled&, std::optional<int>& result) mutable {
    if (++at < 3) return false;
    result = at;
    return true;
  });
  task.wait();
  EXPECT_EQ(task.take().value().result, 3);
}

/// A task is cancelled or replaced between two units and during one.
TEST(BackgroundTask, UnitsAreStoppedAndReplaced) {
  for (const bool replaced : {false, true}) {
    Task task;
    std::promise<void> started;
    int units = 0;
    task.requestUnits([&](Cancelled&, std::optional<int>&) {
      if (++units == 1) started.set_value();
      return false;
    });
    started.get_future().wait();
    if (replaced) {
      task.request([](Cancelled&) { return std::optional(2); });
    } else {
      task.stop();
    }
    task.wait();
    const auto outcome = task.take();
    EXPECT_EQ(outcome.has_value(), replaced);
    if (outcome) {
      EXPECT_EQ(outcome->result, 2);
    }
  }
}

/// More tasks than threads: each gets its turn after a unit of another one.
TEST(TaskPool, RunsUnitsOfAllTasksInTurn) {
  TaskPool pool(1);
  Task endlessUnits(&pool), other(&pool);
  std::promise<void> started;
  bool first = true;
  endlessUnits.requestUnits([&](Cancelled&, std::optional<int>&) {
    if (std::exchange(first, false)) started.set_value();
    return false;
  });
  started.get_future().wait();
  other.request([](Cancelled&) { return std::optional(5); });
  other.wait();
  EXPECT_EQ(other.take().value().result, 5);
  EXPECT_TRUE(endlessUnits.busy());
  endlessUnits.stop();
  endlessUnits.wait();
  EXPECT_FALSE(endlessUnits.take());
}

TEST(TaskPool, TheNewestRequestWins) {
  TaskPool pool(2);
  Task task(&pool);
  std::promise<void> started;
  task.request(endless(started));
  started.get_future().wait();
  task.request([](Cancelled&) { return std::optional(2); });
  task.wait();
  EXPECT_EQ(task.take().value().result, 2);
}

TEST(TaskPool, ATaskMayGoWhileItsUnitRuns) {
  TaskPool pool(2);
  std::promise<void> started;
  {
    Task task(&pool);
    task.request(endless(started));
    started.get_future().wait();
  }
  Task next(&pool);
  next.request([](Cancelled&) { return std::optional(3); });
  next.wait();
  EXPECT_EQ(next.take().value().result, 3);
}

TEST(BackgroundTask, IsStoppedWhenItGoes) {
  std::promise<void> started;
  Task task;
  task.request(endless(started));
  started.get_future().wait();
}

}  // namespace
}  // namespace headscope
