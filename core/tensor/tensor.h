// Tensor: a shape, strides and shared float32 storage; a view shares its source's storage.
//
// Row-major. A tensor is written once, by whoever allocated it, and only read after that: copies
// are cheap (they share) and safe to hand to another thread.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "core/base/block_store.h"
#include "core/tensor/shape.h"

namespace headscope {

/// One matrix inside a tensor: `rows` × `cols`, `rowStride` floats from one row to the next and
/// `colStride` from one column to the next (1 unless transposed).
struct ConstMatrixView {
  const float* data = nullptr;
  Index rows = 0;
  Index cols = 0;
  Index rowStride = 0;
  Index colStride = 1;

  float operator()(Index row, Index col) const { return data[row * rowStride + col * colStride]; }
  std::span<const float> row(Index r) const {  // only where colStride is 1
    return {data + r * rowStride, static_cast<std::size_t>(cols)};
  }
  ConstMatrixView transposed() const { return {data, cols, rows, colStride, rowStride}; }
};

struct MatrixView {
  float* data = nullptr;
  Index rows = 0;
  Index cols = 0;
  Index rowStride = 0;

  float& operator()(Index row, Index col) const { return data[row * rowStride + col]; }
  std::span<float> row(Index r) const {
    return {data + r * rowStride, static_cast<std::size_t>(cols)};
  }
  operator ConstMatrixView() const { return {data, rows, cols, rowStride, 1}; }
};

/// A block of cells of one matrix of a tensor. item and head choose the matrix; 0 where the tensor
/// has no such axis.
struct Box {
  Index item = 0;
  Index head = 0;
  Index row = 0;
  Index rows = 0;
  Index col = 0;
  Index cols = 0;

  bool operator==(const Box&) const = default;
};

class Tensor {
 public:
  Tensor() = default;  // empty: no storage, shape ()

  /// New storage, 64-byte aligned; contents are undefined (`uninitialised`) or zero. Where a store
  /// is given, its memory comes from there and goes back there.
  static Tensor uninitialised(const Shape& shape, const BlockStorePtr& store = nullptr);
  static Tensor zeros(const Shape& shape);
  static Tensor fromValues(const Shape& shape, std::span<const float> values);
  /// Over memory that `owner` keeps, which is only read: numbers of a mapped file, with no copy.
  static Tensor over(std::shared_ptr<const void> owner, const float* data, const Shape& shape);

  bool empty() const { return storage_ == nullptr; }
  const Shape& shape() const { return shape_; }
  const Shape& strides() const { return strides_; }
  Index dim(std::size_t axis) const { return shape_[axis]; }
  std::size_t rank() const { return shape_.size(); }
  Index size() const { return elementCount(shape_); }
  bool contiguous() const;
  bool sharesStorageWith(const Tensor& other) const { return storage_ == other.storage_; }
  /// Returns whether both are equal views of one storage, so that no value can differ.
  bool sameAs(const Tensor& other) const;

  const float* data() const { return origin_ + offset_; }
  /// For the owner of a new tensor, before it is shared.
  float* mutableData() { return origin_ + offset_; }

  float at(std::span<const Index> index) const;
  float at(std::initializer_list<Index> index) const {
    return at(std::span<const Index>(index.begin(), index.size()));
  }

  /// Views: no copies. `split` cuts `axis` in (count, dim/count); `transposed` swaps two axes;
  /// `slice` keeps [begin, end) of an axis; `repeated` shows the first of an axis in all its
  /// places; `reshaped` needs a contiguous tensor.
  Tensor split(std::size_t axis, Index count) const;
  Tensor transposed(std::size_t a, std::size_t b) const;
  Tensor slice(std::size_t axis, Index begin, Index end) const;
  Tensor repeated(std::size_t axis) const;
  Tensor reshaped(const Shape& shape) const;

  /// The last two axes as a matrix, the leading ones (0, 1 or 2 of them) chosen by `lead`.
  ConstMatrixView matrix(std::initializer_list<Index> lead = {}) const;
  MatrixView mutableMatrix(std::initializer_list<Index> lead = {});  // last stride must be 1
  /// The matrix that an item and a head choose, as far as the tensor has such axes; a vector is one
  /// row.
  ConstMatrixView matrixOf(Index item, Index head) const;
  ConstMatrixView matrixOf(const Box& box) const;  // just the box
  MatrixView mutableMatrixOf(Index item, Index head);
  MatrixView mutableMatrixOf(const Box& box);

  /// A contiguous copy with its own storage.
  Tensor clone() const;

  std::vector<float> values() const;  // row-major, whatever the strides

 private:
  Index leadOffset(std::initializer_list<Index> lead) const;

  std::shared_ptr<const void> storage_;
  float* origin_ = nullptr;  // of the storage
  Index offset_ = 0;
  Shape shape_;
  Shape strides_;
};

}  // namespace headscope
