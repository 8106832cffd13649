// PNG: writes an image as a file.
#pragma once

#include <filesystem>

#include "app/host/image.h"

namespace headscope::host {

/// The file appears whole or not at all. Throws UserError naming the path.
void writePng(const std::filesystem::path& path, const Image& image);

}  // namespace headscope::host
