#include "random_gpt2.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "core/tensor/safetensors.h"

namespace headscope::ui {
namespace {

constexpr Index kVocabulary = 40;
constexpr Index kPositions = 64;

/// Values in −0.2 … 0.2 that depend only on the tensor's name and shape.
Tensor drawn(const std::string& name, const Shape& shape) {
  Tensor tensor = Tensor::uninitialised(shape);
  double phase = 0.0;
  for (const char c : name) phase = phase * 1.3 + c;
  for (Index i = 0; i < tensor.size(); ++i) {
    tensor.mutableData()[i] = static_cast<float>(0.2 * std::sin(12.9898 * (i + 1.0) + phase));
  }
  return tensor;
}

}  // namespace

void writeRandomGpt2(const std::filesystem::path& folder, Index layers, Index heads) {
  const Index d = 2 * heads;
  std::vector<NamedTensor> tensors;
  const auto add = [&](const std::string& name, const Shape& shape) {
    tensors.push_back({name, drawn(name, shape)});
  };
  add("wte.weight", {kVocabulary, d});
  add("wpe.weight", {kPositions, d});
  for (Index layer = 0; layer < layers; ++layer) {
    const auto part = [&](const char* name, const Shape& weight, Index bias) {
      add(fmt::format("h.{}.{}.weight", layer, name), weight);
      add(fmt::format("h.{}.{}.bias", layer, name), {bias});
    };
    part("ln_1", {d}, d);
    part("attn.c_attn", {d, 3 * d}, 3 * d);
    part("attn.c_proj", {d, d}, d);
    part("ln_2", {d}, d);
    part("mlp.c_fc", {d, 4 * d}, 4 * d);
    part("mlp.c_proj", {4 * d, d}, d);
  }
  add("ln_f.weight", {d});
  add("ln_f.bias", {d});
  writeSafetensors(folder / "model.safetensors", tensors);
  std::ofstream(folder / "config.json")
      << fmt::format(R"({{"model_type": "gpt2", "n_embd": {}, "n_head": {}, "n_layer": {}, )"
                     R"("n_positions": {}, "vocab_size": {}}})",
                     d, heads, layers, kPositions, kVocabulary);
}

}  // namespace headscope::ui
