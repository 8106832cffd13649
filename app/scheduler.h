// Scheduler: runs the work for which the interface must not wait. The App owns one, and every part
// of the program requests its work from it. A part with a result holds a BackgroundTask
// (app/background_task.h), which holds a TaskRunner:
//
//   class WordCount {
//    public:
//     explicit WordCount(Scheduler& scheduler) : task_(scheduler) {}
//     void setWake(std::function<void()> wake) { task_.setWake(std::move(wake)); }
//     void count(std::string text) {  // replaces the count under way
//       task_.request([text = std::move(text)](const std::atomic<bool>& cancelled) {
//         return wordsIn(text, cancelled);  // an std::optional<Index>; none once cancelled
//       });
//     }
//     void follow() {  // once a frame
//       if (auto outcome = task_.take()) show(outcome->result, outcome->error);
//     }
//
//    private:
//     BackgroundTask<Index> task_;  // last: destroyed before the members that its work uses
//   };
//
// A task is a sequence of units; each unit is one plain call, such as a training step or a layer of
// a model. The scheduler runs one unit of each task in turn, on a few threads. Without threads (a
// browser's page that is not isolated) it runs units between two events of the page.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace headscope {

/// The urgency of a task. Less urgent tasks never occupy all threads: one thread remains for the
/// pass of an edit and another for a session to be saved, however long the other units take.
enum class Priority { save, edit, background };
inline constexpr int kPriorityCount = 3;

class TaskRunner;

/// Runs the units of any number of TaskRunners, which it must outlive.
class Scheduler {
 public:
  /// `backgroundThreads`: the most threads for tasks of Priority::background. There is one more
  /// thread for each higher priority. Threads start when they are needed.
  explicit Scheduler(int backgroundThreads = 4) : backgroundThreads_(backgroundThreads) {}
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Returns whether units run in the background. Without threads, a long unit delays the next
  /// frame.
  static bool hasThreads();

 private:
  friend class TaskRunner;
  using Lock = std::unique_lock<std::mutex>;

  // All of these are called with mutex_ locked.
  int mostThreads() const { return backgroundThreads_ + kPriorityCount - 1; }
  /// Returns whether a thread is free for a task of this priority.
  bool hasRoomFor(Priority priority) const;
  /// The task whose unit is to run next; null: none is ready.
  TaskRunner* nextReady(double now) const;
  /// The time at which the next delayed task is due, as clockSeconds(); infinite: there is none.
  double nextDue(double now) const;
  /// Makes sure that requested tasks are noticed. Throws where the first thread cannot be started.
  void call();
  /// Runs units: a thread's whole life, or one event of a page without threads.
  void loop();
  /// Runs the next unit of a task.
  void runUnit(TaskRunner& runner, Lock& lock);
  /// Waits until the runner's task ends, at most `seconds` (negative: without limit).
  void await(TaskRunner& runner, Lock& lock, double seconds);

  const int backgroundThreads_;
  std::mutex mutex_;
  std::condition_variable work_;     // notified for threads without work
  std::condition_variable changed_;  // notified for those who wait for a task
  std::vector<TaskRunner*> runners_;
  std::array<int, kPriorityCount> running_{};  // the number of running units by priority
  std::uint64_t turns_ = 0;
  [[maybe_unused]] int idle_ = 0;  // the number of threads without work
  [[maybe_unused]] bool stopping_ = false;
  std::vector<std::thread> threads_;
  [[maybe_unused]] int timer_ = 0;  // the page's timer for the next call of loop()
};

/// Runs one task at a time, unit by unit. A new request replaces the requested task and cancels the
/// running one.
class TaskRunner {
 public:
  enum class After {
    rest,  // the task is finished or cancelled
    news,  // the task is finished and calls the wake function
    more,  // a unit is finished; the task runs again unless another is requested
  };
  /// A task: each call runs its next unit and polls `cancelled`.
  using Task = std::function<After(const std::atomic<bool>& cancelled)>;

  explicit TaskRunner(Scheduler& scheduler, Priority priority = Priority::background);
  /// Cancels the running task and waits until its unit ends.
  ~TaskRunner();
  TaskRunner(const TaskRunner&) = delete;
  TaskRunner& operator=(const TaskRunner&) = delete;

  /// Sets `wake`, which another thread calls.
  void setWake(std::function<void()> wake);
  /// Requests a task that starts after `delay` seconds at the earliest. A task may request its
  /// successor.
  void request(Task task, double delay = 0.0);
  /// Drops the requested task and cancels the running one.
  void stop();
  bool busy() const;
  /// Waits until nothing is requested or running, at most `seconds` (negative: as long as it
  /// takes).
  void wait(double seconds = -1.0);
  /// Calls the wake function for a task that has a result before its end.
  void wake();

 private:
  friend class Scheduler;
  bool idle() const { return !requested_ && !running_; }

  Scheduler& scheduler_;
  const Priority priority_;
  std::mutex wakeMutex_;  // held while waking: setWake() waits until the call returns
  std::function<void()> wake_;
  // The scheduler's mutex guards the following members.
  Task requested_;
  double due_ = 0.0;        // the earliest start of the requested task, as clockSeconds()
  std::uint64_t turn_ = 0;  // the requested task with the lowest turn runs first
  bool running_ = false;
  int threadsInside_ = 0;  // the number of threads that use this object
  std::atomic<bool> cancelled_{false};
};

}  // namespace headscope
