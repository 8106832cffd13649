#include "core/model/sites.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/base/error.h"
#include "core/document/trace.h"
#include "core/model/blocks.h"
#include "core/model/network.h"

namespace headscope::model {
Tensor valuesInLayer(Site site, const ModelTrace& trace, Index layer,
                     const ExecutionContext& execution) {
  const auto weights = [&] { return trace.document().model->layer(layer); };
  switch (site) {
    case Site::q:
      return trace.layer(layer)->tensor(TensorId::q).clone();
    case Site::k:
      return trace.layer(layer)->tensor(TensorId::k).clone();
    case Site::v:
      return trace.layer(layer)->tensor(TensorId::v).clone();
    case Site::heads:
      return trace.layer(layer)->tensor(TensorId::heads).clone();
    case Site::residual:
      return trace.hidden(2 * layer);
    case Site::attention:
      return attentionAddition(trace.layer(layer)->tensor(TensorId::output), *weights(),
                               trace.config(), execution);
    case Site::residualMid:
      return trace.hidden(2 * layer + 1);
    case Site::networkInput:
      return networkInput(trace.hidden(2 * layer), trace.hidden(2 * layer + 1), *weights(),
                          trace.config(), execution);
    case Site::neurons:
      return networkActivations(valuesInLayer(Site::networkInput, trace, layer, execution),
                                weights()->feedForward, trace.config(), execution);
    case Site::network:
      break;
  }
  return networkAddition(trace.hidden(2 * layer), trace.hidden(2 * layer + 1), *weights(),
                         trace.config(), execution);
}

Tensor valuesOfPart(const ModelTrace& trace, Site site, Index layer, Index head) {
  const Tensor all = valuesInLayer(site, trace, layer);
  const Shape& s = all.shape();
  if (!isOfHeads(site)) return all.reshaped({s[1], s[2]});
  return all.slice(1, head, head + 1).clone().reshaped({s[2], s[3]});
}

TensorId tensorOf(Site side) {
  return side == Site::q ? TensorId::q : side == Site::k ? TensorId::k : TensorId::v;
}

std::string_view nameOf(Site site) {
  switch (site) {
    case Site::q:
      return "q";
    case Site::k:
      return "k";
    case Site::v:
      return "v";
    case Site::heads:
      return "heads";
    case Site::residual:
      return "residual";
    case Site::attention:
      return "attention";
    case Site::residualMid:
      return "residual_mid";
    case Site::networkInput:
      return "network_input";
    case Site::neurons:
      return "neurons";
    case Site::network:
      break;
  }
  return "network";
}

Site siteFromName(std::string_view name) {
  const auto found = std::ranges::find(kSites, name, nameOf);
  if (found != kSites.end()) return *found;
  std::vector<std::string_view> names;
  for (const Site site : kSites) names.push_back(nameOf(site));
  throw UserError(
      fmt::format("there is no site '{}': the sites are {}", name, fmt::join(names, ", ")));
}

std::string whyWithout(Site site, const Model& model) {
  const ModelConfig& c = model.config();
  if (isOfNetwork(site) && c.attentionOnly) {
    return fmt::format("{} has attention alone, without networks: leave out the site {}",
                       model.name(), nameOf(site));
  }
  if (site == Site::neurons && c.experts.count > 0) {
    return fmt::format(
        "{} has mixtures of experts, whose neurons differ from token to token: leave out the site "
        "{}",
        model.name(), nameOf(site));
  }
  return {};
}

Shape shapeOf(Site site, const ModelTrace& trace) {
  const ModelConfig& c = trace.config();
  if (site == Site::neurons) return {c.layers, trace.tokens(), c.ffWidth};
  if (!isOfHeads(site)) return {c.layers, trace.tokens(), c.dModel};
  const bool shared = site == Site::k || site == Site::v;
  return {c.layers, shared ? c.kvHeads : c.heads, trace.tokens(), c.headDim};
}

Tensor valuesOf(Site site, const ModelTrace& trace, const ExecutionContext& execution) {
  if (trace.config().crossAttention) {
    throw UserError(fmt::format(
        "the keys of {}'s cross-attention are of the source text, so that its sites have no one "
        "shape: read its layers one by one",
        trace.document().model->name()));
  }
  const std::string why = whyWithout(site, *trace.document().model);
  if (!why.empty()) throw UserError(why);
  Tensor all = Tensor::uninitialised(shapeOf(site, trace));
  float* to = all.mutableData();
  for (Index layer = 0; layer < trace.layers() && !execution.stop(); ++layer) {
    const Tensor values = valuesInLayer(site, trace, layer, execution);
    to = std::copy_n(values.data(), values.size(), to);
  }
  return all;
}

}  // namespace headscope::model
