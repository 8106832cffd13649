// safetensors: reads and writes the format (8-byte little-endian header length, JSON header, data);
// F32, F16, BF16 and F64 are read as float32; F32 and F16 are written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/files.h"
#include "core/tensor/half_matrix.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct SafetensorsEntry {
  std::string dtype;
  Shape shape;
  std::uint64_t begin = 0, end = 0;  // within the data
};

/// The contents of a safetensors file. The header is fully checked: every range lies within the
/// data, none overlap, and sizes equal shape × type. Values are read on demand, from the file as it
/// was when it was opened (UnchangedFile).
class SafetensorsFile {
 public:
  /// Throws UserError that names the file and what is wrong with it.
  explicit SafetensorsFile(const std::filesystem::path& path);
  /// For a file in memory, which must outlive this object; `name` serves as its path.
  SafetensorsFile(const std::filesystem::path& name, std::string_view bytes);

  std::vector<std::string> names() const;
  bool has(const std::string& name) const { return entries_.contains(name); }
  const Shape& shape(const std::string& name) const;
  const std::string& dtype(const std::string& name) const;
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const std::filesystem::path& path() const { return path_; }

  /// Reads a tensor as float32. Throws UserError for a type that is not a float, naming tensor and
  /// type; for a value that is NaN or infinite, naming its cell; for more than `budgetBytes` of
  /// memory (by default half of this machine's); and for a file that has changed since it was
  /// opened.
  Tensor read(const std::string& name) const;
  Tensor read(const std::string& name, Index budgetBytes) const;
  /// Reads a matrix of F16 or BF16 as it is kept; empty for other types and shapes. Throws as read
  /// does.
  HalfMatrix readHalf(const std::string& name) const;
  /// Reads a tensor as `read` does, but allows values that are NaN or infinite, such as a trace's
  /// masked scores.
  Tensor readAny(const std::string& name) const;
  /// Returns whether the file on the disk is no longer the one that was opened.
  bool changed() const { return file_ != nullptr && file_->changed(); }

 private:
  struct ReadTensor {
    Tensor tensor;
    bool finite = true;
  };

  const SafetensorsEntry& entry(const std::string& name) const;
  void readHeader(std::uint64_t fileBytes);
  ReadTensor readValues(const std::string& name, Index budgetBytes) const;
  void readBytes(std::uint64_t offset, std::span<char> to) const;

  std::filesystem::path path_;
  std::shared_ptr<const UnchangedFile> file_;  // null: in memory
  std::string_view bytes_;                     // those in memory
  std::uint64_t dataStart_ = 0;
  std::map<std::string, SafetensorsEntry> entries_;
  std::map<std::string, std::string> metadata_;
};

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

/// The type of written values. F16 and BF16 round to the nearest, to 11 and 8 significant bits.
enum class FileFloat { f32, f16, bf16 };

/// Writes a temporary file, then renames it: no partial file is left. Throws UserError naming the
/// path, also for a value beyond the range of the type.
void writeSafetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors,
                      const std::map<std::string, std::string>& metadata = {},
                      FileFloat as = FileFloat::f32);

/// A tensor whose values are computed only when it is written.
struct TensorToWrite {
  std::string name;
  Shape shape;
  std::function<Tensor()> values;
};
/// Writes the tensors one at a time. No partial file is left. Throws UserError that names the file.
void writeSafetensors(const std::filesystem::path& path, const std::vector<TensorToWrite>& tensors,
                      const std::map<std::string, std::string>& metadata = {},
                      FileFloat as = FileFloat::f32);

/// A few of many names, for a message: "a, b, c, d and 12 more".
std::string someOf(const std::vector<std::string>& names);

/// Reads a tensor within `bytesLeft`, and subtracts its size from them.
Tensor readWithin(Index& bytesLeft, const SafetensorsFile& file, const std::string& name);

}  // namespace headscope
