#include "app/ui/heads/pooled.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "app/gl/scene.h"

namespace headscope::ui {
namespace {

struct Block {
  double sum = 0.0;
  Index count = 0;
  float largest = 0.0F;

  void add(std::span<const float> cells) {
    double own = 0.0;
    for (const float cell : cells) {
      if (cell <= gl::kMaskedCell) continue;
      own += static_cast<double>(cell);
      ++count;
      if (std::abs(cell) > std::abs(largest)) largest = cell;
    }
    sum += own;
  }

  float value(Pool pool, Index queries) const {
    if (pool == Pool::share) return static_cast<float>(sum / static_cast<double>(queries));
    if (count == 0) return gl::kMaskedCell;
    return pool == Pool::largest ? largest : static_cast<float>(sum / static_cast<double>(count));
  }
};

}  // namespace

std::optional<std::vector<float>> pooled(const CellBlocks& blocks, Pool pool, const ReadRow& read,
                                         const std::atomic<bool>* cancelled) {
  const Index down = blocks.down();
  const Index across = blocks.across();
  std::vector<float> result;
  result.reserve(static_cast<std::size_t>(down * across));
  std::vector<float> row(static_cast<std::size_t>(blocks.cols));
  std::vector<Block> line;
  for (Index r = 0; r < down; ++r) {
    if (cancelled != nullptr && cancelled->load(std::memory_order_relaxed)) return std::nullopt;
    const Index first = blocks.row0 + r * blocks.rowStep;
    const Index end = std::min(first + blocks.rowStep, blocks.row0 + blocks.rows);
    line.assign(static_cast<std::size_t>(across), {});
    for (Index i = first; i < end; ++i) {
      read(i, blocks.col0, row);
      std::span<const float> left(row);
      for (Block& block : line) {
        const std::size_t width = std::min(left.size(), static_cast<std::size_t>(blocks.colStep));
        block.add(left.first(width));
        left = left.subspan(width);
      }
    }
    for (const Block& block : line) result.push_back(block.value(pool, end - first));
  }
  return result;
}

float largestOf(std::span<const float> cells) {
  float largest = 0.0F;
  for (const float cell : cells) {
    if (cell > gl::kMaskedCell) largest = std::max(largest, std::abs(cell));
  }
  return largest;
}

}  // namespace headscope::ui
