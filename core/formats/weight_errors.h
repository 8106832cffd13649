// Weight errors: what the rounding of a model's weights, such as a GGUF file's, changed in each
// tensor, against the same model unrounded.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor/tensor.h"

namespace headscope::formats {

struct WeightError {
  std::string tensor;  // as the rounded model's files name it
  std::string type;    // how they keep it: "Q4_K", "F16"
  Shape shape;
  double size = 0.0;     // the largest absolute value, unrounded
  double largest = 0.0;  // the largest absolute difference
  double mean = 0.0;     // the mean of the absolute differences

  /// The differences in parts of the tensor's largest value; 0 for zeros that were kept.
  double relativeLargest() const { return largest == 0.0 ? 0.0 : largest / size; }
  double relativeMean() const { return mean == 0.0 ? 0.0 : mean / size; }
};

/// Compares each tensor of a model with that of another folder or file. Throws UserError for models
/// of different kinds or sizes, and for a tensor that only one of them has.
std::vector<WeightError> weightErrors(const std::filesystem::path& rounded,
                                      const std::filesystem::path& unrounded);

/// Reads one tensor of both models, which `rounded` names so. Throws as weightErrors does.
std::pair<Tensor, Tensor> weightsOfBoth(const std::filesystem::path& rounded,
                                        const std::filesystem::path& unrounded,
                                        const std::string& tensor);

}  // namespace headscope::formats
