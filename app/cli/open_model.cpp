#include "app/cli/open_model.h"

#include <iostream>

#include "core/base/error.h"
#include "core/formats/model_directory.h"
#include "core/formats/tokenizer_files.h"

namespace headscope::cli {

model::ModelPtr openModelFolder(const std::string& folder, Index layerBudgetBytes, bool strict) {
  model::ModelPtr model = formats::openModel(folder, layerBudgetBytes);
  if (strict) refuseNotes(model->notes(), folder);
  for (const std::string& sentence : model->notes().sentences()) {
    std::cerr << "note: " << folder << ": " << sentence << '\n';
  }
  return model;
}

model::ModelPtr OpenModels::model(const std::string& folder, Index layerBudgetBytes, bool strict) {
  const auto found = folders_.find(folder);
  if (found == folders_.end() || found->second.model == nullptr) {
    model::ModelPtr opened = openModelFolder(folder, layerBudgetBytes, strict);
    return folders_[folder].model = std::move(opened);
  }
  if (strict) refuseNotes(found->second.model->notes(), folder);
  return found->second.model;
}

formats::TokenizerPtr OpenModels::tokenizer(const std::string& folder) {
  const auto found = folders_.find(folder);
  if (found != folders_.end() && found->second.tokenizer != nullptr) return found->second.tokenizer;
  formats::TokenizerPtr opened = formats::openTokenizer(folder);
  return folders_[folder].tokenizer = std::move(opened);
}

formats::TokenizerPtr OpenModels::names(const std::string& folder) {
  if (!formats::hasTokenizer(folder)) return nullptr;
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
