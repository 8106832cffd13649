// ViT (Dosovitskiy et al. 2021) and DeiT (Touvron et al. 2021), which has a distillation token
// behind the class token.
#include <array>
#include <string_view>

#include "core/formats/families/config_reader.h"
#include "core/formats/families/families.h"
#include "core/formats/families/image_fields.h"

namespace headscope::formats {
namespace {

constexpr std::array<std::string_view, 1> kVitTypes{"vit"};
constexpr std::array<std::string_view, 1> kDeitTypes{"deit"};

void readVit(ConfigReader& r) {
  readImageEncoder(r, 224, 16, "intermediate_size");
  readLabels(r);
  r.layerNorm("layer_norm_eps", 1e-12);
  r.config.activation = r.activation("hidden_act", "gelu");
  r.config.queryKeyValueBias = r.flag("qkv_bias", true);
}

void readDeit(ConfigReader& r) {
  readVit(r);
  r.config.image.distillation = true;
  if (!r.savedFrom("WithTeacher")) return;
  r.config.reads = model::Reads::classAndDistillation;
  r.names.decoder = "cls_classifier";
  r.names.otherDecoder = "distillation_classifier";
}

constexpr TensorNames deitNames() {
  TensorNames names = imageNames("deit.");
  names.distillationToken = "embeddings.distillation_token";
  return names;
}

}  // namespace

constinit const Family kVit{.types = kVitTypes, .names = imageNames("vit."), .read = readVit};
constinit const Family kDeit{.types = kDeitTypes, .names = deitNames(), .read = readDeit};

}  // namespace headscope::formats
