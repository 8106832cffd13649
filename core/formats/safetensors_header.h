// The header of a safetensors file, checked whole before any of its data is read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/tensor.h"

namespace headscope::formats {

/// Limits on what is read, all checked before anything of that size is allocated.
struct SafetensorsLimits {
  static constexpr std::uint64_t kHeaderBytes = 100'000'000;  // the format's own
  static constexpr std::size_t kTensors = 100'000;
};

struct SafetensorsEntry {
  std::string dtype;
  Shape shape;
  std::uint64_t begin = 0, end = 0;  // within the data
};

struct SafetensorsHeader {
  std::map<std::string, SafetensorsEntry> entries;
  std::map<std::string, std::string> metadata;
};

/// Bytes of one value; 0 for a type that is not known here.
std::uint64_t bytesOf(std::string_view dtype);

/// Throws UserError, naming `file` and the tensor, unless the header is well formed and its ranges
/// fill the `dataBytes` after it exactly, without overlap.
SafetensorsHeader parseSafetensorsHeader(std::string_view json, std::uint64_t dataBytes,
                                         const std::string& file);

/// The header of a file to be written; data are laid out in the order of `tensors`.
struct TensorShape {
  std::string name;
  Shape shape;
};
/// As JSON, padded so that data begin at a multiple of 8 bytes.
std::string safetensorsHeader(const std::vector<TensorShape>& tensors,
                              const std::map<std::string, std::string>& metadata);

}  // namespace headscope::formats
