#include "core/formats/found_model.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/formats/gguf_model.h"
#include "core/formats/model_folder.h"
#include "core/formats/model_name.h"
#include "core/formats/shipped_model.h"

namespace headscope::formats {
namespace {

namespace fs = std::filesystem;
using model::ModelNotes;

/// Why there is no folder at a path.
std::string whyNoFolder(const fs::path& path) {
  std::error_code code;
  if (fs::exists(path, code)) return "not a folder";
  const fs::path target = fs::read_symlink(path, code);
  return code ? "not there" : fmt::format("a link to {}, which does not exist", target.string());
}

}  // namespace

FoundModel findModel(const fs::path& directory, ModelNotes& notes, Encoder encoder) {
  if (const auto shipped = shippedModel(directory)) {
    const std::string file = shipped->fileName("config.json");
    const Json json = parseJson(shipped->file("config.json"));
    return {shipped->title(), modelDescriptionFrom({json, file}, notes),
            WeightFiles(directory, SafetensorsFile(shipped->fileName("model.safetensors"),
                                                   shipped->file("model.safetensors")))};
  }
  if (const auto gguf = ggufAt(directory)) {
    auto file = std::make_shared<const GgufFile>(*gguf);
    const std::string name = gguf->string();
    const Json json = ggufConfig(*file);
    return {gguf->stem().string(), modelDescriptionFrom({json, name}, notes),
            WeightFiles(gguf->parent_path(), ggufWeights(std::move(file)))};
  }
  std::error_code code;
  if (!fs::is_directory(directory, code)) {
    throw UserError(fmt::format("{} is {}: give the one with a model's config.json",
                                directory.string(), whyNoFolder(directory)));
  }
  ModelDescription description = readModelDescription(configIn(directory), notes, encoder);
  return {modelName(directory), std::move(description), WeightFiles(directory, notes)};
}

}  // namespace headscope::formats
