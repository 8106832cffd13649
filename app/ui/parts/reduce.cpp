#include "app/ui/parts/reduce.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <numeric>
#include <type_traits>
#include <utility>

#include "app/gl/scene.h"
#include "core/base/execution.h"

namespace headscope::ui {

CellRows rowsOf(const Tensor& tensor) {
  const Index rows = tensor.rank() > 1 ? tensor.dim(0) : 1;
  const Index cols = rows > 0 ? tensor.size() / rows : 0;
  return {rows, cols, [tensor, cols](Index row, std::span<float> out) {
            std::copy_n(tensor.data() + row * cols, cols, out.begin());
          }};
}

namespace {

constexpr Index kMostReducePieces = 64;
constexpr Index kReduceFlopsPerCell = 4;

/// Runs `work` on ranges [begin, end) of `count` rows, in parallel; the matrix has `cells` in all.
template <typename Work>
void overRows(Index count, Index cells, const std::atomic<bool>* cancelled, Work&& work) {
  const ScopedThreadLimit threads(threadsFor(cells * kReduceFlopsPerCell, 0));
  ExecutionContext execution;
  execution.cancelled = cancelled;
  const Index pieces = std::min(count, kMostReducePieces);
  parallelFor(pieces, execution,
              [&](Index piece) { work(piece * count / pieces, (piece + 1) * count / pieces); });
}

[[gnu::always_inline]] inline bool isMasked(float value) { return value <= gl::kMaskedCell; }

/// A cell as an integer that orders cells for Reduction::largest: masked ones lowest, then by
/// magnitude, NaN highest. The integer is the cell's bits with the sign in the lowest bit, so that
/// a processor compares many at once.
[[gnu::always_inline]] inline std::int32_t orderOf(float value) {
  constexpr std::uint32_t kLowest = 0x8000'0000U;  // masked cells; zero is the next higher
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t order = (bits << 1 | bits >> 31) ^ kLowest;
  const std::uint32_t seen = order == kLowest ? kLowest + 1 : order;
  return static_cast<std::int32_t>(isMasked(value) ? kLowest : seen);
}

float ofOrder(std::int32_t order) {
  const std::uint32_t turned = static_cast<std::uint32_t>(order) ^ 0x8000'0000U;
  if (turned <= 1) return turned == 0 ? gl::kMaskedCell : 0.0F;
  return std::bit_cast<float>(turned >> 1 | turned << 31);
}

/// Raises `largest` to the order of each cell.
[[gnu::always_inline]] inline void raiseLoop(const float* row, std::size_t width,
                                             std::int32_t* largest) {
  for (std::size_t c = 0; c < width; ++c) {
    const std::int32_t order = orderOf(row[c]);
    largest[c] = order > largest[c] ? order : largest[c];
  }
}

void raiseAnywhere(const float* row, std::size_t width, std::int32_t* largest) {
  raiseLoop(row, width, largest);
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) void raiseAvx2(const float* row, std::size_t width,
                                               std::int32_t* largest) {
  raiseLoop(row, width, largest);
}
#endif

void raise(const float* row, std::size_t width, std::int32_t* largest) {
#if defined(__x86_64__) && defined(__GNUC__)
  static const bool wide = __builtin_cpu_supports("avx2") != 0;
  if (wide) return raiseAvx2(row, width, largest);
#endif
  raiseAnywhere(row, width, largest);
}

/// Reduces the rows [begin, end) to one row of blocks by Reduction::largest.
void reduceToLargest(const CellRows& cells, Index begin, Index end, const Blocks& across,
                     float* out) {
  const auto width = static_cast<std::size_t>(cells.cols);
  std::vector<float> row(width);
  std::vector<std::int32_t> largest(width, std::numeric_limits<std::int32_t>::min());
  for (Index i = begin; i < end; ++i) {
    cells.read(i, row);
    raise(row.data(), width, largest.data());
  }
  for (Index c = 0; c < across.count(); ++c) {
    const auto from = largest.begin() + across.begin(c);
    out[c] = ofOrder(*std::max_element(from, largest.begin() + across.end(c)));
  }
}

/// Reduces the rows [begin, end) to one row of blocks by sums. Sums of columns come first, since a
/// processor adds many at once.
void reduceToSums(const CellRows& cells, Index begin, Index end, const Blocks& across,
                  Reduction how, float* out) {
  const auto width = static_cast<std::size_t>(cells.cols);
  std::vector<float> row(width);
  std::vector<double> sums(width, 0.0);
  std::vector<std::int32_t> counts(width, 0);
  for (Index i = begin; i < end; ++i) {
    cells.read(i, row);
    for (std::size_t c = 0; c < width; ++c) {
      counts[c] += isMasked(row[c]) ? 0 : 1;
      row[c] = isMasked(row[c]) ? 0.0F : row[c];
    }
    for (std::size_t c = 0; c < width; ++c) sums[c] += static_cast<double>(row[c]);
  }
  for (Index c = 0; c < across.count(); ++c) {
    const auto over = [&](const auto& columns) {
      using Sum = typename std::decay_t<decltype(columns)>::value_type;
      return static_cast<double>(std::accumulate(columns.begin() + across.begin(c),
                                                 columns.begin() + across.end(c), Sum{0}));
    };
    const double sum = over(sums);
    if (how == Reduction::share) {
      out[c] = static_cast<float>(sum / static_cast<double>(end - begin));
    } else {
      const double count = over(counts);
      out[c] = count == 0.0 ? gl::kMaskedCell : static_cast<float>(sum / count);
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

CellRows reduced(CellRows cells, Index rows, Index cols) {
  Blocks down = Blocks::even(cells.rows, rows), across = Blocks::even(cells.cols, cols);
  return {down.count(), across.count(),
          [cells = std::move(cells), down, across](Index row, std::span<float> out) {
            reduceToLargest(cells, down.begin(row), down.end(row), across, out.data());
          }};
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
