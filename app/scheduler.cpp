#include "app/scheduler.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/execution.h"

#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
#define HEADSCOPE_NO_THREADS 1
#include <emscripten/eventloop.h>
#endif

namespace headscope {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

bool Scheduler::hasRoomFor(Priority priority) const {
  const auto level = static_cast<std::ptrdiff_t>(priority);
  const int running = std::accumulate(running_.begin() + level, running_.end(), 0);
  return running < backgroundThreads_ + kPriorityCount - 1 - level;
}

TaskRunner* Scheduler::nextReady(double now) const {
  TaskRunner* next = nullptr;
  const auto order = [](const TaskRunner& r) { return std::pair(r.priority_, r.turn_); };
  for (TaskRunner* runner : runners_) {
    if (!runner->requested_ || runner->running_ || runner->due_ > now) continue;
    if (!hasRoomFor(runner->priority_)) continue;
    if (next == nullptr || order(*runner) < order(*next)) next = runner;
  }
  return next;
}

double Scheduler::nextDue(double now) const {
  double due = kNever;
  for (const TaskRunner* runner : runners_) {
    if (runner->requested_ && runner->due_ > now) due = std::min(due, runner->due_);
  }
  return due;
}

void Scheduler::runUnit(TaskRunner& runner, Lock& lock) {
  TaskRunner::Task task = std::exchange(runner.requested_, nullptr);
  runner.running_ = true;
  runner.cancelled_ = false;
  ++runner.threadsInside_;
  int& running = running_[static_cast<std::size_t>(runner.priority_)];
  ++running;
  if (std::ranges::any_of(runners_, [](auto* other) { return bool(other->requested_); })) call();
  lock.unlock();
  const TaskRunner::After after = task(runner.cancelled_);
  // a task's data is destroyed without the lock, and before anybody learns of its end
  if (after != TaskRunner::After::more || runner.cancelled_) task = nullptr;
  lock.lock();
  if (task && runner.cancelled_) {
    lock.unlock();
    task = nullptr;
    lock.lock();
  }
  --running;
  runner.running_ = false;
  if (task) {
    runner.requested_ = std::move(task);
    runner.turn_ = ++turns_;
  }
  changed_.notify_all();
  if (after == TaskRunner::After::news) {
    lock.unlock();
    runner.wake();
    lock.lock();
  }
  --runner.threadsInside_;
  changed_.notify_all();
}

TaskRunner::TaskRunner(Scheduler& scheduler, Priority priority)
    : scheduler_(scheduler), priority_(priority) {
  const std::lock_guard lock(scheduler_.mutex_);
  scheduler_.runners_.push_back(this);
}

TaskRunner::~TaskRunner() {
  stop();
  Scheduler::Lock lock(scheduler_.mutex_);
  std::erase(scheduler_.runners_, this);  // a successor that the task requests does not start
  scheduler_.changed_.wait(lock, [this] { return threadsInside_ == 0; });
}

void TaskRunner::setWake(std::function<void()> wake) {
  const std::lock_guard lock(wakeMutex_);
  wake_ = std::move(wake);
}

void TaskRunner::wake() {
  const std::lock_guard waking(wakeMutex_);
  if (wake_) wake_();
}

void TaskRunner::request(Task task, double delay) {
  const std::lock_guard lock(scheduler_.mutex_);
  scheduler_.call();
  if (!requested_) turn_ = ++scheduler_.turns_;
  std::swap(requested_, task);
  due_ = clockSeconds() + delay;
  cancelled_ = true;
}

void TaskRunner::stop() {
  Task dropped;
  const std::lock_guard lock(scheduler_.mutex_);
  std::swap(requested_, dropped);
  cancelled_ = true;
  scheduler_.changed_.notify_all();
}

bool TaskRunner::busy() const {
  const std::lock_guard lock(scheduler_.mutex_);
  return !idle();
}

void TaskRunner::wait(double seconds) {
  Scheduler::Lock lock(scheduler_.mutex_);
  scheduler_.await(*this, lock, seconds);
}

#ifndef HEADSCOPE_NO_THREADS

bool Scheduler::hasThreads() { return true; }

Scheduler::~Scheduler() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Scheduler::call() {
  if (idle_ > 0) return work_.notify_one();
  if (std::ssize(threads_) == mostThreads()) return;
  try {
    threads_.emplace_back([this] { loop(); });
  } catch (const std::exception&) {
    if (threads_.empty()) throw;  // otherwise the running threads do the work
  }
}

void Scheduler::loop() {
  Lock lock(mutex_);
  while (!stopping_) {
    const double now = clockSeconds();
    if (TaskRunner* next = nextReady(now)) {
      runUnit(*next, lock);
      continue;
    }
    ++idle_;
    const double due = nextDue(now);
    if (due == kNever) {
      work_.wait(lock);
    } else {
      work_.wait_for(lock, std::chrono::duration<double>(due - now));
    }
    --idle_;
  }
}

void Scheduler::await(TaskRunner& runner, Lock& lock, double seconds) {
  const auto ended = [&runner] { return runner.idle(); };
  if (seconds < 0.0) return changed_.wait(lock, ended);
  changed_.wait_for(lock, std::chrono::duration<double>(seconds), ended);
}

#else

bool Scheduler::hasThreads() { return false; }

Scheduler::~Scheduler() { emscripten_clear_timeout(timer_); }

void Scheduler::call() {
  emscripten_clear_timeout(timer_);
  const auto loop = [](void* self) { static_cast<Scheduler*>(self)->loop(); };
  timer_ = emscripten_set_timeout(loop, 0.0, this);
}

void Scheduler::loop() {
  constexpr double kFrameBudgetSeconds = 0.02;  // the time per frame for units
  Lock lock(mutex_);
  const double until = clockSeconds() + kFrameBudgetSeconds;
  double now = 0.0;
  TaskRunner* next = nullptr;
  while ((next = nextReady(now = clockSeconds())) != nullptr && now < until) runUnit(*next, lock);
  const double due = next != nullptr ? now : nextDue(now);
  emscripten_clear_timeout(timer_);
  if (due == kNever) return;
  const auto later = [](void* self) { static_cast<Scheduler*>(self)->loop(); };
  timer_ = emscripten_set_timeout(later, 1000.0 * (due - now), this);
}

void Scheduler::await(TaskRunner& runner, Lock& lock, double) {
  while (runner.requested_ && !runner.running_) runUnit(runner, lock);
}

#endif

}  // namespace headscope
