// RelativeScores: scores between content and position (DeBERTa: He et al. 2021, "Disentangled
// Attention"). The raw score of query i and key j becomes
//   q_i · k_j  +  q_i · positionKeys[h, r]  +  k_j · positionQueries[h, r],   r = rowOf(i − j):
// how well the query matches the key's relative position, and the key the query's.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/base/index.h"

namespace headscope {

class RelativeScores {
 public:
  struct Settings {
    std::vector<float> positionKeys;     // (H, 2·span, d_k); empty: without that part
    std::vector<float> positionQueries;  // likewise
    Index span = 0;  // the distances −span … span − 1 have rows; farther ones the last rows
    Index buckets = 0;      // 0: a row for each distance; else far distances share rows
    Index maxDistance = 0;  // the distance of the last bucket

    bool operator==(const Settings&) const = default;
  };

  RelativeScores() = default;  // off
  explicit RelativeScores(Settings settings)
      : settings_(std::make_shared<const Settings>(std::move(settings))) {}

  bool on() const { return settings_ != nullptr; }
  // only where it is on
  const Settings& settings() const { return *settings_; }
  /// The row of a distance, query − key: 0 to 2·span − 1.
  Index rowOf(Index distance) const;
  /// A row of d_k numbers; null without that part.
  const float* positionKey(Index head, Index row, Index dK) const;
  const float* positionQuery(Index head, Index row, Index dK) const;

  bool operator==(const RelativeScores& other) const {
    return settings_ == other.settings_ || (on() && other.on() && *settings_ == *other.settings_);
  }

 private:
  std::shared_ptr<const Settings> settings_;  // shared: configurations are copied for every edit
};

}  // namespace headscope
