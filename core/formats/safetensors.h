// safetensors: reads and writes the format (8-byte little-endian header length, JSON header, data);
// F32, F16, BF16 and F64 are read as float32; F32 and F16 are written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <istream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/platform/mapped_file.h"
#include "core/tensor.h"

namespace headscope::formats {

struct SafetensorsEntry {
  std::string dtype;
  Shape shape;
  std::uint64_t begin = 0, end = 0;  // within the data
};

/// Whether values of this type are read: F32, F16, BF16 and F64.
bool isReadableFloat(std::string_view dtype);

/// What a file holds, header checked whole: every range within the data, none overlapping, sizes
/// equal to shape × type. Values are read on demand.
class SafetensorsFile {
 public:
  /// Throws UserError that names the file and what is wrong with it.
  explicit SafetensorsFile(const std::filesystem::path& path);
  /// The same, mapped into memory where the system can: float32 tensors are then read without a
  /// copy, and live as long as they are used.
  static SafetensorsFile mapped(const std::filesystem::path& path);
  /// One that is in memory, which must outlive this; `name` stands for its path.
  SafetensorsFile(const std::filesystem::path& name, std::string_view bytes);

  std::vector<std::string> names() const;
  bool has(const std::string& name) const { return entries_.contains(name); }
  const Shape& shape(const std::string& name) const;
  const std::string& dtype(const std::string& name) const;
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const std::filesystem::path& path() const { return path_; }

  /// As float32. Throws UserError for a type that is not a float, naming tensor and type, and for
  /// more than `budgetBytes` of memory (half of this machine's).
  Tensor read(const std::string& name) const;
  Tensor read(const std::string& name, Index budgetBytes) const;

 private:
  const SafetensorsEntry& entry(const std::string& name) const;
  void readHeader(std::istream& in, std::uint64_t fileBytes);

  std::filesystem::path path_;
  std::optional<std::string_view> bytes_;  // none: they are at the path
  std::shared_ptr<const platform::MappedFile> map_;
  std::uint64_t dataStart_ = 0;
  std::map<std::string, SafetensorsEntry> entries_;
  std::map<std::string, std::string> metadata_;
};

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

/// What values are written as; F16 rounds to the nearest.
enum class FileFloat { f32, f16 };

/// Writes beside, then renames: no partial file is left. Throws UserError naming the path, and for
/// a value that F16 has no room for.
void writeSafetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors,
                      const std::map<std::string, std::string>& metadata = {},
                      FileFloat as = FileFloat::f32);

/// The same where values are made one tensor at a time, as they are written.
struct TensorToWrite {
  std::string name;
  Shape shape;
  std::function<Tensor()> values;
};
/// Whole or not at all. Throws UserError that names the file.
void writeSafetensors(const std::filesystem::path& path, const std::vector<TensorToWrite>& tensors,
                      const std::map<std::string, std::string>& metadata = {},
                      FileFloat as = FileFloat::f32);

}  // namespace headscope::formats
