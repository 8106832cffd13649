#include "core/formats/link.h"

#include <fmt/format.h>

#include <bit>
#include <map>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/formats/document_json.h"
#include "core/formats/session_json.h"
#include "core/ledger.h"

namespace headscope::formats {
namespace {

const std::string kLinkName = "the link";
constexpr const char* kDocumentName = "document";
constexpr Index kMostNumbers = 20'000;  // some 100 KB of an address
constexpr std::size_t kMostLinkBytes = std::size_t{4} << 20;

/// The cells in which a tensor differs from another of its shape: [[index, value], …].
Json changedCells(const Tensor& tensor, const Tensor& base) {
  Json cells = Json::emptyList();
  const Tensor now = tensor.contiguous() ? tensor : tensor.clone();
  const Tensor before = base.contiguous() ? base : base.clone();
  Index count = 0;
  for (Index i = 0; i < now.size() && count <= kMostNumbers; ++i) {
    if (std::bit_cast<std::uint32_t>(now.data()[i]) ==
        std::bit_cast<std::uint32_t>(before.data()[i])) {
      continue;
    }
    Json cell = Json::emptyList();
    cell.push_back(i);
    cell.push_back(now.data()[i]);
    cells.push_back(std::move(cell));
    ++count;
  }
  return cells;
}

Json wholeTensor(const Tensor& tensor) {
  const Tensor dense = tensor.contiguous() ? tensor : tensor.clone();
  return {{"shape", dense.shape()},
          {"values", std::vector<float>(dense.data(), dense.data() + dense.size())}};
}

[[noreturn]] void refuseMore(const std::string& tensor) {
  throw UserError(
      fmt::format("a link holds what can be drawn anew and at most {} numbers beside it, and {} "
                  "has more of its "
                  "own: save the session as a file",
                  withThousands(kMostNumbers), tensor));
}

using Tensors = std::map<std::string, Tensor>;

Tensors drawnTensors(const Session& session, Index budget) {
  Tensors all;
  const auto add = [&](const Document& d, const std::string& name) {
    if (!d.weightSource.loadedFrom.empty()) return;
    const DocumentPtr drawn =
        makeDocument(d.preset, d.config, *d.source, d.positions, d.weightSource, budget, true);
    for (NamedTensor& tensor : documentTensors(*drawn, name)) {
      all.emplace(tensor.name, std::move(tensor.tensor));
    }
  };
  add(*session.document, kDocumentName);
  for (const SavedScene& scene : session.scenes) add(*scene.document, nameOfScene(scene.number));
  return all;
}

Tensor tensorOfLink(const JsonField& field) {
  Shape shape;
  Index count = 1;
  for (const JsonField& size : field.at("shape").items()) {
    if (shape.size() == Shape::kMostAxes) size.fail("is one axis too many");
    shape.append(size.whole());
    if (shape.back() < 1 || shape.back() > kMostNumbers) size.fail("is no size of a tensor");
    count = std::min(count * shape.back(), kMostNumbers + 1);
  }
  const auto values = field.at("values").items();
  if (count != std::ssize(values)) field.at("values").fail("are not as many as the shape says");
  std::vector<float> numbers;
  for (const JsonField& value : values) numbers.push_back(static_cast<float>(value.number()));
  return Tensor::fromValues(shape, numbers);
}

Tensor withCells(const Tensor& base, const JsonField& cells) {
  Tensor tensor = base.clone();
  for (const JsonField& cell : cells.items()) {
    const auto parts = cell.items();
    if (parts.size() != 2) cell.fail("must be a place and a value");
    const Index at = parts[0].whole();
    if (at < 0 || at >= tensor.size()) parts[0].fail("is no place of the tensor");
    tensor.mutableData()[at] = static_cast<float>(parts[1].number());
  }
  return tensor;
}

/// What `drawnTensors` and the link's own numbers make of the document.
void giveTensors(const JsonField& file, const JsonField& document, const std::string& name,
                 TensorsToRead& tensors, Index budget) {
  if (!document.at("weights").at("loaded_from").text().empty()) return;
  const DocumentPtr drawn = drawnAnew(document, tensors, budget);
  for (NamedTensor& tensor : documentTensors(*drawn, name)) {
    if (tensors.given(tensor.name) != nullptr) continue;
    const auto own = file.at("own").find(tensor.name);
    tensors.give(tensor.name, own ? withCells(tensor.tensor, own->at("cells")) : tensor.tensor);
  }
}

}  // namespace

std::string linkText(const Session& session, Index memoryBudget) {
  TensorsToSave tensors;
  Json json = sessionJson(session, tensors);
  const Tensors drawn = drawnTensors(session, memoryBudget);
  Json own = Json::emptyObject();
  Index numbers = 0;
  for (const auto& [name, tensor] : tensors.all()) {
    const auto base = drawn.find(name);
    if (base != drawn.end() && base->second.shape() == tensor.shape()) {
      Json cells = changedCells(tensor, base->second);
      const Index count = std::ssize(*cells.list());
      numbers += count;
      if (numbers > kMostNumbers) refuseMore(name);
      if (count > 0) own[name] = {{"cells", std::move(cells)}};
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

Session sessionFromLink(const std::string& text, Index memoryBudget) {
  if (text.size() > kMostLinkBytes) throw UserError("the link is longer than any that is made");
  const Json json = sessionIn(text, kLinkName);
  return readWhole(json, kLinkName, [&](const JsonField& file) {
    requireVersion(file, kLinkName);
    static_cast<void>(file.find("tensors"));  // the name of a file, which a link does without
    TensorsToRead tensors(memoryBudget);
    const JsonField own = file.at("own");
    for (const auto& [name, field] : own.fields()) {
      if (field.find("shape")) tensors.give(name, tensorOfLink(field));
    }
    giveTensors(file, file.at("document"), kDocumentName, tensors, memoryBudget);
    for (const JsonField& scene : file.at("scenes").items()) {
      const auto number = static_cast<int>(scene.at("number").whole());
      giveTensors(file, scene.at("document"), nameOfScene(number), tensors, memoryBudget);
    }
    return sessionFrom(file, tensors, memoryBudget);
  });
}

}  // namespace headscope::formats
