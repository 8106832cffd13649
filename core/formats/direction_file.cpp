#include "core/formats/direction_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/base/error.h"
#include "core/formats/numpy_files.h"
#include "core/platform/paths.h"
#include "core/tensor/safetensors.h"

namespace headscope::formats {

std::vector<float> readDirection(const std::string& file) {
  const std::size_t colon = file.rfind(':');
  const bool named = colon != std::string::npos && !platform::isRegularFile(file);
  const std::string path = named ? file.substr(0, colon) : file;
  if (std::filesystem::path(path).extension() == ".npy") return readNpy(path).values();
  const SafetensorsFile tensors(path);
  const std::vector<std::string> names = tensors.names();
  if (!named && names.size() != 1) {
    throw UserError(
        fmt::format("{} has {} tensors: name one, as in {}:direction", path, names.size(), path));
  }
  return tensors.read(named ? file.substr(colon + 1) : names.front()).values();
}

}  // namespace headscope::formats
