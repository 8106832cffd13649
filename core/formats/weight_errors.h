// Weight errors: what the rounding of a model's weights, such as a GGUF file's, changed in each
// tensor, against the same model unrounded.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/tensor/shape.h"

namespace headscope::formats {

struct WeightError {
  std::string tensor;  // as the rounded model's files name it
  std::string type;    // how they keep it: "Q4_K", "F16"
  Shape shape;
  double size = 0.0;     // the largest absolute value, unrounded
  double largest = 0.0;  // the largest absolute difference
  double mean = 0.0;     // the mean of the absolute differences
};

/// Compares each tensor of a model with that of another folder or file. Throws UserError for models
/// of different kinds or sizes, and for a tensor that only one of them has.
std::vector<WeightError> weightErrors(const std::filesystem::path& rounded,
                                      const std::filesystem::path& unrounded);

}  // namespace headscope::formats
