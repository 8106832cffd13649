#include "core/tensor_patch.h"

#include <algorithm>
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

}  // namespace

std::optional<TensorPatch> TensorPatch::between(const Tensor& from, const Tensor& to) {
  if (from.empty() || from.shape() != to.shape() || !from.contiguous() || !to.contiguous() ||
      from.size() > Index{std::numeric_limits<std::uint32_t>::max()}) {
    return std::nullopt;
  }
  TensorPatch patch;
  const Index most = from.size() / kMinCellsPerPatched;
  const float* before = from.data();
  const float* after = to.data();
  for (Index begin = 0; begin < from.size(); begin += kBlock) {
    const Index end = std::min(begin + kBlock, from.size());
    if (equalBits(before + begin, after + begin, end - begin)) continue;
    for (Index i = begin; i < end; ++i) {
      if (equalBits(before + i, after + i, 1)) continue;
      if (static_cast<Index>(patch.cells_.size()) == most) return std::nullopt;
      patch.cells_.push_back({static_cast<std::uint32_t>(i), after[i]});
    }
  }
  patch.cells_.shrink_to_fit();
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
