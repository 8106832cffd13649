#include "app/ui/parts/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "app/gl/scene.h"
#include "core/execution.h"

namespace headscope::ui {
namespace {

constexpr Index kMostReducePieces = 64;
constexpr Index kReduceFlopsPerCell = 4;

/// `work` on [begin, end) of `count` rows, of a matrix of `cells` in all.
template <typename Work>
void overRows(Index count, Index cells, const std::atomic<bool>* cancelled, Work&& work) {
  const ThreadCount threads(threadsFor(cells * kReduceFlopsPerCell, 0));
  Execution execution;
  execution.cancelled = cancelled;
  const Index pieces = std::min(count, kMostReducePieces);
  overPieces(pieces, execution,
             [&](Index piece) { work(piece * count / pieces, (piece + 1) * count / pieces); });
}

bool isMasked(float value) { return value <= gl::kMaskedCell; }

/// Orders cells: masked ones below all, by magnitude above. Both sides of each choice are computed,
/// so that the compiler takes many cells at once.
float rank(float value) { return isMasked(value) ? -1.0F : std::abs(value); }

float larger(float a, float b) {
  const bool takesB = (rank(b) > rank(a)) | (b != b);
  return takesB ? b : a;
}

/// One row of blocks, of which the cells are the rows [begin, end).
void reduceToLargest(const CellRows& cells, Index begin, Index end, const Blocks& across,
                     float* out) {
  const auto width = static_cast<std::size_t>(cells.cols);
  std::vector<float> line(width), row(width);
  cells.read(begin, line);
  for (Index i = begin + 1; i < end; ++i) {
    cells.read(i, row);
    for (std::size_t c = 0; c < width; ++c) line[c] = larger(line[c], row[c]);
  }
  for (Index c = 0; c < across.count(); ++c) {
    const float* from = line.data() + across.begin(c);
    const float* to = line.data() + across.end(c);
    float value = *from;
    while (++from < to) value = larger(value, *from);
    out[c] = value;
  }
}

void reduceToSums(const CellRows& cells, Index begin, Index end, const Blocks& across,
                  Reduction how, float* out) {
  const auto blocks = static_cast<std::size_t>(across.count());
  std::vector<float> row(static_cast<std::size_t>(cells.cols));
  std::vector<double> sums(blocks, 0.0);
  std::vector<Index> counts(blocks, 0);
  for (Index i = begin; i < end; ++i) {
    cells.read(i, row);
    for (std::size_t c = 0; c < blocks; ++c) {
      const auto block = static_cast<Index>(c);
      for (Index at = across.begin(block); at < across.end(block); ++at) {
        const float value = row[static_cast<std::size_t>(at)];
        if (isMasked(value)) continue;
        sums[c] += static_cast<double>(value);
        ++counts[c];
      }
    }
  }
  for (std::size_t c = 0; c < blocks; ++c) {
    if (how == Reduction::share) {
      out[c] = static_cast<float>(sums[c] / static_cast<double>(end - begin));
    } else {
      out[c] = counts[c] == 0 ? gl::kMaskedCell
                              : static_cast<float>(sums[c] / static_cast<double>(counts[c]));
    }
  }
}

bool countsForLargest(float value) {
  return (value > gl::kMaskedCell) & (std::abs(value) <= std::numeric_limits<float>::max());
}

}  // namespace

Blocks Blocks::even(Index cells, Index count) {
  Blocks blocks;
  for (Index i = 0; i <= count; ++i) blocks.edges_.push_back((i * cells + count - 1) / count);
  return blocks;
}

Blocks Blocks::stepped(Index first, Index cells, Index step) {
  Blocks blocks;
  for (Index at = 0; at < cells; at += step) blocks.edges_.push_back(first + at);
  blocks.edges_.push_back(first + cells);
  return blocks;
}

bool reduce(const CellRows& cells, const Blocks& down, const Blocks& across, Reduction how,
            float* out, const std::atomic<bool>* cancelled) {
  overRows(down.count(), cells.rows * cells.cols, cancelled, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      float* line = out + r * across.count();
      if (how == Reduction::largest) {
        reduceToLargest(cells, down.begin(r), down.end(r), across, line);
      } else {
        reduceToSums(cells, down.begin(r), down.end(r), across, how, line);
      }
    }
  });
  return cancelled == nullptr || !cancelled->load(std::memory_order_relaxed);
}

void reduce(const CellRows& cells, int rows, int cols, Reduction how, float* out) {
  reduce(cells, Blocks::even(cells.rows, rows), Blocks::even(cells.cols, cols), how, out);
}

void reduceAsShown(const CellRows& cells, bool turned, int rows, int cols, Reduction how,
                   float* out) {
  if (!turned) return reduce(cells, rows, cols, how, out);
  std::vector<float> unturned(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  reduce(cells, cols, rows, how, unturned.data());
  transpose(unturned, cols, rows, out);
}

void transpose(std::span<const float> from, int rows, int cols, float* out) {
  for (int c = 0; c < cols; ++c) {
    for (int r = 0; r < rows; ++r) {
      *out++ = from[static_cast<std::size_t>(r) * static_cast<std::size_t>(cols) +
                    static_cast<std::size_t>(c)];
    }
  }
}

float largestFinite(const CellRows& cells) {
  std::mutex mutex;
  float largest = 0.0F;
  overRows(cells.rows, cells.rows * cells.cols, nullptr, [&](Index begin, Index end) {
    std::vector<float> line(static_cast<std::size_t>(cells.cols), 0.0F), row(line.size());
    for (Index r = begin; r < end; ++r) {
      cells.read(r, row);
      for (std::size_t c = 0; c < row.size(); ++c) {
        const float counted = countsForLargest(row[c]) ? std::abs(row[c]) : 0.0F;
        line[c] = counted > line[c] ? counted : line[c];
      }
    }
    const float own = *std::max_element(line.begin(), line.end());
    const std::lock_guard lock(mutex);
    largest = std::max(largest, own);
  });
  return largest;
}

float largestFinite(std::span<const float> cells) {
  float largest = 0.0F;
  for (const float cell : cells) {
    if (countsForLargest(cell)) largest = std::max(largest, std::abs(cell));
  }
  return largest;
}

}  // namespace headscope::ui
