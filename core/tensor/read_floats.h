// Read floats: the values of a file's tensor as float32, whatever float type the file keeps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/tensor/shape.h"

namespace headscope {

/// Fills `to` with the bytes from `offset` on.
using ByteReader = std::function<void(std::uint64_t offset, std::span<char> to)>;

/// The bytes of one value of a type, as safetensors name types; 0 for an unknown one.
std::uint64_t bytesOfType(std::string_view dtype);

/// Returns whether values of this type are read: F32, F16, BF16 and F64.
bool isReadableFloat(std::string_view dtype);

/// Throws UserError where a tensor of a file needs more than `budgetBytes` as float32.
void requireMemoryFor(const std::string& name, const Shape& shape,
                      const std::filesystem::path& file, Index budgetBytes);

/// Reads values of a readable type that begin at `offset`. Returns false where some are not finite.
bool readFloats(std::string_view dtype, const ByteReader& read, std::uint64_t offset,
                std::span<float> to);

}  // namespace headscope
