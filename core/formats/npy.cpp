#include "core/formats/npy.h"

#include <fmt/format.h>

#include <cstddef>
#include <ostream>
#include <string>

#include "core/formats/atomic_file.h"

namespace headscope::formats {
namespace {

/// A tuple as Python writes it: "()", "(512,)", "(6, 512)".
std::string tuple(const Shape& shape) {
  if (shape.size() == 1) return fmt::format("({},)", shape.front());
  return toString(shape);
}

/// Everything before the values; its size is a multiple of 64, so that they can be mapped.
std::string preamble(const Shape& shape) {
  constexpr std::size_t kAlignment = 64;
  const std::string magic("\x93NUMPY\x01\x00", 8);
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': {}, }}", tuple(shape));
  const std::size_t used = magic.size() + 2 + header.size() + 1;  // the length and the line's end
  header.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  header += '\n';
  std::string length{static_cast<char>(header.size() & 0xFF),
                     static_cast<char>(header.size() >> 8)};
  return magic + length + header;
}

}  // namespace

void writeNpy(const std::filesystem::path& path, const Tensor& tensor) {
  const Tensor dense = tensor.contiguous() ? tensor : tensor.clone();
  const std::string start = preamble(dense.shape());
  writeAtomically(path, [&](std::ostream& out) {
    out.write(start.data(), static_cast<std::streamsize>(start.size()));
    out.write(
        reinterpret_cast<const char*>(dense.data()),
        static_cast<std::streamsize>(dense.size()) * static_cast<std::streamsize>(sizeof(float)));
  });
}

}  // namespace headscope::formats
