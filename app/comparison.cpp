#include "app/comparison.h"

#include <utility>

namespace headscope {

void Comparison::setWake(std::function<void()> wake) {
  wake_ = std::move(wake);
  if (worker_) worker_->setWake(wake_);
}

void Comparison::want(const DocumentPtr& document) {
  if (document == wanted_) return;
  wanted_ = document;
  problem_.clear();
  if (wanted_ == nullptr) {
    worker_.reset();
    trace_.reset();
    return;
  }
  if (!worker_) {
    worker_ = std::make_unique<Worker>(threads_, wake_);
    ++series_;
  }
  worker_->request(wanted_);
}

TracePtr Comparison::trace() {
  if (!worker_) return nullptr;
  if (auto update = worker_->take()) {
    if (update->trace) {
      trace_ = std::move(update->trace);
    } else if (update->document == wanted_) {
      problem_ = std::move(update->error);
    }
  }
  return trace_ != nullptr && trace_->documentPtr() == wanted_ ? trace_ : nullptr;
}

void Comparison::finish() {
  if (worker_) worker_->wait();
}

}  // namespace headscope
