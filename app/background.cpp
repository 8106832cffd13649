#include "app/background.h"

#include <chrono>
#include <utility>

#include "core/execution.h"

namespace headscope {

TaskThread::~TaskThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    cancelled_ = true;
  }
#ifndef HEADSCOPE_NO_THREADS
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
#endif
}

void TaskThread::setWake(std::function<void()> wake) {
  const std::lock_guard lock(wakeMutex_);
  wake_ = std::move(wake);
}

void TaskThread::onRest(double seconds, std::function<void()> rest) {
  restAfter_ = seconds;
  rest_ = std::move(rest);
}

void TaskThread::request(Task task) {
  {
    const std::lock_guard lock(mutex_);
    requested_ = std::move(task);
    cancelled_ = true;
#ifdef HEADSCOPE_NO_THREADS
    schedule();
#else
    if (!thread_.joinable()) thread_ = std::thread([this] { loop(); });
#endif
  }
  changed_.notify_all();
}

#ifdef HEADSCOPE_NO_THREADS
void TaskThread::schedule() {
  if (std::exchange(scheduled_, true)) return;
  later_.call(0.0, [this] {
    std::unique_lock lock(mutex_);
    scheduled_ = false;
    const double until = clockSeconds() + kSlice;
    while (requested_ && !running_ && clockSeconds() < until) runRequested(lock);
    if (requested_ && !running_) schedule();
  });
}
#endif

void TaskThread::stop() {
  {
    const std::lock_guard lock(mutex_);
    requested_ = nullptr;
    cancelled_ = true;
  }
  changed_.notify_all();
}

void TaskThread::wake() {
  const std::lock_guard waking(wakeMutex_);
  if (wake_) wake_();
}

bool TaskThread::busy() const {
  const std::lock_guard lock(mutex_);
  return !idle();
}

void TaskThread::wait(double seconds) {
  std::unique_lock lock(mutex_);
#ifdef HEADSCOPE_NO_THREADS
  while (requested_ && !running_) runRequested(lock);
#endif
  if (seconds < 0.0) {
    changed_.wait(lock, [this] { return idle(); });
  } else {
    changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return idle(); });
  }
}

void TaskThread::runRequested(std::unique_lock<std::mutex>& lock) {
  Task task = std::exchange(requested_, nullptr);
  running_ = true;
  cancelled_ = false;
  lock.unlock();
  const After after = task(cancelled_);
  if (after != After::more) task = nullptr;  // what it holds goes before anybody is told
  lock.lock();
  running_ = false;
  if (after == After::more && !cancelled_) {
    requested_ = std::move(task);
    return;
  }
  lock.unlock();
  task = nullptr;
  changed_.notify_all();
  if (after == After::news) wake();
  lock.lock();
}

void TaskThread::loop() {
  const auto called = [this] { return stopping_ || requested_; };
  std::unique_lock lock(mutex_);
  while (true) {
    if (rest_ && !changed_.wait_for(lock, std::chrono::duration<double>(restAfter_), called)) {
      lock.unlock();
      rest_();
      lock.lock();
    }
    changed_.wait(lock, called);
    if (stopping_) return;
    runRequested(lock);
  }
}

}  // namespace headscope
