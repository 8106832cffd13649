#include "app/worker.h"

#include <memory>
#include <utility>

#include "app/background_task.h"
#include "core/attention/ledger.h"
#include "core/base/execution.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/tensor/gemm.h"

namespace headscope {
namespace {

// Without threads a pass of this size takes some tenths of a second. It starts a little later, so
// that a frame announces it first.
constexpr Index kLongPassFlops = 1'000'000'000;
constexpr double kAnnouncedSeconds = 0.05;

}  // namespace

void Worker::request(DocumentPtr document) {
  release_.stop();
  holdsFrames_ = !Scheduler::hasThreads() &&
                 ledger(document->config, document->scoreStorage).flops > kLongPassFlops;
  runner_.request([this, document = std::move(document)](
                      const std::atomic<bool>& cancelled) { return run(document, cancelled); },
                  holdsFrames_ ? kAnnouncedSeconds : 0.0);
}

std::optional<Worker::Update> Worker::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(update_, std::nullopt);
}

Worker::Progress Worker::progress() const {
  if (!runner_.busy()) return {};
  const double startedAt = startedAt_;
  return {true, startedAt > 0.0 ? clockSeconds() - startedAt : 0.0, stepsDone_.load(),
          holdsFrames_};
}

TaskRunner::After Worker::run(const DocumentPtr& document, const std::atomic<bool>& cancelled) {
  TracePtr trace;
  std::string error = whyNot([&] {
    stepsDone_ = 0;
    startedAt_ = clockSeconds();
    if (!prepared_) prepareGemm();
    prepared_ = true;
    ExecutionContext execution;
    execution.threads = threads_;
    execution.cancelled = &cancelled;
    execution.stepsDone = &stepsDone_;
    execution.memory = memory_;
    trace = runAttention(document, last_, execution);
  });
  startedAt_ = 0.0;
  release_.request(
      [this](const std::atomic<bool>&) {
        memory_->keepFree(0);
        return TaskRunner::After::rest;
      },
      releaseAfter_);
  if (error.empty() && trace == nullptr) return TaskRunner::After::rest;
  if (trace != nullptr) last_ = trace;
  const std::lock_guard lock(mutex_);
  update_ = error.empty() ? Update{std::move(trace), {}, {}}
                          : Update{nullptr, std::move(error), document};
  return TaskRunner::After::news;
}

}  // namespace headscope
