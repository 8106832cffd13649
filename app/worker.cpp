#include "app/worker.h"

#include <utility>

#include "core/attention.h"
#include "core/execution.h"
#include "core/gemm.h"

namespace headscope {

Worker::Worker(int threads, std::function<void()> wake) : threads_(threads) {
  thread_.setWake(std::move(wake));
}

void Worker::request(DocumentPtr document) {
  thread_.request([this, document = std::move(document)](const std::atomic<bool>& cancelled) {
    return pass(document, cancelled);
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

bool Worker::pass(const DocumentPtr& document, const std::atomic<bool>& cancelled) {
  stepsDone_ = 0;
  startedAt_ = clockSeconds();
  TracePtr trace;
  std::string error = whyNot([&] {
    if (!prepared_) prepareGemm();
    prepared_ = true;
    Execution execution;
    execution.threads = threads_;
    execution.cancelled = &cancelled;
    execution.stepsDone = &stepsDone_;
    execution.memory = memory_;
    trace = runAttention(document, last_, execution);
  });
  startedAt_ = 0.0;
  if (error.empty() && trace == nullptr) return false;
  if (trace != nullptr) last_ = trace;
  const std::lock_guard lock(mutex_);
  update_ = error.empty() ? Update{std::move(trace), {}, {}}
                          : Update{nullptr, std::move(error), document};
  return true;
}

}  // namespace headscope
