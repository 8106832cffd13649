#include "app/worker.h"

#include <chrono>
#include <utility>

#include "core/clock.h"
#include "core/gemm.h"

namespace headscope {

Worker::Worker(int threads, std::function<void()> wake) : threads_(threads) {
  thread_.setWake(std::move(wake));
}

void Worker::request(DocumentPtr document) {
  thread_.request([this, document = std::move(document)](const std::atomic<bool>& cancelled) {
    auto update = pass(document, cancelled);
    if (!update) return false;
    const std::lock_guard lock(mutex_);
    update_ = std::move(update);
    return true;
  });
}

std::optional<Worker::Update> Worker::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(update_, std::nullopt);
}

Worker::Progress Worker::progress() const {
  if (!thread_.busy()) return {};
  const double startedAt = startedAt_;
  return {true, startedAt > 0.0 ? clockSeconds() - startedAt : 0.0, stepsDone_.load()};
}

/// Null where it was cancelled.
std::optional<Worker::Update> Worker::pass(const DocumentPtr& document,
                                           const std::atomic<bool>& cancelled) {
  if (!std::exchange(prepared_, true)) prepareGemm();
  stepsDone_ = 0;
  startedAt_ = clockSeconds();
  TracePtr trace;
  std::string error = whyNot([&] {
    trace = runAttention(document, last_, {threads_, &cancelled, &stepsDone_});
  });
  startedAt_ = 0.0;
  if (!error.empty()) return Update{nullptr, std::move(error), document};
  if (trace == nullptr) return std::nullopt;
  last_ = trace;
  return Update{std::move(trace), {}, {}};
}

}  // namespace headscope
