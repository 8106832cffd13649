#include "app/ui/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

#include "app/gl/scene.h"
#include "core/steps/over_pieces.h"
#include "core/threads.h"

namespace headscope::ui {
namespace {

constexpr Index kMostPieces = 64;
constexpr Index kFlopsPerCell = 4;

/// `work` on [begin, end) of `count` rows, of a matrix of `cells` in all.
template <typename Work>
void overRows(Index count, Index cells, Work&& work) {
  const ThreadCount threads(threadsFor(cells * kFlopsPerCell, 0));
  const Index pieces = std::min(count, kMostPieces);
  overPieces(pieces, Execution{},
             [&](Index piece) { work(piece * count / pieces, (piece + 1) * count / pieces); });
}

/// The first of `from` that falls to `at`, where i falls to ⌊i · to / from⌋.
Index firstOf(Index at, Index from, Index to) { return (at * from + to - 1) / to; }

/// Orders cells: masked ones below all, by magnitude above. Both sides of each choice are computed,
/// so that the compiler takes many cells at once.
float rank(float value) { return value <= gl::kMaskedCell ? -1.0F : std::abs(value); }

float larger(float a, float b) {
  const bool takesB = (rank(b) > rank(a)) | (b != b);
  return takesB ? b : a;
}

/// Cells of a long axis that a cell of the short one covers, those at the ends in part.
struct Cover {
  Index first = 0, end = 0;
  double inFirst = 1, inLast = 1;

  double share(Index i) const {
    if (i == first) return inFirst;
    return i + 1 == end ? inLast : 1.0;
  }
};

Cover coverOf(Index at, Index from, Index to) {
  // in units of 1/to of a cell of the long axis, so that borders are exact
  const Index begin = at * from, end = begin + from;
  Cover cover{begin / to, (end + to - 1) / to, 1, 1};
  const auto part = [to](Index units) {
    return static_cast<double>(units) / static_cast<double>(to);
  };
  cover.inFirst = part(std::min((cover.first + 1) * to, end) - begin);
  if (cover.end - cover.first > 1) cover.inLast = part(end - (cover.end - 1) * to);
  return cover;
}

}  // namespace

void largestReduce(const RowSource& source, int rows, int cols, float* out) {
  const auto width = static_cast<std::size_t>(source.cols);
  overRows(rows, source.rows * source.cols, [&](Index begin, Index end) {
    std::vector<float> line(width), row(width);
    for (Index r = begin; r < end; ++r) {
      const Index last = firstOf(r + 1, source.rows, rows);
      Index i = firstOf(r, source.rows, rows);
      source.read(i, line);
      while (++i < last) {
        source.read(i, row);
        for (std::size_t c = 0; c < width; ++c) line[c] = larger(line[c], row[c]);
      }
      float* target = out + r * cols;
      for (Index c = 0; c < cols; ++c) {
        const auto* from = line.data() + firstOf(c, source.cols, cols);
        const auto* to = line.data() + firstOf(c + 1, source.cols, cols);
        float value = *from;
        while (++from < to) value = larger(value, *from);
        target[c] = value;
      }
    }
  });
}

void meanReduce(const ConstMatrixView& matrix, int rows, int cols, float* out) {
  const double covered =
      static_cast<double>(matrix.rows) / rows * (static_cast<double>(matrix.cols) / cols);
  overRows(rows, matrix.rows * matrix.cols, [&](Index begin, Index end) {
    std::vector<double> line(static_cast<std::size_t>(matrix.cols));
    for (Index r = begin; r < end; ++r) {
      std::fill(line.begin(), line.end(), 0.0);
      const Cover down = coverOf(r, matrix.rows, rows);
      for (Index i = down.first; i < down.end; ++i) {
        const double share = down.share(i);
        const float* row = matrix.row(i).data();
        for (std::size_t c = 0; c < line.size(); ++c)
          line[c] += share * static_cast<double>(row[c]);
      }
      for (Index c = 0; c < cols; ++c) {
        const Cover across = coverOf(c, matrix.cols, cols);
        double sum = 0.0;
        for (Index i = across.first; i < across.end; ++i) {
          sum += across.share(i) * line[static_cast<std::size_t>(i)];
        }
        out[r * cols + c] = static_cast<float>(sum / covered);
      }
    }
  });
}

float largestFinite(const RowSource& source) {
  constexpr float kFinite = std::numeric_limits<float>::max();
  const auto width = static_cast<std::size_t>(source.cols);
  std::mutex mutex;
  float largest = 0.0F;
  overRows(source.rows, source.rows * source.cols, [&](Index begin, Index end) {
    std::vector<float> line(width, 0.0F), row(width);
    for (Index r = begin; r < end; ++r) {
      source.read(r, row);
      for (std::size_t c = 0; c < width; ++c) {
        const float magnitude = std::abs(row[c]);
        const bool counts = (row[c] > gl::kMaskedCell) & (magnitude <= kFinite);
        const float counted = counts ? magnitude : 0.0F;
        line[c] = counted > line[c] ? counted : line[c];
      }
    }
    const float own = *std::max_element(line.begin(), line.end());
    const std::lock_guard lock(mutex);
    largest = std::max(largest, own);
  });
  return largest;
}

}  // namespace headscope::ui
