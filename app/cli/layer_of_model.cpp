#include "app/cli/layer_of_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <utility>

#include "app/cli/config_options.h"
#include "app/cli/model_text.h"
#include "app/ui/ids.h"
#include "app/ui/model/chosen_head.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/document/document.h"
#include "core/formats/model_edits.h"
#include "core/formats/shipped_model.h"
#include "core/model/model_edits.h"
#include "core/platform/paths.h"

namespace headscope::cli {
namespace {

/// Tokens as the page's field takes them.
std::string textOf(const std::vector<Index>& ids, const formats::TokenizerPtr& tokenizer) {
  if (tokenizer == nullptr) return fmt::format("{}", fmt::join(ids, ", "));
  return tokenizer->decode({ids.begin(), ids.end()});
}

std::string absoluteUnlessShipped(const std::filesystem::path& path) {
  return formats::isShipped(path) ? path.string() : platform::absolutePath(path).string();
}

}  // namespace

LayerOfModel layerOfModel(const PassOptions& o) {
  const std::string other = !o.session.empty() ? "--session" : o.modelContradiction;
  if (!other.empty()) {
    throw UserError(fmt::format(
        "--model gives the pass, and {} describes it too: leave one of them out", other));
  }
  refuseIf(!o.layer, "--model has several layers: choose one with --layer N, from 0");
  refuseIf(o.texts.size() > 1, "--model runs on one text: give --text once");
  refuseIf(o.image.given() && !o.texts.empty(),
           "--text and --image or --pixels both give what the model reads: leave one of them out");
  refuseIf(o.image.given() && !o.ids.empty(),
           "--ids and --image or --pixels both give what the model reads: leave one of them out");
  ModelTextOptions text;
  if (!o.texts.empty()) text.texts = {o.texts.front()};
  const Index budget = defaultMemoryBudget();
  OpenModels models;
  const formats::AdaptedFolder place = adaptedFolderFrom(o.model, o.adapter);
  const model::ModelPtr model =
      models.model(place, budget / 2, o.strict, encoderFor(place.model.string(), o.image.given()));
  refuseTarget(o.target, *model);
  const bool two = model->encoder() != nullptr;
  refuseIf(two && o.attention.empty(),
           "--model has an encoder and a decoder: say whose attention with --attention encoder, "
           "decoder or cross");
  refuseIf(!two && !o.attention.empty(),
           "--attention is for a model with an encoder and a decoder: leave it out");
  const model::ModelPtr& first = two ? model->encoder() : model;
  const std::string folder = place.model.string();
  requireImage(o.image, folder, *first);
  const Index layers = (o.attention == "encoder" ? first : model)->config().depth();
  if (*o.layer < 0 || *o.layer >= layers) {
    throw UserError(
        fmt::format("--layer {}: {} has the layers 0 to {}", *o.layer, model->name(), layers - 1));
  }
  ExecutionContext execution;
  execution.threads = o.threads;
  auto trace = model::runModel(
      model::makeModelDocument(
          first, o.image.given() ? imageInputFrom(o.image, folder, *first)
                                 : modelInput(models, folder, text, o.ids, first->config())),
      nullptr, execution, budget / 2);
  LayerOfModel found;
  found.layer = *o.layer;
  if (two && o.attention == "encoder") found.stack = model::Stack::encoder;
  if (two && found.stack == model::Stack::decoder) {
    Target target = targetOf(o.target, models, folder, emptyTarget(model, trace), {}, execution);
    trace = model::runModel(model::makeModelDocument(model, std::move(target.input), trace),
                            nullptr, execution, budget / 2);
    found.layer = 2 * found.layer + (o.attention == "cross" ? 1 : 0);
  }
  found.document = trace->documentOfLayer(found.layer, budget);
  found.folder = place.model;
  found.trace = std::move(trace);
  return found;
}

void openWithModel(AppOptions& app, const PassOptions& o) {
  const LayerOfModel layer = layerOfModel(o);
  app.document = withChanges(layer.document, o, *o.layer);
  if (!o.image.pixels.empty()) return;
  OpenModels models;
  const std::string folder = layer.folder.string();
  ui::ModelPlace& place = app.view.model.place;
  place.folder = absoluteUnlessShipped(layer.folder);
  const formats::AdaptedFolder adapted = adaptedFolderFrom(o.model, o.adapter);
  if (!adapted.adapter.folder.empty()) {
    place.adapter = platform::absolutePath(adapted.adapter.folder).string();
    place.adapterStrength = adapted.adapter.strength;
  }
  place.text = o.image.given()    ? absoluteUnlessShipped(o.image.image)
               : !o.texts.empty() ? o.texts.front()
                                  : textOf(o.ids, models.names(folder));
  if (o.target.text) place.target = *o.target.text;
  if (!o.target.ids.empty()) place.target = textOf(o.target.ids, models.targetNames(folder));

  // as the page notes the changes of a layer: heads that are off by themselves
  const model::ModelDocument& of = layer.trace->document();
  model::ModelDocumentPtr changed = withLayer(of, layer.layer, *app.document);
  std::vector<HeadOfLayer> off;
  if (!model::isEdited(*changed, layer.layer)) {
    off = model::headsOff(*changed);
    changed = model::withoutEdits(*changed, layer.layer);
  }
  formats::SavedModel saved{place.folder, layer.stack};
  saved.kept = std::make_shared<const formats::ModelEdits>(
      formats::editsOf(place.folder, *changed, off, {layer.layer}, layer.stack));
  saved.shown.push_back({app.document, layer.layer, of.input});
  app.models.push_back(std::make_shared<const formats::SavedModel>(std::move(saved)));
  ui::chooseHead(app.view.model, of.model->config(), layer.stack, {layer.layer, 0});
  app.view.selection.page = ui::kFlowPage;
}

}  // namespace headscope::cli
