#include "core/model/steering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/base/translation.h"
#include "core/model/stream_parts.h"

namespace headscope::model {
namespace {

void requireSteeredLayer(const Model& model, Index layer) {
  if (layer >= 0 && layer < model.config().layers) return;
  throw UserError(trFormat("there is no layer {}: {} has the layers 0 to {}", layer, model.name(),
                           model.config().layers - 1));
}

void requirePlace(Index place, Index tokens) {
  if (place >= 0 && place < tokens) return;
  throw UserError(
      trFormat("there is no token {}: the text has the tokens 0 to {}", place, tokens - 1));
}

bool steers(const Steering& steering, Index layer, Index place) {
  return steering.layer == layer &&
         (steering.place == Steering::kEveryPlace || steering.place == place);
}

}  // namespace

ModelDocumentPtr withSteering(const ModelDocument& document, Steering steering) {
  requireSteeredLayer(*document.model, steering.layer);
  if (steering.place != Steering::kEveryPlace) requirePlace(steering.place, document.tokens());
  const Index width = document.model->config().dModel;
  if (std::ssize(steering.addition) != width) {
    throw UserError(
        trFormat("the direction has {} coordinates, and the residual stream of {} "
                 "has {}: give a direction of this model",
                 steering.addition.size(), document.model->name(), width));
  }
  if (!std::ranges::all_of(steering.addition, [](float x) { return std::isfinite(x); })) {
    throw UserError(tr("the direction times its strength is not finite: give a smaller strength"));
  }
  const auto next = std::make_shared<ModelDocument>(document);
  next->steering.push_back(std::move(steering));
  return next;
}

std::vector<float> additionAt(const ModelDocument& document, Index layer, Index place) {
  std::vector<float> sum;
  for (const Steering& each : document.steering) {
    if (!steers(each, layer, place)) continue;
    sum.resize(each.addition.size(), 0.0F);
    std::ranges::transform(sum, each.addition, sum.begin(), std::plus());
  }
  return sum;
}

Tensor steered(const ModelDocument& document, Index layer, const Tensor& stream, Index firstPlace,
               Index tokens) {
  const bool none = std::ranges::none_of(document.steering,
                                         [&](const Steering& each) { return each.layer == layer; });
  if (none) return stream;
  Tensor sum = stream.clone();
  for (Index row = 0; row < sum.dim(1); ++row) {
    const std::vector<float> added = additionAt(document, layer, firstPlace + row % tokens);
    if (added.empty()) continue;
    const std::span<float> to = sum.mutableMatrix({0}).row(row);
    std::ranges::transform(to, added, to.begin(), std::plus());
  }
  return sum;
}

bool sameSteering(const ModelDocument& a, const ModelDocument& b, Index layer) {
  const auto inLayer = [&](const ModelDocument& document) {
    std::vector<Steering> found;
    std::ranges::copy_if(document.steering, std::back_inserter(found),
                         [&](const Steering& each) { return each.layer == layer; });
    return found;
  };
  return inLayer(a) == inLayer(b);
}

std::vector<float> streamAt(const ModelTrace& trace, Index layer, Index place) {
  requireSteeredLayer(*trace.document().model, layer);
  requirePlace(place, trace.tokens());
  const Tensor stream = trace.hidden(2 * layer);
  const auto row = stream.matrix({0}).row(place);
  return {row.begin(), row.end()};
}

std::vector<float> headAdditionAt(const ModelTrace& trace, HeadOfLayer head, Index place) {
  requireSteeredLayer(*trace.document().model, head.layer);
  requirePlace(place, trace.tokens());
  const StreamParts parts = streamParts(trace, head.layer + 1, place);
  for (std::size_t i = 0; i < parts.writers.size(); ++i) {
    if (!(parts.writers[i] == Writer{WriterKind::head, head.layer, head.head})) continue;
    const std::span<const double> row = parts.rows.row(static_cast<Index>(i));
    return {row.begin(), row.end()};
  }
  throw UserError(trFormat("there is no head {}: each layer of {} has the heads 0 to {}", head.head,
                           trace.document().model->name(), trace.config().heads - 1));
}

std::vector<float> addition(double strength, const std::vector<float>& direction,
                            const std::vector<float>& from) {
  std::vector<float> sum(direction.size());
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const double start = from.empty() ? 0.0 : static_cast<double>(from[i]);
    sum[i] = static_cast<float>(strength * (static_cast<double>(direction[i]) - start));
  }
  return sum;
}

double lengthOf(const std::vector<float>& direction) {
  double squares = 0.0;
  for (const float x : direction) squares += static_cast<double>(x) * static_cast<double>(x);
  return std::sqrt(squares);
}

}  // namespace headscope::model
