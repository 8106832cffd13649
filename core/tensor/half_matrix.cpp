#include "core/tensor/half_matrix.h"

#include <algorithm>
#include <bit>

#include "core/tensor/lanes.h"

namespace headscope {
namespace {

struct WidenBrain {
  [[gnu::always_inline]] float operator()(std::uint32_t bits) const {
    return std::bit_cast<float>(bits << 16U);
  }
};

/// Moves the exponent's and the mantissa's bits to their places; the product corrects the
/// exponent, also of subnormal numbers.
struct WidenIeee {
  [[gnu::always_inline]] float operator()(std::uint32_t bits) const {
    const float magnitude = std::bit_cast<float>((bits & 0x7fffU) << 13U) * 0x1p112F;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | (bits & 0x8000U) << 16U);
  }
};

using WidenLoop = void (*)(const std::uint16_t* from, std::size_t count, float* to);

template <typename Widened>
[[gnu::always_inline]] inline void widenEach(const std::uint16_t* from, std::size_t count,
                                             float* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = Widened()(from[i]);
}
template <typename Widened>
HEADSCOPE_AVX512 void widenAvx512(const std::uint16_t* from, std::size_t count, float* to) {
  widenEach<Widened>(from, count, to);
}
template <typename Widened>
HEADSCOPE_AVX2 void widenAvx2(const std::uint16_t* from, std::size_t count, float* to) {
  widenEach<Widened>(from, count, to);
}
template <typename Widened>
void widenAnywhere(const std::uint16_t* from, std::size_t count, float* to) {
  widenEach<Widened>(from, count, to);
}

template <typename Widened>
WidenLoop fastest() {
  static const WidenLoop kLoop =
      supportedVariants<WidenLoop>(widenAvx512<Widened>, widenAvx2<Widened>, widenAnywhere<Widened>)
          .front();
  return kLoop;
}

}  // namespace

void widen(HalfKind kind, std::span<const std::uint16_t> from, float* to) {
  const WidenLoop loop = kind == HalfKind::bf16 ? fastest<WidenBrain>() : fastest<WidenIeee>();
  loop(from.data(), from.size(), to);
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
