#include "core/formats/model_config_json.h"

#include <cstdint>
#include <string>
#include <utility>

#include "core/base/downloaded_file.h"
#include "core/base/files.h"
#include "core/formats/families/config_reader.h"

namespace headscope::formats {
namespace {

constexpr std::uintmax_t kMostBytes = std::uintmax_t{4} << 20;

}  // namespace

ModelDescription modelDescriptionFrom(const JsonField& root, model::ModelNotes& notes) {
  ConfigReader reader(root, notes);
  reader.readCommon();
  reader.finish();
  ModelDescription description{std::move(reader.config), reader.names};
  if (auto& encoder = reader.encoderStack) {
    description.encoder = std::make_shared<const ModelDescription>(
        ModelDescription{std::move(encoder->config), encoder->names});
  }
  return description;
}

ModelDescription readModelDescription(const std::filesystem::path& path, model::ModelNotes& notes) {
  const std::string text = readText(path, kMostBytes, "config.json");
  const std::string file = path.string();
  const Json json =
      downloadedJson(text, file, {.depth = 16, .keys = 1000, .bytes = std::size_t{64} << 20});
  return modelDescriptionFrom({json, file}, notes);
}

}  // namespace headscope::formats
