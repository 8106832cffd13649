// Read floats: the values of a file's tensor as float32, whatever float type the file keeps.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace headscope {

/// Fills `to` with the bytes from `offset` on.
using ByteReader = std::function<void(std::uint64_t offset, std::span<char> to)>;

/// The bytes of one value of a type, as safetensors name types; 0 for an unknown one.
std::uint64_t bytesOfType(std::string_view dtype);

/// Returns whether values of this type are read: F32, F16, BF16 and F64.
bool isReadableFloat(std::string_view dtype);

/// Reads values of a readable type that begin at `offset`. Returns false where some are not finite.
bool readFloats(std::string_view dtype, const ByteReader& read, std::uint64_t offset,
                std::span<float> to);

}  // namespace headscope
