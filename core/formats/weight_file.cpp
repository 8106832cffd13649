#include "core/formats/weight_file.h"

#include "core/formats/pytorch_file.h"
#include "core/formats/safetensors_weights.h"

namespace headscope::formats {

WeightFilePtr openWeightFile(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  if (ending == ".bin" || ending == ".pth" || ending == ".pt") return openPyTorchFile(path);
  return std::make_unique<const SafetensorsWeights>(SafetensorsFile(path));
}

}  // namespace headscope::formats
