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
  std::vector<Index> blocks;  // that differ, by their first cell
  Index cells = 0;
  const auto endOf = [&](Index begin) { return std::min(begin + kBlock, from.size()); };
  for (Index begin = 0; begin < from.size(); begin += kBlock) {
    const Index count = endOf(begin) - begin;
    if (equalBits(before + begin, after + begin, count)) continue;
    cells += differing(before + begin, after + begin, count);
    if (cells > most) return std::nullopt;
    blocks.push_back(begin);
  }
  TensorPatch patch;
  patch.cells_.reserve(static_cast<std::size_t>(cells));
  for (const Index begin : blocks) {
    for (Index i = begin; i < endOf(begin); ++i) {
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

}  // namespace headscope
