// Half matrix: a matrix kept in 16 bits as its file has it (F16 or BF16), widened to float32 block
// by block where it is read. StoredMatrix: one that is kept so, or as float32.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/tensor/tensor.h"

namespace headscope {

enum class HalfKind { f16, bf16 };

/// Widens finite numbers; every one has its exact value in float32.
void widen(HalfKind kind, std::span<const std::uint16_t> from, float* to);
/// Returns whether no number is NaN or infinite.
bool allFinite(HalfKind kind, std::span<const std::uint16_t> numbers);

/// Row-major; copies share the numbers.
class HalfMatrix {
 public:
  using Numbers = std::shared_ptr<const std::uint16_t[]>;

  HalfMatrix() = default;  // empty
  HalfMatrix(HalfKind kind, Index rows, Index cols, Numbers numbers)
      : kind_(kind), rows_(rows), cols_(cols), numbers_(std::move(numbers)) {}

  bool empty() const { return numbers_ == nullptr; }
  HalfKind kind() const { return kind_; }
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index size() const { return rows_ * cols_; }
  Index bytes() const { return size() * static_cast<Index>(sizeof(std::uint16_t)); }
  const std::uint16_t* row(Index r) const { return numbers_.get() + first_ + r * cols_; }
  /// Rows [first, first + count).
  HalfMatrix slice(Index first, Index count) const;
  /// Writes a box of cells to `to`, (box.rows, box.cols), dense.
  void widenBox(const Box& box, float* to) const;
  /// All numbers: (rows, cols).
  Tensor widened() const;

 private:
  HalfKind kind_ = HalfKind::bf16;
  Index rows_ = 0, cols_ = 0;
  Index first_ = 0;  // number
  Numbers numbers_;
};

class StoredMatrix {
 public:
  StoredMatrix() = default;  // empty
  StoredMatrix(Tensor full) : full_(std::move(full)) {}
  StoredMatrix(HalfMatrix half) : half_(std::move(half)) {}

  bool empty() const { return full_.empty() && half_.empty(); }
  Index rows() const { return half_.empty() ? full_.dim(0) : half_.rows(); }
  Index cols() const { return half_.empty() ? full_.dim(1) : half_.cols(); }
  /// Rows [first, first + count); empty of an empty matrix.
  StoredMatrix slice(Index first, Index count) const;
  /// Writes row r to `to`, cols() numbers.
  void copyRow(Index r, float* to) const;
  /// One of the two is empty.
  const Tensor& full() const { return full_; }
  const HalfMatrix& half() const { return half_; }
  /// All numbers as float32; a copy where they are kept in 16 bits.
  Tensor widened() const { return half_.empty() ? full_ : half_.widened(); }

 private:
  Tensor full_;
  HalfMatrix half_;
};

}  // namespace headscope
