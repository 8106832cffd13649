#include "app/cli/open_model.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "app/cli/config_options.h"
#include "core/base/error.h"
#include "core/formats/attention_file.h"
#include "core/formats/clip_folder.h"
#include "core/formats/model_directory.h"
#include "core/formats/tokenizer_files.h"

namespace headscope::cli {

void addAdapterFlags(CLI::App& app, AdapterOptions& options, const std::string& group) {
  CLI::Option* folder =
      app.add_option("--adapter", options.folder, "put this LoRA adapter (PEFT) onto the model")
          ->check(notEmpty)
          ->type_name("DIR");
  CLI::Option* strength =
      app.add_option("--adapter-strength", options.strength,
                     "the adapter's strength, from 0 (none) to 1 (default: as trained)")
          ->check(notNumber)
          ->check(CLI::Range(0.0, 1.0))
          ->type_name("S");
  if (group.empty()) return;
  folder->group(group);
  strength->group(group);
}

formats::AdaptedFolder adaptedFolderFrom(const std::string& folder, const AdapterOptions& options) {
  formats::AdaptedFolder adapted =
      formats::adaptedFolder(folder, {options.folder, options.strength.value_or(1.0)});
  if (options.strength && adapted.adapter.folder.empty()) {
    throw UserError("--adapter-strength needs an adapter: give --adapter as well");
  }
  return adapted;
}

formats::Encoder encoderFor(const std::string& folder, bool image) {
  return !image && formats::isClipFolder(folder) ? formats::Encoder::ofTexts
                                                 : formats::Encoder::ofImages;
}

void requireOwnWeights(const model::Model& model, const std::string& path) {
  if (model.config().modelType != formats::kAttentionsAlone) return;
  throw UserError(
      fmt::format("{} holds attentions alone, without the weights of a model: give the model's own "
                  "folder; `headscope {}` shows the attentions",
                  path, path));
}

model::ModelPtr openModelFolder(const formats::AdaptedFolder& folder, Index layerBudgetBytes,
                                bool strict, formats::Encoder encoder) {
  model::ModelPtr model =
      formats::openModel(folder.model, layerBudgetBytes, folder.adapter, encoder);
  const std::string name = folder.model.string();
  if (strict) refuseNotes(model->notes(), name);
  for (const std::string& sentence : model->notes().sentences()) {
    std::cerr << "note: " << name << ": " << sentence << '\n';
  }
  return model;
}

model::ModelPtr OpenModels::model(const formats::AdaptedFolder& folder, Index layerBudgetBytes,
                                  bool strict, formats::Encoder encoder) {
  const Place place{folder.model, folder.adapter.folder, folder.adapter.strength, encoder};
  const auto found = models_.find(place);
  if (found == models_.end()) {
    model::ModelPtr opened = openModelFolder(folder, layerBudgetBytes, strict, encoder);
    models_[place] = opened;
    return opened;
  }
  if (strict) refuseNotes(found->second->notes(), folder.model.string());
  return found->second;
}

namespace {

/// The folder itself, or the base of an adapter that has no tokenizer of its own.
std::string withTokenizer(const std::string& folder) {
  if (formats::hasTokenizer(folder)) return folder;
  return formats::adaptedFolder(folder, {}).model.string();
}

}  // namespace

formats::TokenizerPtr OpenModels::tokenizer(const std::string& folder) {
  const auto found = tokenizers_.find(folder);
  if (found != tokenizers_.end()) return found->second;
  formats::TokenizerPtr opened = formats::openTokenizer(withTokenizer(folder));
  tokenizers_[folder] = opened;
  return opened;
}

formats::TokenizerPtr OpenModels::targetTokenizer(const std::string& folder) {
  const std::string own = withTokenizer(folder);
  if (!formats::hasTargetTokenizer(own)) return tokenizer(folder);
  formats::TokenizerPtr& opened = targetTokenizers_[folder];
  if (opened == nullptr) opened = formats::openTargetTokenizer(own);
  return opened;
}

formats::TokenizerPtr OpenModels::targetNames(const std::string& folder) {
  if (!formats::hasTokenizer(withTokenizer(folder))) return nullptr;
  try {
    return targetTokenizer(folder);
  } catch (const UserError&) {
    return nullptr;
  }
}

void OpenModels::close(const std::string& folder) {
  const formats::AdaptedFolder place = formats::adaptedFolder(folder, {});
  std::erase_if(models_, [&](const auto& open) { return std::get<0>(open.first) == place.model; });
  tokenizers_.erase(folder);
  targetTokenizers_.erase(folder);
  tokenizers_.erase(place.model.string());
}

formats::TokenizerPtr OpenModels::names(const std::string& folder) {
  if (!formats::hasTokenizer(withTokenizer(folder))) return nullptr;
  try {
    return tokenizer(folder);
  } catch (const UserError&) {
    return nullptr;
  }
}

void addNotes(Json& json, const model::ModelNotes& notes) {
  Json fields = Json::emptyObject();
  for (const auto& [name, value] : notes.unknownFields) fields[name] = parseJson(value);
  json["unknown_fields"] = std::move(fields);
  json["unused_tensors"] = notes.unusedTensors;
  json["notes"] = notes.sentences();
}

}  // namespace headscope::cli
