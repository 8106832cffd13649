// Shape: the lengths (or strides) of a tensor's axes. Kept in place, so that tensors and their
// views are made and copied without asking for memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>

#include "core/base/index.h"

namespace headscope {

class Shape {
 public:
  using value_type = Index;
  using iterator = Index*;
  using const_iterator = const Index*;

  static constexpr std::size_t kMostAxes = 8;

  Shape() = default;
  Shape(std::initializer_list<Index> lengths) {
    for (const Index length : lengths) append(length);
  }
  /// A shape of so many axes, each of length 0.
  explicit Shape(std::size_t axes) : size_(checked(axes)) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Index& operator[](std::size_t axis) { return lengths_[axis]; }
  Index operator[](std::size_t axis) const { return lengths_[axis]; }
  Index front() const { return lengths_[0]; }
  Index back() const { return lengths_[size_ - 1]; }
  Index* begin() { return lengths_.data(); }
  Index* end() { return begin() + size_; }
  const Index* begin() const { return lengths_.data(); }
  const Index* end() const { return begin() + size_; }

  /// Throw std::length_error past kMostAxes.
  void append(Index length) { insert(size_, length); }
  void insert(std::size_t axis, Index length) {
    size_ = checked(size_ + 1);
    std::copy_backward(begin() + axis, end() - 1, end());
    lengths_[axis] = length;
  }
  Shape last(std::size_t axes) const {
    Shape shape(axes);
    std::copy(end() - axes, end(), shape.begin());
    return shape;
  }

  bool operator==(const Shape& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  static std::size_t checked(std::size_t axes) {
    if (axes > kMostAxes) throw std::length_error("a tensor has more than 8 axes");
    return axes;
  }

  std::array<Index, kMostAxes> lengths_{};
  std::size_t size_ = 0;
};

/// Number of elements; 1 for a scalar shape. Throws std::overflow_error past 2^63 − 1.
Index elementCount(const Shape& shape);

/// "(6, 512)", as PyTorch prints a shape.
std::string toString(const Shape& shape);

}  // namespace headscope
