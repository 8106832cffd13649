// Main components: the two directions along which rows of numbers vary most (principal component
// analysis, Pearson 1901), without their Gram matrix: rows are only multiplied by. (n, width)
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/execution.h"
#include "core/tensor.h"

namespace headscope {

struct MainComponents {
  std::vector<double> mean;                 // of the rows, width
  std::array<std::vector<double>, 2> axes;  // unit vectors, the greatest variance first; 0 for none
  std::array<double, 2> varianceShare{};    // of all variance, along the axes
};

/// Each axis points where its largest component (the first of equals) is positive. Asked between
/// products whether it is cancelled; nothing then.
std::optional<MainComponents> mainComponents(const ConstMatrixView& rows,
                                             const Execution& execution = {});

}  // namespace headscope
