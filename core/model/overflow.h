// Overflow: finite weights can give numbers that a 32-bit float does not hold. A pass ends there
// and says where, so that no such number is taken for a result.
#pragma once

#include <functional>
#include <string>

#include "core/tensor/tensor.h"

namespace headscope::model {

/// Names a row of numbers for a sentence: "layer 2's feed-forward network at token 3 of gpt2".
using RowName = std::function<std::string(Index row)>;

/// Throws UserError that says that `what` overflowed.
[[noreturn]] void refuseOverflow(const std::string& what);

/// Throws UserError where a number of `rows` (1, rows, width) is NaN or infinite; `name` names the
/// row.
void requireInRange(const Tensor& rows, const RowName& name);

}  // namespace headscope::model
