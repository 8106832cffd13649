// Weight file: a file that holds a model's tensors by name, in whichever format.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/tensor/half_matrix.h"

namespace headscope::formats {

class WeightFile {
 public:
  WeightFile() = default;
  virtual ~WeightFile() = default;
  WeightFile(const WeightFile&) = delete;
  WeightFile& operator=(const WeightFile&) = delete;

  virtual std::vector<std::string> names() const = 0;
  virtual bool has(const std::string& name) const = 0;
  virtual const Shape& shape(const std::string& name) const = 0;
  /// "F32", as safetensors name types.
  virtual const std::string& dtype(const std::string& name) const = 0;
  /// How the file keeps a tensor, by the name that its format has for it: "Q4_K".
  virtual std::string keptAs(const std::string& name) const { return dtype(name); }
  virtual const std::filesystem::path& path() const = 0;
  /// Reads a tensor as float32. Throws UserError that names the tensor and the file, and a cell
  /// that is not finite.
  virtual Tensor read(const std::string& name) const = 0;
  /// Reads a matrix that the file keeps in 16 bits as it is; empty for any other tensor.
  virtual HalfMatrix readHalf(const std::string& /*name*/) const { return {}; }
  /// Returns whether the file on the disk is no longer the one that was opened.
  virtual bool changed() const = 0;
};

using WeightFilePtr = std::shared_ptr<const WeightFile>;

/// Opens a file in the format that its name ends with. Throws UserError.
WeightFilePtr openWeightFile(const std::filesystem::path& path);

}  // namespace headscope::formats
