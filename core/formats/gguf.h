// GGUF: the file format of llama.cpp (docs/gguf.md there): metadata, and tensors whose values may
// be rounded to blocks of a few bits.
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
#include "core/base/json.h"
#include "core/tensor/tensor.h"

namespace headscope::formats {

/// How a tensor's values are kept: a block of `values` in `bytes`, and its values as floats.
struct GgufType {
  std::uint32_t id;
  std::string_view name;  // "Q4_K"
  std::uint32_t values, bytes;
  void (*widen)(const std::uint8_t* block, float* to);  // null: plain floats
};

/// The type of a number in a file; null for one that is not read.
const GgufType* ggufType(std::uint32_t id);

class GgufFile {
 public:
  struct Entry {
    Shape shape;  // as PyTorch orders it: rows first
    const GgufType* type = nullptr;
    std::uint64_t begin = 0;  // in the file
  };

  /// Reads the metadata and the tensors' places. Throws UserError that names the file and what is
  /// wrong with it.
  explicit GgufFile(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  /// The metadata by their keys: "general.architecture", "llama.block_count", …
  const Json& metadata() const { return metadata_; }
  const std::map<std::string, Entry>& tensors() const { return tensors_; }
  /// Reads the values as float32. Throws UserError for values that are not finite.
  Tensor read(const std::string& name) const;
  bool changed() const { return file_.changed(); }

 private:
  class Parser;

  std::filesystem::path path_;
  UnchangedFile file_;
  Json metadata_;
  std::map<std::string, Entry> tensors_;
};

}  // namespace headscope::formats
