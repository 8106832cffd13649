// Image: pixels as RGBA bytes, top row first, and as a PNG file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope::host {

struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;

  const std::uint8_t* at(int x, int y) const {
    return rgba.data() + 4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                              static_cast<std::size_t>(x));
  }
};

/// Writes a PNG file, whole or not at all. Throws UserError that names the path.
void writePng(const std::filesystem::path& path, const Image& image);
/// The bytes of a PNG file. Throws UserError for a size that cannot be encoded.
std::string pngOf(const Image& image);

}  // namespace headscope::host
