#include "app/cli/open_model.h"

#include <iostream>

#include "core/formats/model_directory.h"

namespace headscope::cli {

model::ModelPtr openModelFolder(const std::string& folder, Index layerBudgetBytes, bool strict) {
  model::ModelPtr model = formats::openModel(folder, layerBudgetBytes);
  if (strict) refuseNotes(model->notes(), folder);
  for (const std::string& sentence : model->notes().sentences()) {
    std::cerr << "note: " << folder << ": " << sentence << '\n';
  }
  return model;
}

void addNotes(Json& json, const model::ModelNotes& notes) {
  Json fields = Json::emptyObject();
  for (const auto& [name, value] : notes.unknownFields) fields[name] = parseJson(value);
  json["unknown_fields"] = std::move(fields);
  json["unused_tensors"] = notes.unusedTensors;
  json["notes"] = notes.sentences();
}

}  // namespace headscope::cli
