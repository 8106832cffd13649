// Learned layers: the layer that comes with the program, and the layers that were learned since the
// program started, so that going back to a size takes no time.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "core/attention/weights.h"
#include "core/input/training_domain.h"

namespace headscope {

struct AttentionConfig;

/// The sizes, the training domain and the seed for which weights are learned.
struct LearnedSizes {
  Index dModel = 0, numHeads = 0, numKvHeads = 0, headDim = 0;
  bool bias = true;
  TrainingDomain domain;
  std::uint64_t seed = 1;

  LearnedSizes() = default;
  LearnedSizes(const AttentionConfig& c, const TrainingDomain& from, std::uint64_t seedOfAll);
  bool operator==(const LearnedSizes&) const = default;
};

/// May be used by several threads. Keeps the layers that were used last, up to 64 MiB.
class LearnedLayers {
 public:
  std::optional<Weights> find(const AttentionConfig& config, const TrainingDomain& domain,
                              std::uint64_t seed);
  /// Keeps the weights after the last step of the usual settings (training::usualSettings).
  void keep(const LearnedSizes& sizes, const Weights& weights);

 private:
  std::mutex mutex_;
  std::deque<std::pair<LearnedSizes, Weights>> kept_;  // the last used first
};

}  // namespace headscope
