#include "core/tensor/half_matrix.h"

#include <algorithm>
#include <bit>

namespace headscope {
namespace {

void widenBrain(const std::uint16_t* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; ++i) {
    to[i] = std::bit_cast<float>(static_cast<std::uint32_t>(from[i]) << 16U);
  }
}

/// Moves the exponent's and the mantissa's bits to their places; the product corrects the
/// exponent, also of subnormal numbers.
void widenIeee(const std::uint16_t* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = from[i];
    const float magnitude = std::bit_cast<float>((bits & 0x7fffU) << 13U) * 0x1p112F;
    to[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | (bits & 0x8000U) << 16U);
  }
}

}  // namespace

void widen(HalfKind kind, std::span<const std::uint16_t> from, float* to) {
  if (kind == HalfKind::bf16) return widenBrain(from.data(), from.size(), to);
  widenIeee(from.data(), from.size(), to);
}

bool allFinite(HalfKind kind, std::span<const std::uint16_t> numbers) {
  const std::uint16_t exponent = kind == HalfKind::bf16 ? 0x7f80 : 0x7c00;
  std::uint16_t any = 0;
  for (const std::uint16_t bits : numbers) any |= (bits & exponent) == exponent ? 1 : 0;
  return any == 0;
}

HalfMatrix HalfMatrix::slice(Index first, Index count) const {
  HalfMatrix part = *this;
  part.first_ += first * cols_;
  part.rows_ = count;
  return part;
}

void HalfMatrix::widenBox(const Box& box, float* to) const {
  const bool whole = box.col == 0 && box.cols == cols_;
  const Index pieces = whole ? 1 : box.rows;
  const auto each = static_cast<std::size_t>(whole ? box.rows * cols_ : box.cols);
  for (Index i = 0; i < pieces; ++i) {
    widen(kind_, {row(box.row + i) + box.col, each}, to + i * box.cols);
  }
}

Tensor HalfMatrix::widened() const {
  Tensor all = Tensor::uninitialised({rows_, cols_});
  widenBox({0, 0, 0, rows_, 0, cols_}, all.mutableData());
  return all;
}

StoredMatrix StoredMatrix::slice(Index first, Index count) const {
  if (empty()) return {};
  if (half_.empty()) return full_.slice(0, first, first + count);
  return half_.slice(first, count);
}

void StoredMatrix::copyRow(Index r, float* to) const {
  if (half_.empty()) {
    std::copy_n(full_.data() + r * full_.dim(1), full_.dim(1), to);
  } else {
    half_.widenBox({0, 0, r, 1, 0, half_.cols()}, to);
  }
}

}  // namespace headscope
