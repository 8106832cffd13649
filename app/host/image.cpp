#include "app/host/image.h"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"

#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include <stb_image_write.h>
#pragma GCC diagnostic pop

namespace headscope::host {

namespace {

/// Returns the pixels as RGB: a picture of the window is opaque, and the file is an eighth smaller.
std::vector<std::uint8_t> colorsOf(const Image& image) {
  std::vector<std::uint8_t> colors;
  colors.reserve(image.rgba.size() / 4 * 3);
  for (std::size_t i = 0; i + 3 < image.rgba.size(); i += 4) {
    colors.insert(colors.end(), {image.rgba[i], image.rgba[i + 1], image.rgba[i + 2]});
  }
  return colors;
}

}  // namespace

std::string pngOf(const Image& image) {
  const std::vector<std::uint8_t> colors = colorsOf(image);
  std::string bytes;
  const auto write = [](void* to, void* data, int size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(data),
                                          static_cast<std::size_t>(size));
  };
  const int stride = 3 * image.width;
  if (stbi_write_png_to_func(write, &bytes, image.width, image.height, 3, colors.data(), stride) ==
      0) {
    throw UserError(fmt::format("{} × {} pixels could not be encoded as PNG; choose a smaller size",
                                image.width, image.height));
  }
  return bytes;
}

void writePng(const std::filesystem::path& path, const Image& image) {
  const std::string bytes = pngOf(image);
  writeAtomically(path, [&](std::ostream& out) {
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  });
}

}  // namespace headscope::host
