// DroppedCells: which attention weights a seed of dropout drops; the same cells on every machine
// and thread count.
#pragma once

#include "core/base/index.h"
#include "core/base/random.h"

namespace headscope {

struct AttentionConfig;

class DroppedCells {
 public:
  explicit DroppedCells(const AttentionConfig& config);

  bool operator()(Index item, Index head, Index row, Index col) const;
  /// The factor of the weights that dropout keeps: 1 / (1 − rate).
  float factor() const { return factor_; }

 private:
  RandomStream draws_;
  float edge_;  // a draw in [−1, 1) below it drops the cell
  float factor_;
  Index heads_, rows_, cols_;
};

}  // namespace headscope
