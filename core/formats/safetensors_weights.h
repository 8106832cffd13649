// Safetensors weights: a safetensors file as a WeightFile.
#pragma once

#include <utility>

#include "core/formats/weight_file.h"
#include "core/tensor/safetensors.h"

namespace headscope::formats {

class SafetensorsWeights final : public WeightFile {
 public:
  explicit SafetensorsWeights(SafetensorsFile file) : file_(std::move(file)) {}

  std::vector<std::string> names() const override { return file_.names(); }
  bool has(const std::string& name) const override { return file_.has(name); }
  const Shape& shape(const std::string& name) const override { return file_.shape(name); }
  const std::string& dtype(const std::string& name) const override { return file_.dtype(name); }
  const std::filesystem::path& path() const override { return file_.path(); }
  Tensor read(const std::string& name) const override { return file_.read(name); }
  HalfMatrix readHalf(const std::string& name) const override { return file_.readHalf(name); }
  bool changed() const override { return file_.changed(); }

 private:
  SafetensorsFile file_;
};

}  // namespace headscope::formats
