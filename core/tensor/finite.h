// Finite: tests tensors for NaN and Inf, and names the first one in a message.
#pragma once

#include <optional>
#include <string>

#include "core/tensor/tensor.h"

namespace headscope {

/// True where no value is NaN or Inf. Optimized for data in cache (about 16 cells per cycle).
bool allFinite(const ConstMatrixView& cells);

/// Adds `row` to each row of the cells. True where no result is NaN or Inf.
bool addToRows(const float* row, const MatrixView& cells);

/// The largest |value|. Where some values are not finite, one of these.
float largestMagnitude(const ConstMatrixView& cells);

/// Index of the first value that is NaN or Inf, in row-major order.
std::optional<Shape> firstNotFinite(const Tensor& tensor);

/// Throws UserError "W_Q[3, 17] is NaN in FILE; …". `where` is the file or source; may be empty.
void requireFinite(const Tensor& tensor, const std::string& name, const std::string& where);

/// A number as a sentence has it: "0.25", "NaN", "−∞".
std::string inWords(double value);

}  // namespace headscope
