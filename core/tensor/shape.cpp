#include "core/tensor/shape.h"

#include <limits>
#include <stdexcept>

namespace headscope {

Index elementCount(const Shape& shape) {
  constexpr Index kMax = std::numeric_limits<Index>::max();
  Index count = 1;
  for (const Index dim : shape) {
    if (dim < 0 || (dim > 0 && count > kMax / dim)) {
      throw std::overflow_error("a tensor of shape " + toString(shape) + " cannot be counted");
    }
    count *= dim;
  }
  return count;
}

std::string toString(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  if (shape.size() == 1) text += ",";
  return text + ")";
}

}  // namespace headscope
