#include "core/finite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace headscope {
namespace {

bool notFinite(float value) { return !std::isfinite(value); }

}  // namespace

bool allFinite(const ConstMatrixView& cells) {
  float zero = 0.0F;  // 0 times NaN or Inf is NaN, and a sum with NaN is
  for (Index r = 0; r < cells.rows; ++r) {
    const float* row = cells.data + r * cells.rowStride;
#pragma omp simd reduction(+ : zero)
    for (Index c = 0; c < cells.cols; ++c) zero += row[c] * 0.0F;
  }
  return zero == 0.0F;
}

std::optional<Shape> firstNotFinite(const Tensor& tensor) {
  if (tensor.empty()) return std::nullopt;
  const Tensor dense = tensor.contiguous() ? tensor : tensor.clone();
  const float* begin = dense.data();
  const float* end = begin + dense.size();
  const float* found = std::find_if(begin, end, notFinite);
  if (found == end) return std::nullopt;
  Shape index(dense.rank());
  Index position = found - begin;
  for (std::size_t axis = dense.rank(); axis-- > 0;) {
    index[axis] = position % dense.dim(axis);
    position /= dense.dim(axis);
  }
  return index;
}

void requireFinite(const Tensor& tensor, const std::string& name, const std::string& where) {
  const auto index = firstNotFinite(tensor);
  if (!index) return;
  const float value = tensor.at(*index);
  throw UserError(fmt::format("{}[{}] is {}{}; only finite numbers can be used, so mend that value",
                              name, fmt::join(*index, ", "),
                              std::isnan(value) ? "NaN" : (value > 0.0F ? "Inf" : "-Inf"),
                              where.empty() ? "" : " in " + where));
}

}  // namespace headscope
