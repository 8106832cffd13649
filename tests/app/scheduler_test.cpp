// Background tasks: the newest request wins, errors become words, nothing outlives its task, and
// urgent tasks always find a thread.
#include "app/scheduler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <list>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "app/background_task.h"
#include "core/base/error.h"
#include "core/base/execution.h"

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
  Scheduler scheduler;
  Task task(scheduler);
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
  Scheduler scheduler;
  Task task(scheduler);
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
  Scheduler scheduler;
  Task task(scheduler);
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
  Scheduler scheduler;
  Task task(scheduler);
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
  Scheduler scheduler;
  Task task(scheduler);
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
  Scheduler scheduler;
  Task task(scheduler);
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
    Scheduler scheduler;
    Task task(scheduler);
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
TEST(Scheduler, RunsUnitsOfAllTasksInTurn) {
  Scheduler scheduler(1);
  Task endlessUnits(scheduler), other(scheduler);
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

TEST(Scheduler, TheNewestRequestWins) {
  Scheduler scheduler(2);
  Task task(scheduler);
  std::promise<void> started;
  task.request(endless(started));
  started.get_future().wait();
  task.request([](Cancelled&) { return std::optional(2); });
  task.wait();
  EXPECT_EQ(task.take().value().result, 2);
}

TEST(Scheduler, ATaskMayGoWhileItsUnitRuns) {
  Scheduler scheduler(2);
  std::promise<void> started;
  {
    Task task(scheduler);
    task.request(endless(started));
    started.get_future().wait();
  }
  Task next(scheduler);
  next.request([](Cancelled&) { return std::optional(3); });
  next.wait();
  EXPECT_EQ(next.take().value().result, 3);
}

TEST(BackgroundTask, IsStoppedWhenItGoes) {
  std::promise<void> started;
  Scheduler scheduler;
  Task task(scheduler);
  task.request(endless(started));
  started.get_future().wait();
}

using After = TaskRunner::After;

/// However many long units of others are under way, the pass of an edit starts, and a
/// session is saved during a long pass.
TEST(Scheduler, UrgentTasksNeverWaitForLongUnits) {
  Scheduler scheduler(2);
  std::list<Task> others;
  std::promise<void> started[2];
  for (std::promise<void>& each : started) {
    others.emplace_back(scheduler).request(endless(each));
    each.get_future().wait();
  }
  std::atomic<bool> laterRan = false;
  TaskRunner later(scheduler);
  later.request([&](Cancelled&) {
    laterRan = true;
    return After::rest;
  });
  TaskRunner edit(scheduler, Priority::edit);
  std::promise<void> passStarted;
  for (const bool isLong : {false, true}) {
    edit.request([&, isLong](Cancelled& cancelled) {
      if (isLong) passStarted.set_value();
      while (isLong && !cancelled) std::this_thread::yield();
      return After::rest;
    });
    if (!isLong) edit.wait();
  }
  passStarted.get_future().wait();
  TaskRunner save(scheduler, Priority::save);
  save.request([](Cancelled&) { return After::rest; });
  save.wait();
  EXPECT_TRUE(later.busy());
  EXPECT_FALSE(laterRan) << "the reserved threads take no other task";
  others.front().stop();
  later.wait();
  EXPECT_TRUE(laterRan);
}

TEST(Scheduler, ADelayedTaskRunsWhenItIsDue) {
  Scheduler scheduler;
  TaskRunner runner(scheduler);
  const double requestedAt = clockSeconds();
  double ranAt = 0.0;
  const auto noteTheTime = [&](Cancelled&) {
    ranAt = clockSeconds();
    return After::rest;
  };
  runner.request(noteTheTime, 0.05);
  EXPECT_TRUE(runner.busy());
  runner.wait();
  EXPECT_GE(ranAt - requestedAt, 0.05);
  constexpr double kNever = 1e6;  // seconds: this test would not end
  runner.request(noteTheTime, kNever);
  runner.request(noteTheTime);
  runner.wait();
}

TEST(Scheduler, StopDropsADelayedTask) {
  Scheduler scheduler;
  TaskRunner runner(scheduler);
  const auto data = std::make_shared<int>();
  runner.request([data](Cancelled&) { return After::rest; }, 1e6);
  EXPECT_EQ(data.use_count(), 2);
  runner.stop();
  EXPECT_FALSE(runner.busy());
  EXPECT_EQ(data.use_count(), 1);
}

/// The session writer requests its next file at the end of the one before.
TEST(Scheduler, ATaskMayRequestItsSuccessor) {
  Scheduler scheduler;
  int runs = 0;
  TaskRunner runner(scheduler);
  TaskRunner::Task next = [&](Cancelled&) {
    if (++runs < 3) runner.request(next);
    return After::news;
  };
  runner.request(next);
  runner.wait();
  EXPECT_EQ(runs, 3);
}

}  // namespace
}  // namespace headscope
