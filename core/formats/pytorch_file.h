// PyTorch file: the tensors of a file that torch.save wrote (pytorch_model.bin, .pth, .pt): a zip
// archive of a pickle, which is read as data (pickle.h), and of the storages as they lie in memory.
#pragma once

#include "core/formats/weight_file.h"

namespace headscope::formats {

/// Returns whether this program was built with libzip, which reads such archives.
bool readsPyTorchFiles();

/// Opens a file. Throws UserError for a file of PyTorch before 1.6, which is no zip archive, for a
/// damaged one, and for classes that are not read. Strided and shared storages are read; F32, F16,
/// BF16 and F64 become float32.
WeightFilePtr openPyTorchFile(const std::filesystem::path& path);

}  // namespace headscope::formats
