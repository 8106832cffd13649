// PairBias: a number for each head and pair of query and key that is added to their score, behind
// ÷√d_k. T5 has one for each distance, and far distances share theirs (Raffel et al. 2020);
// AlphaFold computes one for each pair (Jumper et al. 2021, algorithm 7). Either is an operand of a
// layer, `pair_bias` (H,T,M), which all items of a batch share; those of one distance share it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/tensor/tensor.h"

namespace headscope {

class PairBias {
 public:
  struct Settings {
    std::vector<float> values;  // (H, T, M); with buckets: (H, buckets)
    Index queries = 0;          // T; 0 with buckets
    Index keys = 0;             // M; 0 with buckets
    Index buckets = 0;          // of distances; 0: each pair has a number of its own
    Index maxDistance = 0;      // from here on, distances share the last bucket
    bool bothWays = true;       // half of the buckets are for later keys; otherwise these share one
    std::optional<std::uint64_t> seed = {};  // the numbers are drawn from it, and given without

    bool operator==(const Settings&) const = default;
  };

  PairBias() = default;  // off
  explicit PairBias(Settings settings);
  /// The numbers of a tensor (H, T, M).
  static PairBias of(const Tensor& numbers);
  /// Numbers with mean 0 and standard deviation 1.
  static PairBias drawn(Index heads, Index queries, Index keys, std::uint64_t seed);

  bool on() const { return shared_ != nullptr; }
  /// Returns whether there is a number for every head, and for every pair where these have their
  /// own. True where it is off.
  bool fits(Index heads, Index queries, Index keys) const;
  /// The bias for a layer of other sizes: drawn again from its seed. Off without one, and for more
  /// than 2^24 numbers.
  PairBias fittedTo(Index heads, Index queries, Index keys) const;

  /// Returns whether each pair has a number of its own.
  bool ofPairs() const { return on() && settings().buckets == 0; }
  // only where it is on
  const Settings& settings() const { return shared_->settings; }
  /// The numbers of pairs (H, T, M) or of buckets (H, 1, buckets); copies share them.
  const Tensor& tensor() const { return shared_->tensor; }
  /// The bucket of a distance, key − query.
  Index bucketOf(Index distance) const;
  /// With buckets, `query` and `key` are positions of one text.
  float at(Index head, Index query, Index key) const;
  /// Adds the numbers of a query to its scores for the keys firstKey, firstKey + 1, …
  void addTo(std::span<float> scores, Index head, Index query, Index firstKey) const;

  bool operator==(const PairBias& other) const {
    return shared_ == other.shared_ || (on() && other.on() && settings() == other.settings());
  }

 private:
  struct Shared {
    Settings settings;
    std::vector<Index> buckets;  // of the distances in one direction, as far as they differ
    Tensor tensor;               // the numbers of pairs or of buckets
  };
  std::shared_ptr<const Shared> shared_;  // configurations are copied for every edit
};

}  // namespace headscope
