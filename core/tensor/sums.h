// Sums: tensors added up and multiplied by a factor, number by number, in pieces of work that
// depend on their size alone, so that the bits are the same on every thread count.
#pragma once

#include <algorithm>

#include "core/base/execution.h"
#include "core/tensor/tensor.h"

namespace headscope {

/// Calls a function with ranges (begin, count) of some numbers.
template <typename Function>
void parallelForRanges(Index count, const ExecutionContext& execution, Function&& function) {
  constexpr Index kNumbersAtOnce = Index{1} << 14;
  parallelFor((count + kNumbersAtOnce - 1) / kNumbersAtOnce, execution, [&](Index piece) {
    const Index begin = piece * kNumbersAtOnce;
    function(begin, std::min(kNumbersAtOnce, count - begin));
  });
}

/// Returns a + factor · b; both are contiguous and of one shape.
Tensor sum(const Tensor& a, const Tensor& b, double factor, const ExecutionContext& execution);
/// Returns factor · a; a itself where the factor is 1.
Tensor scaled(const Tensor& a, double factor, const ExecutionContext& execution);

}  // namespace headscope
