#include "app/background.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "core/base/execution.h"

namespace headscope {

TaskPool::~TaskPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
#ifndef HEADSCOPE_NO_THREADS
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
#endif
}

void TaskPool::enqueue(TaskRunner& runner) {
  {
    const std::lock_guard lock(mutex_);
    if (std::find(queue_.begin(), queue_.end(), &runner) != queue_.end()) return;
    queue_.push_back(&runner);
#ifndef HEADSCOPE_NO_THREADS
    while (std::ssize(threads_) < threadCount_) threads_.emplace_back([this] { loop(); });
#endif
  }
  changed_.notify_all();
}

void TaskPool::remove(TaskRunner& runner) {
  std::unique_lock lock(mutex_);
  std::erase(queue_, &runner);
  changed_.wait(
      lock, [&] { return std::find(running_.begin(), running_.end(), &runner) == running_.end(); });
  std::erase(queue_, &runner);
}

void TaskPool::loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (stopping_) return;
    TaskRunner& runner = *queue_.front();
    queue_.pop_front();
    running_.push_back(&runner);
    lock.unlock();
    const bool more = runner.runUnitOnPool();
    lock.lock();
    running_.erase(std::find(running_.begin(), running_.end(), &runner));  // it may be listed twice
    // a request during the unit may have queued it already
    if (more && std::find(queue_.begin(), queue_.end(), &runner) == queue_.end()) {
      queue_.push_back(&runner);
    }
    changed_.notify_all();
  }
}

TaskRunner::~TaskRunner() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    cancelled_ = true;
    if (pool_ != nullptr) requested_ = nullptr;
  }
  if (pool_ != nullptr) pool_->remove(*this);
#ifndef HEADSCOPE_NO_THREADS
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
#endif
}

bool TaskRunner::runUnitOnPool() {
  std::unique_lock lock(mutex_);
  // if a unit runs on another thread of the pool, that thread queues the next one
  if (!requested_ || running_) return false;
  runRequested(lock);
  return requested_ && !stopping_;
}

void TaskRunner::setWake(std::function<void()> wake) {
  const std::lock_guard lock(wakeMutex_);
  wake_ = std::move(wake);
}

void TaskRunner::onRest(double seconds, std::function<void()> rest) {
  restAfter_ = seconds;
  rest_ = std::move(rest);
}

void TaskRunner::request(Task task) {
  {
    const std::lock_guard lock(mutex_);
    requested_ = std::move(task);
    cancelled_ = true;
#ifdef HEADSCOPE_NO_THREADS
    schedule();
#else
    if (pool_ == nullptr && !thread_.joinable()) thread_ = std::thread([this] { loop(); });
#endif
  }
#ifndef HEADSCOPE_NO_THREADS
  if (pool_ != nullptr) pool_->enqueue(*this);
#endif
  changed_.notify_all();
}

#ifdef HEADSCOPE_NO_THREADS
void TaskRunner::schedule() {
  if (std::exchange(scheduled_, true)) return;
  later_.call(0.0, [this] {
    std::unique_lock lock(mutex_);
    scheduled_ = false;
    const double until = clockSeconds() + kFrameBudgetSeconds;
    while (requested_ && !running_ && clockSeconds() < until) runRequested(lock);
    if (requested_ && !running_) schedule();
  });
}
#endif

void TaskRunner::stop() {
  {
    const std::lock_guard lock(mutex_);
    requested_ = nullptr;
    cancelled_ = true;
  }
  changed_.notify_all();
}

void TaskRunner::wake() {
  const std::lock_guard waking(wakeMutex_);
  if (wake_) wake_();
}

bool TaskRunner::busy() const {
  const std::lock_guard lock(mutex_);
  return !idle();
}

void TaskRunner::wait(double seconds) {
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

void TaskRunner::runRequested(std::unique_lock<std::mutex>& lock) {
  Task task = std::exchange(requested_, nullptr);
  running_ = true;
  cancelled_ = false;
  lock.unlock();
  const After after = task(cancelled_);
  if (after != After::more) task = nullptr;  // destroys the task's data before anybody is notified
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

void TaskRunner::loop() {
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
