#include "core/formats/model_config_json.h"

#include <cstdint>
#include <string>
#include <utility>

#include "core/base/downloaded_file.h"
#include "core/base/files.h"
#include "core/formats/families/config_reader.h"
#include "core/platform/paths.h"

namespace headscope::formats {
namespace {

constexpr std::uintmax_t kMostBytes = std::uintmax_t{4} << 20;

constexpr const char* kGeneration = "generation_config.json";

Json jsonAt(const std::filesystem::path& path, const char* name) {
  return downloadedJson(
      readText(path, kMostBytes, name), path.string(),
      {.depth = 16, .keys = std::size_t{1} << 16, .bytes = std::size_t{64} << 20});
}

/// The settings of one of CLIP's encoders, with those that transformers leaves out of the file.
Json clipEncoder(const JsonField& root, Encoder encoder) {
  const bool images = encoder == Encoder::ofImages;
  Json::Fields fields;
  if (const auto own = root.find(images ? "vision_config" : "text_config")) fields = own->object();
  Json settings = Json::objectOf(std::move(fields));
  const auto add = [&settings](const char* name, Json value) {
    if (settings.find(name) == nullptr) settings[name] = std::move(value);
  };
  add("model_type", images ? "clip_vision_model" : "clip_text_model");
  add("hidden_size", images ? 768 : 512);
  add("intermediate_size", images ? 3072 : 2048);
  add("num_hidden_layers", 12);
  add("num_attention_heads", images ? 12 : 8);
  if (!images) {
    add("max_position_embeddings", 77);
    add("vocab_size", 49408);
    add("eos_token_id", 49407);
  }
  return settings;
}

ModelDescription described(const JsonField& root, model::ModelNotes& notes,
                           const JsonField* generation = nullptr) {
  ConfigReader reader(root, notes, generation);
  reader.readCommon();
  reader.finish();
  auto& encoder = reader.encoderStack;
  if (!encoder) return {std::move(reader.config), reader.names};
  ModelDescription ofEncoder{std::move(encoder->config), encoder->names};
  if (reader.savedFrom("EncoderModel")) return ofEncoder;  // T5EncoderModel: without its decoder
  return {std::move(reader.config), reader.names,
          std::make_shared<const ModelDescription>(std::move(ofEncoder))};
}

}  // namespace

ModelDescription modelDescriptionFrom(const JsonField& root, model::ModelNotes& notes,
                                      Encoder encoder, const JsonField* generation) {
  const Json* type = root.value().find("model_type");
  if (type == nullptr || type->text() == nullptr || *type->text() != "clip") {
    return described(root, notes, generation);
  }
  const bool images = encoder == Encoder::ofImages;
  const Json settings = clipEncoder(root, encoder);
  ModelDescription found =
      described({settings, root.file(), images ? "vision_config" : "text_config"}, notes);
  found.elsewhere = {images ? "text_model." : "vision_model.", "text_projection.",
                     "visual_projection.", "logit_scale"};
  return found;
}

ModelDescription readModelDescription(const std::filesystem::path& path, model::ModelNotes& notes,
                                      Encoder encoder) {
  const std::string file = path.string();
  const Json json = jsonAt(path, "config.json");
  const std::filesystem::path generationPath = path.parent_path() / kGeneration;
  if (!platform::exists(generationPath)) return modelDescriptionFrom({json, file}, notes, encoder);
  const std::string generationFile = generationPath.string();
  const Json fields = jsonAt(generationPath, kGeneration);
  const JsonField generation(fields, generationFile);
  return modelDescriptionFrom({json, file}, notes, encoder, &generation);
}

}  // namespace headscope::formats
