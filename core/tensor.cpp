#include "core/tensor.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>
#include <stdexcept>

#include "core/tensor_storage.h"

namespace headscope {
namespace {

Shape rowMajorStrides(const Shape& shape) {
  Shape strides(shape.size());
  Index step = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = step;
    step *= shape[axis];
  }
  return strides;
}

void copyCells(const ConstMatrixView& from, const MatrixView& to) {
  for (Index r = 0; r < to.rows; ++r) std::copy_n(from.row(r).data(), to.cols, to.row(r).data());
}

}  // namespace

Tensor Tensor::uninitialised(const Shape& shape) {
  const Index count = elementCount(shape);
  if (count > std::numeric_limits<Index>::max() / 8) throw std::bad_alloc();
  Tensor tensor;
  tensor.strides_ = rowMajorStrides(shape);
  tensor.shape_ = shape;
  tensor.storage_ = std::make_shared<TensorStorage>(count);
  tensor.origin_ = tensor.storage_->data();
  return tensor;
}

Tensor Tensor::zeros(const Shape& shape) {
  Tensor tensor = uninitialised(shape);
  std::fill_n(tensor.origin_, tensor.size(), 0.0F);
  return tensor;
}

Tensor Tensor::fromValues(const Shape& shape, std::span<const float> values) {
  Tensor tensor = uninitialised(shape);
  if (static_cast<Index>(values.size()) != tensor.size()) {
    throw std::invalid_argument("Tensor::fromValues: " + std::to_string(values.size()) +
                                " values for shape " + toString(tensor.shape_));
  }
  std::copy(values.begin(), values.end(), tensor.origin_);
  return tensor;
}

bool Tensor::contiguous() const {
  Index step = 1;
  for (std::size_t axis = shape_.size(); axis-- > 0;) {
    if (shape_[axis] != 1 && strides_[axis] != step) return false;
    step *= shape_[axis];
  }
  return true;
}

bool Tensor::sameAs(const Tensor& other) const {
  return storage_ == other.storage_ && offset_ == other.offset_ && shape_ == other.shape_ &&
         strides_ == other.strides_;
}

float Tensor::at(std::span<const Index> index) const {
  assert(index.size() == shape_.size());
  Index position = offset_;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    assert(index[axis] >= 0 && index[axis] < shape_[axis]);
    position += index[axis] * strides_[axis];
  }
  return origin_[position];
}

Tensor Tensor::split(std::size_t axis, Index count) const {
  assert(axis < rank() && count > 0 && shape_[axis] % count == 0);
  Tensor view = *this;
  const Index inner = shape_[axis] / count;
  view.shape_[axis] = inner;
  view.shape_.insert(axis, count);
  view.strides_.insert(axis, strides_[axis] * inner);
  return view;
}

Tensor Tensor::transposed(std::size_t a, std::size_t b) const {
  Tensor view = *this;
  std::swap(view.shape_[a], view.shape_[b]);
  std::swap(view.strides_[a], view.strides_[b]);
  return view;
}

Tensor Tensor::slice(std::size_t axis, Index begin, Index end) const {
  assert(axis < rank() && 0 <= begin && begin <= end && end <= shape_[axis]);
  Tensor view = *this;
  view.offset_ += begin * strides_[axis];
  view.shape_[axis] = end - begin;
  return view;
}

Tensor Tensor::repeated(std::size_t axis) const {
  assert(axis < rank() && shape_[axis] > 0);
  Tensor view = *this;
  view.strides_[axis] = 0;
  return view;
}

Tensor Tensor::reshaped(const Shape& shape) const {
  assert(contiguous() && elementCount(shape) == size());
  Tensor view = *this;
  view.strides_ = rowMajorStrides(shape);
  view.shape_ = shape;
  return view;
}

Index Tensor::leadOffset(std::initializer_list<Index> lead) const {
  assert(lead.size() + 2 == rank());
  Index position = offset_;
  std::size_t axis = 0;
  for (const Index i : lead) {
    assert(i >= 0 && i < shape_[axis]);
    position += i * strides_[axis++];
  }
  return position;
}

