// npy: writes NumPy's array format, version 1.0 (little-endian float32, C order).
#pragma once

#include <filesystem>

#include "core/tensor.h"

namespace headscope::formats {

/// Written beside, then renamed: no partial file is left. Throws UserError naming the path.
void writeNpy(const std::filesystem::path& path, const Tensor& tensor);

}  // namespace headscope::formats
