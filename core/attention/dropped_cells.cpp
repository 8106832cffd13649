#include "core/attention/dropped_cells.h"

#include "core/attention/config.h"

namespace headscope {

DroppedCells::DroppedCells(const AttentionConfig& config)
    : draws_(config.dropout.seed, "dropout"),
      edge_(static_cast<float>(2.0 * config.dropout.rate - 1.0)),
      factor_(static_cast<float>(1.0 / (1.0 - config.dropout.rate))),
      heads_(config.numHeads),
      rows_(config.seqLen),
      cols_(config.keys()) {}

bool DroppedCells::operator()(Index item, Index head, Index row, Index col) const {
  const Index cell = ((item * heads_ + head) * rows_ + row) * cols_ + col;
  return draws_.uniform(static_cast<std::uint64_t>(cell)) < edge_;
}

}  // namespace headscope