ConstMatrixView Tensor::matrix(std::initializer_list<Index> lead) const {
  const std::size_t n = rank();
  return {origin_ + leadOffset(lead), shape_[n - 2], shape_[n - 1], strides_[n - 2],
          strides_[n - 1]};
}

MatrixView Tensor::mutableMatrix(std::initializer_list<Index> lead) {
  const std::size_t n = rank();
  assert(strides_[n - 1] == 1 || shape_[n - 1] == 1);
  return {origin_ + leadOffset(lead), shape_[n - 2], shape_[n - 1], strides_[n - 2]};
}

ConstMatrixView Tensor::matrixOf(Index item, Index head) const {
  switch (rank()) {
    case 1:
      return {data(), 1, shape_[0], shape_[0], strides_[0]};
    case 2:
      return matrix();
    case 3:
      return matrix({item});
    default:
      return matrix({item, head});
  }
}

MatrixView Tensor::mutableMatrixOf(Index item, Index head) {
  const ConstMatrixView m = matrixOf(item, head);
  assert(m.colStride == 1 || m.cols == 1);
  return {origin_ + (m.data - origin_), m.rows, m.cols, m.rowStride};
}

ConstMatrixView Tensor::matrixOf(const Box& box) const {
  const ConstMatrixView m = matrixOf(box.item, box.head);
  assert(box.row + box.rows <= m.rows && box.col + box.cols <= m.cols);
  return {m.data + box.row * m.rowStride + box.col * m.colStride, box.rows, box.cols, m.rowStride,
          m.colStride};
}

MatrixView Tensor::mutableMatrixOf(const Box& box) {
  const MatrixView m = mutableMatrixOf(box.item, box.head);
  assert(box.row + box.rows <= m.rows && box.col + box.cols <= m.cols);
  return {m.data + box.row * m.rowStride + box.col, box.rows, box.cols, m.rowStride};
}

/// Then the boxes of its versions are all of one shape, this one's.
bool Tensor::coversStorage() const { return offset_ == 0 && size() == storage_->count(); }

Tensor Tensor::next(const Change& change) const {
  if (!coversStorage()) return change.isAll() ? uninitialised(shape_) : clone();
  auto [storage, stale] = storage_->next(change);
  Tensor version = *this;
  version.storage_ = std::move(storage);
  version.origin_ = version.storage_->data();
  if (change.isAll()) return version;
  if (stale.isAll()) {
    std::memcpy(version.origin_, origin_,
                static_cast<std::size_t>(storage_->count()) * sizeof(float));
  }
  for (const Box& box : stale.boxes()) copyCells(matrixOf(box), version.mutableMatrixOf(box));
  return version;
}

Change Tensor::since(const Tensor& other) const {
  if (sameAs(other)) return Change::none();
  if (empty() || other.empty() || shape_ != other.shape_ || strides_ != other.strides_ ||
      !coversStorage() || !other.coversStorage()) {
    return Change::all();
  }
  return storage_->since(*other.storage_);
}

std::vector<float> Tensor::values() const {
  std::vector<float> out;
  if (empty()) return out;
  out.reserve(static_cast<std::size_t>(size()));
  if (out.capacity() == 0) return out;
  Shape index(rank());
  const auto count = static_cast<std::size_t>(size());
  while (out.size() < count) {
    out.push_back(at(index));
    for (std::size_t axis = rank(); axis-- > 0;) {
      if (++index[axis] < shape_[axis]) break;
      index[axis] = 0;
    }
  }
  return out;
}

Tensor Tensor::clone() const {
  if (empty()) return {};
  if (contiguous()) {
    Tensor copy = uninitialised(shape_);
    std::memcpy(copy.mutableData(), data(), static_cast<std::size_t>(size()) * sizeof(float));
    return copy;
  }
  return fromValues(shape_, values());
}

}  // namespace headscope
