// Layer learning: learns the weights of a layer in the background; intermediate weights are
// available on request.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "app/scheduler.h"
#include "core/attention/weights.h"
#include "core/training/learned_layers.h"

namespace headscope {

class LayerLearning {
 public:
  struct News {
    std::optional<Weights> weights;  // none on failure
    bool done = false;
    std::string error;  // the reason of the failure
  };
  struct Progress {
    Index step = 0, steps = 1;
  };

  explicit LayerLearning(Scheduler& scheduler) : runner_(scheduler) {}

  /// Starts learning; replaces the learning under way.
  void begin(const AttentionConfig& config, const TrainingDomain& domain, std::uint64_t seed);
  void stop();
  /// True until the last news of the learning are taken.
  bool isOf(const LearnedSizes& sizes) const { return of_ == sizes; }
  Progress progress() const;

  /// Requests the weights after the next step; take() returns them later. The final weights need no
  /// request.
  void ask() { shared_->wanted = true; }
  std::optional<News> take();

  void setWake(std::function<void()> wake) { runner_.setWake(std::move(wake)); }
  void wait() { runner_.wait(); }

 private:
  /// The state of one learning, which may still run when the next one starts.
  struct Shared {
    std::atomic<bool> wanted{true};
    std::atomic<Index> step{0};
    std::mutex mutex;
    std::optional<News> news;
  };

  std::optional<LearnedSizes> of_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  TaskRunner runner_;  // last: destroyed before the members that it writes
};

}  // namespace headscope
