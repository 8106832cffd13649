// Tensor table: the tensors of a file by name. A tensor used in several places is stored and read
// once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/tensor/safetensors.h"

namespace headscope::formats {

class TensorsToSave {
 public:
  /// Adds a tensor and returns its name in the file: `wanted`, or the name that it already has.
  std::string add(const Tensor& tensor, const std::string& wanted);
  const std::vector<NamedTensor>& all() const { return all_; }

 private:
  std::vector<NamedTensor> all_;
};

/// Reads the tensors that a JSON file names, from the tensor file next to it or from given tensors,
/// up to a total budget.
class TensorsToRead {
 public:
  TensorsToRead(SafetensorsFile file, Index budgetBytes)
      : file_(std::move(file)), budget_(budgetBytes) {}
  explicit TensorsToRead(Index budgetBytes) : budget_(budgetBytes) {}

  /// Sets a tensor that replaces any other of its name.
  void give(const std::string& name, Tensor tensor) { given_[name] = std::move(tensor); }
  const Tensor* given(const std::string& name) const {
    const auto found = given_.find(name);
    return found == given_.end() ? nullptr : &found->second;
  }

  /// Returns the tensor that `name` names. Throws UserError where it is missing, has a value that
  /// is NaN or Inf, or lacks the `expected` shape (−1: any length).
  Tensor read(const JsonField& name, const Shape& expected);

 private:
  bool has(const std::string& name) const;
  const Shape& shapeOf(const std::string& name) const;
  std::string where() const;

  std::optional<SafetensorsFile> file_;
  std::map<std::string, Tensor> given_;
  Index budget_;
  Index bytes_ = 0;
  std::map<std::string, Tensor> read_;
};

/// A hash of the names, shapes and all bits of the values, in any order of the tensors.
std::uint64_t contentHash(const std::vector<NamedTensor>& tensors);
/// The hash of an open file. Throws UserError where a tensor cannot be read.
std::uint64_t contentHash(const SafetensorsFile& file);
/// The hash of a file; 0 where it cannot be read.
std::uint64_t contentHash(const std::filesystem::path& file);

}  // namespace headscope::formats
