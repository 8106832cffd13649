#include "core/tensor/finite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/base/error.h"

namespace headscope {
namespace {

bool notFinite(float value) { return !std::isfinite(value); }

}  // namespace

/// x·0 is 0 for finite x and NaN otherwise, so the sum of all x·0 is 0 iff all are finite.
bool allFinite(const ConstMatrixView& cells) {
  const bool dense = cells.rowStride == cells.cols;
  const Index rows = dense ? std::min<Index>(cells.rows, 1) : cells.rows;
  const Index cols = dense ? cells.rows * cells.cols : cells.cols;
  float sum = 0.0F;
  for (Index r = 0; r < rows; ++r) {
    const float* row = cells.data + r * cells.rowStride;
#pragma omp simd reduction(+ : sum) simdlen(16)
    for (Index c = 0; c < cols; ++c) sum += 0.0F * row[c];
  }
  return sum == 0.0F;
}

bool addToRows(const float* row, const MatrixView& cells) {
  float sum = 0.0F;
  for (Index r = 0; r < cells.rows; ++r) {
    float* to = cells.row(r).data();
#pragma omp simd reduction(+ : sum) simdlen(16)
    for (Index c = 0; c < cells.cols; ++c) {
      to[c] += row[c];
      sum += 0.0F * to[c];
    }
  }
  return sum == 0.0F;
}

float largestMagnitude(const ConstMatrixView& cells) {
  constexpr std::uint32_t kMagnitude = 0x7fffffff;  // in the order of the values, NaN last
  std::uint32_t largest = 0;
  for (Index r = 0; r < cells.rows; ++r) {
    const float* row = cells.data + r * cells.rowStride;
#pragma omp simd reduction(max : largest)
    for (Index c = 0; c < cells.cols; ++c) {
      const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(row[c]) & kMagnitude;
      largest = magnitude > largest ? magnitude : largest;
    }
  }
  return std::bit_cast<float>(largest);
}

std::optional<Shape> firstNotFinite(const Tensor& tensor) {
  if (tensor.empty()) return std::nullopt;
  const Tensor dense = tensor.contiguous() ? tensor : tensor.clone();
  if (allFinite({dense.data(), 1, dense.size(), dense.size(), 1})) return std::nullopt;
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
  throw UserError(fmt::format(
      "{}[{}] is {}{}; only finite numbers can be used, so correct that value", name,
      fmt::join(*index, ", "), inWords(tensor.at(*index)), where.empty() ? "" : " in " + where));
}

std::string inWords(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0.0 ? "∞" : "−∞";
  return fmt::format("{}", value);
}

}  // namespace headscope
