#include "app/host/image.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/formats/files.h"

#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include <stb_image_write.h>
#pragma GCC diagnostic pop

namespace headscope::host {

void writePng(const std::filesystem::path& path, const Image& image) {
  formats::writeAtomically(path, [&](std::ostream& out) {
    const auto write = [](void* stream, void* data, int size) {
      static_cast<std::ostream*>(stream)->write(static_cast<const char*>(data), size);
    };
    const int stride = 4 * image.width;
    if (stbi_write_png_to_func(write, &out, image.width, image.height, 4, image.rgba.data(),
                               stride) == 0) {
      throw UserError(
          fmt::format("{}: {} × {} pixels could not be encoded as PNG; choose a smaller size",
                      path.string(), image.width, image.height));
    }
  });
}

}  // namespace headscope::host
