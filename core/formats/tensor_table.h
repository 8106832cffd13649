// Tensor table: the tensors of a file under their names; one that is used in several places is
// stored, and read, once.
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
  /// Its name in the file: `wanted`, or the one it already has.
  std::string add(const Tensor& tensor, const std::string& wanted);
  const std::vector<NamedTensor>& all() const { return all_; }

 private:
  std::vector<NamedTensor> all_;
};

/// Reads the tensors that a JSON file names, up to a budget for all of them: from the file beside
/// it, or those that it was given.
class TensorsToRead {
 public:
  TensorsToRead(SafetensorsFile file, Index budgetBytes)
      : file_(std::move(file)), budget_(budgetBytes) {}
  explicit TensorsToRead(Index budgetBytes) : budget_(budgetBytes) {}

  /// In place of any of that name.
  void give(const std::string& name, Tensor tensor) { given_[name] = std::move(tensor); }
  const Tensor* given(const std::string& name) const {
    const auto found = given_.find(name);
    return found == given_.end() ? nullptr : &found->second;
  }

  /// The tensor that `name` names, with no value NaN or Inf. Throws UserError where it is missing,
  /// or not of the `expected` shape (−1: any length).
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

/// Of names, shapes and every bit of the values, whatever their order.
std::uint64_t contentHash(const std::vector<NamedTensor>& tensors);
/// That of an open file. Throws UserError where a tensor cannot be read.
std::uint64_t contentHash(const SafetensorsFile& file);
/// That of a file; 0 where it cannot be read.
std::uint64_t contentHash(const std::filesystem::path& file);

}  // namespace headscope::formats
