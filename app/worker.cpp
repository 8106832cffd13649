#include "app/worker.h"

#include <chrono>
#include <new>
#include <utility>

#include "core/clock.h"
#include "core/gemm.h"

namespace headscope {

Worker::Worker(int threads, std::function<void()> wake)
    : wake_(std::move(wake)), thread_([this, threads] { loop(threads); }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    cancelled_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Worker::setWake(std::function<void()> wake) {
  const std::lock_guard lock(wakeMutex_);
  wake_ = std::move(wake);
}

void Worker::request(DocumentPtr document) {
  {
    const std::lock_guard lock(mutex_);
    requested_ = std::move(document);
    cancelled_ = true;
  }
  changed_.notify_all();
}

std::optional<Worker::Update> Worker::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(update_, std::nullopt);
}

Worker::Progress Worker::progress() const {
  const std::lock_guard lock(mutex_);
  if (idle()) return {};
  return {true, running_ ? clockSeconds() - startedAt_ : 0.0, stepsDone_.load()};
}

void Worker::wait(double seconds) {
  std::unique_lock lock(mutex_);
  if (seconds < 0.0) {
    changed_.wait(lock, [this] { return idle(); });
  } else {
    changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return idle(); });
  }
}

void Worker::loop(int threads) {
  prepareGemm();
  TracePtr last;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || requested_ != nullptr; });
    if (stopping_) return;
    const DocumentPtr document = std::exchange(requested_, nullptr);
    running_ = true;
    cancelled_ = false;
    stepsDone_ = 0;
    startedAt_ = clockSeconds();
    lock.unlock();

    std::optional<Update> update;
    try {
      if (auto trace = runAttention(document, last, {threads, &cancelled_, &stepsDone_})) {
        last = trace;
        update = Update{std::move(trace), {}, {}};
      }
    } catch (const std::bad_alloc&) {
      update = Update{nullptr, "there is not enough memory for this size", document};
    } catch (const std::exception& error) {
      update = Update{nullptr, error.what(), document};
    }

    lock.lock();
    running_ = false;
    const bool news = update.has_value();
    if (news) update_ = std::move(update);
    lock.unlock();
    changed_.notify_all();
    if (news) {
      const std::lock_guard waking(wakeMutex_);
      if (wake_) wake_();
    }
    lock.lock();
  }
}

}  // namespace headscope
