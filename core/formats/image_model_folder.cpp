// A trained image model as a folder: the configuration, the processor of pictures and the names of
// a ViT.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/formats/json_file.h"
#include "core/formats/shape_run.h"
#include "core/tensor/safetensors.h"

namespace headscope::formats {
namespace {

namespace fs = std::filesystem;
using images::ImageModel;
using model::ModelConfig;

Json imageConfigJson(const ModelConfig& c) {
  Json labels = Json::emptyObject(), ids = Json::emptyObject();
  for (std::size_t i = 0; i < c.labels.size(); ++i) {
    labels[std::to_string(i)] = c.labels[i];
    ids[c.labels[i]] = i;
  }
  return {{"model_type", "vit"},
          {"architectures", std::vector<std::string>{"ViTForImageClassification"}},
          {"num_hidden_layers", c.layers},
          {"hidden_size", c.dModel},
          {"num_attention_heads", c.heads},
          {"intermediate_size", c.ffWidth},
          {"image_size", c.image.size.height},
          {"patch_size", c.image.patch.height},
          {"num_channels", c.image.channels},
          {"hidden_act", "gelu"},
          {"layer_norm_eps", c.normEpsilon},
          {"qkv_bias", true},
          {"hidden_dropout_prob", 0.0},
          {"attention_probs_dropout_prob", 0.0},
          {"torch_dtype", "float16"},
          {"id2label", std::move(labels)},
          {"label2id", std::move(ids)}};
}

Json processorJson(const ModelConfig& c) {
  const std::vector<double> halves(static_cast<std::size_t>(c.image.channels), 0.5);
  constexpr int kBilinear = 2;
  return {{"image_processor_type", "ViTImageProcessor"},
          {"do_resize", true},
          {"size", {{"height", c.image.size.height}, {"width", c.image.size.width}}},
          {"resample", kBilinear},
          {"do_rescale", true},
          {"rescale_factor", 1.0 / 255.0},
          {"do_normalize", true},
          {"image_mean", halves},
          {"image_std", halves}};
}

std::vector<NamedTensor> vitTensors(const ImageModel& model, const ModelConfig& c) {
  const images::ImagePlaces& places = model.places();
  std::vector<NamedTensor> tensors;
  const auto value = [&](std::size_t place) { return model.parameters()[place].value; };
  const auto add = [&](std::string name, Tensor tensor) {
    tensors.push_back({std::move(name), std::move(tensor)});
  };
  const auto addPair = [&](const std::string& name, std::size_t weight, std::size_t bias) {
    add(name + ".weight", value(weight));
    add(name + ".bias", value(bias));
  };
  const std::string embeddings = "vit.embeddings.";
  const std::string projection = embeddings + "patch_embeddings.projection";
  const Index d = c.dModel;
  add(embeddings + "cls_token", value(places.classToken()).reshaped({1, 1, d}));
  const Tensor positions = value(places.positions());
  add(embeddings + "position_embeddings", positions.reshaped({1, positions.dim(0), d}));
  add(projection + ".weight",
      value(places.patches())
          .reshaped({d, c.image.channels, c.image.patch.height, c.image.patch.width}));
  add(projection + ".bias", value(places.patches() + 1));
  for (Index layer = 0; layer < c.layers; ++layer) {
    const std::string at = fmt::format("vit.encoder.layer.{}.", layer);
    const std::size_t a = places.attention(layer), n = places.network(layer);
    addPair(at + "layernorm_before", places.attentionNorm(layer), places.attentionNorm(layer) + 1);
    addPair(at + "attention.attention.query", a, a + 4);
    addPair(at + "attention.attention.key", a + 1, a + 5);
    addPair(at + "attention.attention.value", a + 2, a + 6);
    addPair(at + "attention.output.dense", a + 3, a + 7);
    addPair(at + "layernorm_after", places.networkNorm(layer), places.networkNorm(layer) + 1);
    addPair(at + "intermediate.dense", n, n + 1);
    addPair(at + "output.dense", n + 2, n + 3);
  }
  addPair("vit.layernorm", places.finalNorm(), places.finalNorm() + 1);
  addPair("classifier", places.classifier(), places.classifier() + 1);
  return tensors;
}

}  // namespace

void saveAsModel(const fs::path& folder, const ImageModel& model) {
  const ModelConfig config = configOf(model.settings());
  OutputFolder output(folder);
  writeSafetensors(folder / "model.safetensors",
                   vitTensors(model, config),  // first: it needs the room
                   {{"format", "pt"}}, FileFloat::f16);
  writeJson(folder / "preprocessor_config.json", processorJson(config));
  writeJson(folder / "config.json", imageConfigJson(config));
  output.keep();
}

}  // namespace headscope::formats
