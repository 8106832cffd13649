// Finite: whether all numbers of a tensor are; the first that is not, in words.
#pragma once

#include <optional>
#include <string>

#include "core/tensor.h"

namespace headscope {

/// True where no value is NaN or Inf. Made for cells that lie in cache: some 16 a cycle.
bool allFinite(const ConstMatrixView& cells);

/// The same after `row` is added to each row of them.
bool addToRows(const float* row, const MatrixView& cells);

/// The largest |value| of them; where some are not finite, one of these.
float largestMagnitude(const ConstMatrixView& cells);

/// Index of the first value that is NaN or Inf, in row-major order.
std::optional<Shape> firstNotFinite(const Tensor& tensor);

/// Throws UserError "W_Q[3, 17] is NaN in FILE; …". `where` is the file or source; may be empty.
void requireFinite(const Tensor& tensor, const std::string& name, const std::string& where);

/// A number as a sentence has it: "0.25", "NaN", "−∞".
std::string inWords(double value);

}  // namespace headscope
