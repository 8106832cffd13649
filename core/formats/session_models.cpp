#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/document/document.h"
#include "core/formats/model_edits.h"
#include "core/formats/session_json.h"

namespace headscope::formats {
namespace {

struct NamedDocument {
  std::string name;
  DocumentPtr document;
};

std::vector<NamedDocument> documentsOf(const Session& session) {
  std::vector<NamedDocument> all{{kNameOfDocument, session.document}};
  for (const SavedScene& scene : session.scenes) {
    all.push_back({nameOfScene(scene.number), scene.document});
  }
  return all;
}

/// The layer of which the document is the original or an edit; null: none.
const ShownLayer* layerOf(const Document& document, const SavedModel& model) {
  const auto found =
      std::find_if(model.shown.rbegin(), model.shown.rend(), [&](const ShownLayer& shown) {
        return shown.document->source == document.source &&
               shown.document->input->x.sameAs(document.input->x);
      });
  return found == model.shown.rend() ? nullptr : &*found;
}

Json shownJson(const std::string& name, const ShownLayer& shown) {
  Json json = {{"document", name}, {"layer", shown.layer}, {"ids", shown.input.ids}};
  if (!shown.input.types.empty()) json["types"] = shown.input.types;
  return json;
}

std::vector<ShownLayer> shownFrom(const JsonField& field, const Session& session) {
  const std::vector<NamedDocument> documents = documentsOf(session);
  std::vector<ShownLayer> all;
  for (const JsonField& item : field.items()) {
    const JsonField name = item.at("document");
    const auto found = std::ranges::find(documents, name.text(), &NamedDocument::name);
    if (found == documents.end()) name.fail("names no document of the session");
    const JsonField layer = item.at("layer");
    if (layer.whole() < 0) layer.fail("must be 0 or more");
    model::ModelInput input{item.at("ids").wholes(), {}, found->document->input->tokens.front()};
    if (const auto types = item.find("types")) input.types = types->wholes();
    all.push_back({found->document, layer.whole(), std::move(input)});
  }
  return all;
}

}  // namespace

bool SavedModel::edited() const {
  if (kept == nullptr) return !off.empty() || !document->edited.empty();
  return std::ranges::any_of(kept->layers, [](const auto& layer) {
    return layer.second.edited.has_value() || !layer.second.headsOff.empty();
  });
}

Json modelsJson(const Session& session, TensorsToSave& tensors, std::string& leftOut) {
  Json models = Json::emptyList();
  const std::vector<NamedDocument> documents = documentsOf(session);
  for (const auto& model : session.models) {
    Json shown = Json::emptyList();
    std::vector<Index> layers;
    for (const NamedDocument& named : documents) {
      const ShownLayer* layer = layerOf(*named.document, *model);
      if (layer == nullptr) continue;
      shown.push_back(shownJson(named.name, *layer));
      layers.push_back(layer->layer);
    }
    if (!model->edited() && layers.empty()) continue;
    const std::string name = fmt::format("model {}", models.list()->size() + 1);
    try {
      Json json = modelEditsJson(model->kept != nullptr ? *model->kept
                                                        : editsOf(model->folder, *model->document,
                                                                  model->off, layers, model->stack),
                                 name, tensors);
      json["shown"] = std::move(shown);
      models.push_back(std::move(json));
    } catch (const UserError& error) {
      leftOut = fmt::format("the edits of {}: {}", model->document->model->name(), error.what());
    }
  }
  return models;
}

SavedModels modelsFrom(const JsonField& field, const Session& session, TensorsToRead& tensors,
                       Index memoryBudget) {
  SavedModels models;
  for (const JsonField& item : field.items()) {
    auto kept = std::make_shared<const ModelEdits>(modelEditsFrom(item, tensors, memoryBudget));
    SavedModel model{kept->folder, kept->stack};
    model.kept = kept;
    model.shown = shownFrom(item.at("shown"), session);
    model.version = std::move(kept);
    models.push_back(std::make_shared<const SavedModel>(std::move(model)));
  }
  return models;
}

}  // namespace headscope::formats
