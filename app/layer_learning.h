// Layer learning: weights that are learned beside the frames; how they are by now can be had while
// they form.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "app/background.h"
#include "core/attention/config.h"
#include "core/attention/weights.h"
#include "core/input/training_domain.h"

namespace headscope {

/// What weights are learned for.
struct LearnedSizes {
  Index dModel = 0, numHeads = 0, numKvHeads = 0, headDim = 0;
  bool bias = true;
  TrainingDomain domain;
  std::uint64_t seed = 1;

  LearnedSizes() = default;
  LearnedSizes(const AttentionConfig& c, const TrainingDomain& from, std::uint64_t seedOfAll)
      : dModel(c.dModel),
        numHeads(c.numHeads),
        numKvHeads(c.numKvHeads),
        headDim(c.dKDivides() ? 0 : c.dK()),
        bias(c.bias),
        domain(from),
        seed(seedOfAll) {}
  bool operator==(const LearnedSizes&) const = default;
};

class LayerLearning {
 public:
  struct News {
    std::optional<Weights> weights;  // none where it failed
    bool done = false;
    std::string error;  // why it failed
  };
  struct Progress {
    Index step = 0, steps = 1;
  };

  /// In place of what was being learned.
  void begin(const AttentionConfig& config, const TrainingDomain& domain, std::uint64_t seed);
  void stop();
  /// Until its last news are taken.
  bool goesOn() const { return of_.has_value(); }
  bool isOf(const LearnedSizes& sizes) const { return of_ == sizes; }
  Progress progress() const;

  /// The weights as they are after the next step: there a little later. The last come unasked.
  void ask() { shared_->wanted = true; }
  std::optional<News> take();

  void setWake(std::function<void()> wake) { thread_.setWake(std::move(wake)); }
  void wait() { thread_.wait(); }

 private:
  /// Of one learning, which may be under way still while the next is asked for.
  struct Shared {
    std::atomic<bool> wanted{true};
    std::atomic<Index> step{0};
    std::mutex mutex;
    std::optional<News> news;
  };

  std::optional<LearnedSizes> of_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  TaskRunner thread_;  // last: gone before what it writes
};

}  // namespace headscope
