#include "core/tensor/sums.h"

namespace headscope {

Tensor sum(const Tensor& a, const Tensor& b, double factor, const ExecutionContext& execution) {
  Tensor c = Tensor::uninitialised(a.shape(), execution.memory);
  const auto times = static_cast<float>(factor);
  parallelForRanges(a.size(), execution, [&](Index begin, Index count) {
    const float* left = a.data() + begin;
    const float* right = b.data() + begin;
    float* to = c.mutableData() + begin;
    if (times == 1.0F) {
      for (Index i = 0; i < count; ++i) to[i] = left[i] + right[i];
    } else {
      for (Index i = 0; i < count; ++i) to[i] = left[i] + times * right[i];
    }
  });
  return c;
}

Tensor scaled(const Tensor& a, double factor, const ExecutionContext& execution) {
  if (factor == 1.0) return a;
  Tensor c = Tensor::uninitialised(a.shape(), execution.memory);
  const auto times = static_cast<float>(factor);
  parallelForRanges(a.size(), execution, [&](Index begin, Index count) {
    const float* from = a.data() + begin;
    float* to = c.mutableData() + begin;
    for (Index i = 0; i < count; ++i) to[i] = times * from[i];
  });
  return c;
}

}  // namespace headscope
