#include "core/tensor/tensor.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

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

/// Checks what may come from a file's or a user's number. Release builds check it too, as it is
/// asked once for each view and never for each cell of one.
void requireWithin(bool within, const char* what) {
  if (!within) [[unlikely]]
    throw std::out_of_range(std::string("Tensor: no such ") + what);
}

bool contains(Index rows, Index cols, const Box& box) {
  return box.row >= 0 && box.rows >= 0 && box.row <= rows - box.rows &&  //
         box.col >= 0 && box.cols >= 0 && box.col <= cols - box.cols;
}

}  // namespace

Tensor Tensor::uninitialised(const Shape& shape, const BlockStorePtr& store) {
  Tensor tensor;
  tensor.strides_ = rowMajorStrides(shape);
  tensor.shape_ = shape;
  const auto block = std::make_shared<const Block>(elementCount(shape), store);
  tensor.origin_ = block->data();
  tensor.storage_ = block;
  return tensor;
}

Tensor Tensor::over(std::shared_ptr<const void> owner, const float* data, const Shape& shape) {
  Tensor tensor;
  tensor.strides_ = rowMajorStrides(shape);
  tensor.shape_ = shape;
  tensor.origin_ = const_cast<float*>(data);  // nobody writes to a tensor that is shared
  tensor.storage_ = std::move(owner);
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
  // tensors over one mapped file share it and begin at places of their own
  return storage_ == other.storage_ && data() == other.data() && shape_ == other.shape_ &&
         strides_ == other.strides_;
}

float Tensor::at(std::span<const Index> index) const {
  requireWithin(index.size() == shape_.size(), "cell");
  Index position = offset_;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    requireWithin(index[axis] >= 0 && index[axis] < shape_[axis], "cell");
    position += index[axis] * strides_[axis];
  }
  return origin_[position];
}

Tensor Tensor::split(std::size_t axis, Index count) const {
  requireWithin(axis < rank() && count > 0 && shape_[axis] % count == 0, "split");
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
  requireWithin(axis < rank() && 0 <= begin && begin <= end && end <= shape_[axis], "slice");
  Tensor view = *this;
  view.offset_ += begin * strides_[axis];
  view.shape_[axis] = end - begin;
  return view;
}

Tensor Tensor::repeated(std::size_t axis) const {
  requireWithin(axis < rank() && shape_[axis] > 0, "axis");
  Tensor view = *this;
  view.strides_[axis] = 0;
  return view;
}

Tensor Tensor::reshaped(const Shape& shape) const {
  requireWithin(contiguous() && elementCount(shape) == size(), "shape");
  Tensor view = *this;
  view.strides_ = rowMajorStrides(shape);
  view.shape_ = shape;
  return view;
}

Index Tensor::leadOffset(std::initializer_list<Index> lead) const {
  requireWithin(lead.size() + 2 == rank(), "matrix");
  Index position = offset_;
  std::size_t axis = 0;
  for (const Index i : lead) {
    requireWithin(i >= 0 && i < shape_[axis], "matrix");
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
  requireWithin(strides_[n - 1] == 1 || shape_[n - 1] == 1, "writable matrix");
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
  requireWithin(m.colStride == 1 || m.cols == 1, "writable matrix");
  return {origin_ + (m.data - origin_), m.rows, m.cols, m.rowStride};
}

ConstMatrixView Tensor::matrixOf(const Box& box) const {
  const ConstMatrixView m = matrixOf(box.item, box.head);
  requireWithin(contains(m.rows, m.cols, box), "block");
  return {m.data + box.row * m.rowStride + box.col * m.colStride, box.rows, box.cols, m.rowStride,
          m.colStride};
}

MatrixView Tensor::mutableMatrixOf(const Box& box) {
  const MatrixView m = mutableMatrixOf(box.item, box.head);
  requireWithin(contains(m.rows, m.cols, box), "block");
  return {m.data + box.row * m.rowStride + box.col, box.rows, box.cols, m.rowStride};
}

std::vector<float> Tensor::values() const {
  if (empty() || size() == 0) return {};
  if (contiguous()) return {data(), data() + size()};
  std::vector<float> out;
  out.reserve(static_cast<std::size_t>(size()));
  const std::size_t last = rank() - 1;
  Shape row(rank());  // the index of its first value
  for (Index rows = size() / shape_[last]; rows > 0; --rows) {
    Index position = offset_;
    for (std::size_t axis = 0; axis < last; ++axis) position += row[axis] * strides_[axis];
    for (Index i = 0; i < shape_[last]; ++i) out.push_back(origin_[position + i * strides_[last]]);
    for (std::size_t axis = last; axis-- > 0;) {
      if (++row[axis] < shape_[axis]) break;
      row[axis] = 0;
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
