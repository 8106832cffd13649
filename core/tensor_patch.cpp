#include "core/tensor_patch.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <utility>

namespace headscope {
namespace {

constexpr Index kBlock = 1024;  // cells compared at once: nearly all are equal

bool equalBits(const float* a, const float* b, Index count) {
  return std::memcmp(a, b, static_cast<std::size_t>(count) * sizeof(float)) == 0;
}

std::uint32_t bitsOf(float value) { return std::bit_cast<std::uint32_t>(value); }

Index differing(const float* a, const float* b, Index count) {
  std::uint32_t cells = 0;
  for (Index i = 0; i < count; ++i) cells += bitsOf(a[i]) != bitsOf(b[i]) ? 1 : 0;
  return cells;
}

struct Run {  // of cells, as they lie
  Index begin, end;
};

std::vector<Run> runsThatMayDiffer(const Tensor& from, const Tensor& to) {
  const Change change = to.since(from);
  if (change.isAll()) return {{0, from.size()}};
  std::vector<Run> runs;
  for (const Box& box : change.boxes()) {
    const ConstMatrixView cells = to.matrixOf(box);
    for (Index r = 0; r < cells.rows; ++r) {
      const Index begin = cells.row(r).data() - to.data();
      runs.push_back({begin, begin + cells.cols});
    }
  }
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.begin < b.begin; });
  return runs;
}

}  // namespace

std::optional<TensorPatch> TensorPatch::between(const Tensor& from, const Tensor& to) {
  if (from.empty() || from.shape() != to.shape() || !from.contiguous() || !to.contiguous() ||
      from.size() > Index{std::numeric_limits<std::uint32_t>::max()}) {
    return std::nullopt;
  }
  const Index most = from.size() / kMinCellsPerPatched;
  const float* before = from.data();
  const float* after = to.data();
  // Counted first: where all is other, as in weights drawn anew, nothing is listed in vain.
  std::vector<Run> runs;  // that differ
  Index cells = 0;
  for (const Run& run : runsThatMayDiffer(from, to)) {
    for (Index begin = run.begin; begin < run.end; begin += kBlock) {
      const Index end = std::min(begin + kBlock, run.end);
      if (equalBits(before + begin, after + begin, end - begin)) continue;
      cells += differing(before + begin, after + begin, end - begin);
      if (cells > most) return std::nullopt;
      runs.push_back({begin, end});
    }
  }
  TensorPatch patch;
  patch.cells_.reserve(static_cast<std::size_t>(cells));
  for (const Run& run : runs) {
    for (Index i = run.begin; i < run.end; ++i) {
      if (bitsOf(before[i]) == bitsOf(after[i])) continue;
      patch.cells_.push_back({static_cast<std::uint32_t>(i), after[i]});
    }
  }
  return patch;
}

void TensorPatch::exchange(Tensor& tensor) {
  assert(tensor.contiguous());
  float* values = tensor.mutableData();
  for (Cell& cell : cells_) {
    assert(Index{cell.offset} < tensor.size());
    std::swap(values[cell.offset], cell.value);
  }
}

Change TensorPatch::cellsOf(const Tensor& tensor) const {
  if (cells_.size() > Change::kMostBoxes / kMinCellsPerPatched) return Change::all();
  const Index cols = tensor.shape().back();
  const Index rows = tensor.rank() > 2 ? tensor.dim(1) : tensor.size() / cols;
  Change change;
  Box run;  // of cells that follow each other in a row
  Index next = -1;
  for (const Cell& cell : cells_) {
    const Index row = cell.offset / cols;
    if (cell.offset == next && next % cols != 0) {
      ++run.cols;
    } else {
      if (run.cols > 0) change.add(run);
      run = {row / rows, 0, row % rows, 1, cell.offset % cols, 1};
    }
    next = Index{cell.offset} + 1;
  }
  if (run.cols > 0) change.add(run);
  return change;
}

}  // namespace headscope
