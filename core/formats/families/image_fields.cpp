#include "core/formats/families/image_fields.h"

#include <fmt/format.h>

#include <charconv>

#include "core/attention/limits.h"

namespace headscope::formats {
namespace {

using model::Extent;
using model::ModelLimits;

/// A number, or height and width.
Extent extentFrom(ConfigReader& r, std::string_view name, Index otherwise) {
  const auto field = r.find(name);
  if (!field) return {otherwise, otherwise};
  constexpr Index kMost = 1 << 16;
  if (field->value().list() == nullptr) {
    const Index side = ConfigReader::sizeOf(*field, kMost);
    return {side, side};
  }
  const std::vector<JsonField> both = field->items();
  if (both.size() != 2) ConfigReader::refuse(*field, "and must be a number or height and width");
  return {ConfigReader::sizeOf(both[0], kMost), ConfigReader::sizeOf(both[1], kMost)};
}

}  // namespace

void readImageEncoder(ConfigReader& r, Index imageSize, Index perPatch, const char* ffWidth) {
  r.sizes({.ffWidth = ffWidth, .vocabulary = nullptr, .positions = nullptr});
  model::ModelConfig& c = r.config;
  c.causal = false;
  c.tied = model::ModelConfig::Tied::no;
  c.languageModelHead = false;
  c.lastStateNormed = false;
  c.vocabulary = 0;
  model::ImageInput& image = c.image;
  image.size = extentFrom(r, "image_size", imageSize);
  image.patch = extentFrom(r, "patch_size", perPatch);
  image.channels = r.size("num_channels", ModelLimits::kTokenTypes, 3);
  if (image.grid().area() == 0) {
    ConfigReader::refuse(r.at("patch_size"), "and larger than image_size");
  }
  // the backbone's choice of layers and the pooler's settings change no pass
  for (const char* field :
       {"apply_layernorm", "drop_path_rate", "encoder_stride", "interpolate_antialias",
        "interpolate_offset", "layerscale_value", "out_features", "out_indices", "pooler_act",
        "pooler_output_size", "reshape_hidden_states", "stage_names", "use_mask_token"}) {
    r.ignore(field);
  }
}

void readLabels(ConfigReader& r) {
  model::ModelConfig& c = r.config;
  c.reads = model::Reads::classToken;
  const auto named = r.find("id2label");
  const auto counted = r.find("num_labels");
  constexpr Index kWithoutField = 2;  // transformers leaves two labels out
  c.vocabulary = counted ? ConfigReader::sizeOf(*counted, ModelLimits::kVocabulary) : kWithoutField;
  if (named) c.vocabulary = std::ssize(named->object());
  if (c.vocabulary == 0) ConfigReader::refuse(*named, "and must name the labels");
  for (Index i = 0; i < c.vocabulary; ++i) c.labels.push_back(fmt::format("LABEL_{}", i));
  if (!named) return;
  for (const auto& [key, label] : named->object()) {
    std::size_t id = 0;
    const auto [rest, error] = std::from_chars(key.data(), key.data() + key.size(), id);
    const bool whole = error == std::errc() && rest == key.data() + key.size();
    if (!whole || id >= c.labels.size() || label.text() == nullptr) {
      named->fail(fmt::format("names the label \"{}\", and its {} labels must have the ids 0 to {}",
                              key, c.vocabulary, c.vocabulary - 1));
    }
    c.labels[id] = *label.text();
  }
}

}  // namespace headscope::formats
