#include "core/formats/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/document/document.h"
#include "core/editing/make_document.h"
#include "core/formats/cell_changes.h"
#include "core/formats/document_json.h"
#include "core/formats/session_json.h"

namespace headscope::formats {
namespace {

const std::string kLinkName = "the link";
constexpr Index kMostNumbers = 20'000;  // about 100 KB of an address
constexpr std::size_t kMostLinkBytes = std::size_t{4} << 20;

Json wholeTensor(const Tensor& tensor) {
  const Tensor dense = tensor.contiguous() ? tensor : tensor.clone();
  return {{"shape", dense.shape()},
          {"values", std::vector<float>(dense.data(), dense.data() + dense.size())}};
}

[[noreturn]] void refuseMore(const std::string& tensor) {
  throw UserError(
      fmt::format("a link holds at most {} numbers besides those that are drawn from a seed, and "
                  "{} has more: save the session as a file",
                  withThousands(kMostNumbers), tensor));
}

using Tensors = std::map<std::string, Tensor>;

Tensors drawnTensors(const Session& session, Index budget, const WeightMaker& make) {
  Tensors all;
  const auto add = [&](const Document& d, const std::string& name) {
    if (!d.weightSource.loadedFrom.empty()) return;
    const DocumentPtr drawn = makeDocument(d.preset, d.config, *d.source, d.positions,
                                           d.weightSource, budget, true, make);
    for (NamedTensor& tensor : documentTensors(*drawn, name)) {
      all.emplace(tensor.name, std::move(tensor.tensor));
    }
  };
  add(*session.document, kNameOfDocument);
  for (const SavedScene& scene : session.scenes) add(*scene.document, nameOfScene(scene.number));
  return all;
}

Tensor tensorOfLink(const JsonField& field) {
  Shape shape;
  Index count = 1;
  for (const JsonField& size : field.at("shape").items()) {
    if (shape.size() == Shape::kMostAxes) size.fail("is one axis too many");
    shape.append(size.whole());
    if (shape.back() < 1 || shape.back() > kMostNumbers) size.fail("is not a size of a tensor");
    count = std::min(count * shape.back(), kMostNumbers + 1);
  }
  const JsonField values = field.at("values");
  if (count != std::ssize(values.list())) values.fail("are not as many as the shape requires");
  return Tensor::fromValues(shape, values.floats());
}

/// Provides a document's tensors: they are drawn again and changed by the link's own cells.
void giveTensors(const JsonField& file, const JsonField& document, const std::string& name,
                 TensorsToRead& tensors, Index budget, const WeightMaker& make) {
  if (!document.at("weights").at("loaded_from").text().empty()) return;
  const DocumentPtr drawn = documentFromSeeds(document, tensors, budget, make);
  for (NamedTensor& tensor : documentTensors(*drawn, name)) {
    if (tensors.given(tensor.name) != nullptr) continue;
    const auto own = file.at("own").find(tensor.name);
    tensors.give(tensor.name,
                 own ? withCells(tensor.tensor, cellsFrom(own->at("cells"), tensor.tensor.size()))
                     : tensor.tensor);
  }
}

}  // namespace

void drawForLink(const Session& session, Index memoryBudget, const WeightMaker& make) {
  drawnTensors(session, memoryBudget, make);
}

std::string linkText(const Session& session, Index memoryBudget, const WeightMaker& make) {
  TensorsToSave tensors;
  std::string leftOut;
  Json json = sessionJson(session, tensors, leftOut);
  if (!leftOut.empty()) throw UserError(leftOut);
  const Tensors drawn = drawnTensors(session, memoryBudget, make);
  Json own = Json::emptyObject();
  Index numbers = 0;
  for (const auto& [name, tensor] : tensors.all()) {
    const auto base = drawn.find(name);
    if (base != drawn.end() && base->second.shape() == tensor.shape()) {
      const auto cells = changedCells(tensor, base->second, kMostNumbers);
      numbers += std::ssize(cells);
      if (numbers > kMostNumbers) refuseMore(name);
      if (!cells.empty()) own[name] = {{"cells", cellsJson(cells)}};
    } else {
      numbers += tensor.size();
      if (numbers > kMostNumbers) refuseMore(name);
      own[name] = wholeTensor(tensor);
    }
  }
  json["own"] = std::move(own);
  json["origin"] = "";
  return json.dump();
}

Session sessionFromLink(const std::string& text, Index memoryBudget, const WeightMaker& make) {
  if (text.size() > kMostLinkBytes)
    throw UserError("the link is longer than any that headscope makes");
  const Json json = sessionIn(text, kLinkName);
  return readWhole(json, kLinkName, [&](const JsonField& file) {
    requireVersion(file, kLinkName);
    static_cast<void>(file.find("tensors"));  // the name of a tensor file, unused in a link
    TensorsToRead tensors(memoryBudget);
    const JsonField own = file.at("own");
    for (const auto& [name, field] : own.fields()) {
      if (field.find("shape")) tensors.give(name, tensorOfLink(field));
    }
    giveTensors(file, file.at("document"), kNameOfDocument, tensors, memoryBudget, make);
    for (const JsonField& scene : file.at("scenes").items()) {
      const auto number = static_cast<int>(scene.at("number").whole());
      giveTensors(file, scene.at("document"), nameOfScene(number), tensors, memoryBudget, make);
    }
    return sessionFrom(file, tensors, memoryBudget);
  });
}

}  // namespace headscope::formats
