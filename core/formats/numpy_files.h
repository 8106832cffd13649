// NumPy files: one tensor as .npy, several as .npz.
#pragma once

#include <filesystem>
#include <vector>

#include "core/tensor/safetensors.h"

namespace headscope::formats {

/// NumPy's array format, version 1.0 (little-endian float32, C order). No partial file is left.
/// Throws UserError naming the path.
void writeNpy(const std::filesystem::path& path, const Tensor& tensor);

/// Reads the numbers of an array of float32 or float64 in C order, as `numpy.save` writes it, as
/// one row: (N). Throws UserError naming the path.
Tensor readNpy(const std::filesystem::path& path);

/// Returns whether a file's ending is that of NumPy's archives.
bool isNpz(const std::filesystem::path& path);
/// NumPy's archive: a zip archive of NAME.npy, not compressed. `numpy.load(path)["NAME"]` gives
/// each. Tensors are computed and written one at a time. No partial file is left. Throws UserError
/// naming the path.
void writeNpz(const std::filesystem::path& path, const std::vector<TensorToWrite>& tensors);

}  // namespace headscope::formats
