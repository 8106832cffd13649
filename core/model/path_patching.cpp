#include "core/model/path_patching.h"

#include <fmt/format.h>

#include <utility>

#include "core/attention/config.h"
#include "core/base/error.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/model/blocks.h"
#include "core/model/head_changes.h"
#include "core/model/steering.h"

namespace headscope::model {
namespace {

void requirePath(const ModelTrace& base, const Patch& sender, const Receiver& to) {
  const ModelConfig& c = base.config();
  const std::string& name = base.document().model->name();
  const bool ofHead = isSide(to.site);
  const Index heads = to.site == Site::q ? c.heads : c.kvHeads;
  if (!ofHead || to.layer < 0 || to.layer >= c.layers || to.head < 0 || to.head >= heads) {
    throw UserError(
        fmt::format("there is no receiver {}.{}:{}: {} has the layers 0 to {} with {} 0 to {} each",
                    to.layer, to.head, nameOf(to.site), name, c.layers - 1,
                    to.site == Site::q ? "heads" : "key/value heads", heads - 1));
  }
  if (sender.site == Site::heads && sender.layer < to.layer) return;
  throw UserError(fmt::format(
      "layer {} sends nothing to layer {}: a path leads from a head of an earlier layer",
      sender.layer, to.layer));
}

}  // namespace

Tensor valuesThrough(const ModelTrace& base, const Patch& sender, const Receiver& to,
                     const ExecutionContext& execution) {
  requirePath(base, sender, to);
  const ModelConfig& c = base.config();
  const ModelDocument& document = base.document();
  Tensor stream = base.hidden(2 * sender.layer);
  for (Index layer = sender.layer; layer < to.layer; ++layer) {
    const LayerWeightsPtr weights = document.model->layer(layer);
    const Tensor half =
        layer == sender.layer
            ? halfWithChanges(base, layer, headChanges(base, sender, execution), execution)
            : afterAttention(stream, base.layer(layer)->tensor(TensorId::output), *weights, c,
                             execution);
    stream = steered(document, layer + 1, afterNetwork(stream, half, *weights, c, execution), 0,
                     base.tokens());
  }
  Tensor x = attentionInput(stream, *document.model->layer(to.layer), c, execution);
  if (execution.stop()) return {};
  const TracePtr attention = runLayerAttention(
      layerDocument(document, to.layer, std::move(x), ScoreStorage::weights), nullptr, execution);
  if (attention == nullptr) return {};
  const Tensor& all = attention->tensor(tensorOf(to.site));
  return all.slice(1, to.head, to.head + 1).clone().reshaped({all.dim(2), all.dim(3)});
}

std::vector<Patch> patchesThrough(const ModelTrace& base, const std::vector<Patch>& senders,
                                  const Receiver& to, const ExecutionContext& execution) {
  std::vector<Patch> patches;
  for (const Patch& sender : senders) {
    Tensor rows = valuesThrough(base, sender, to, execution);
    if (execution.stop()) break;
    patches.push_back({to.site, to.layer, to.head, Patch::kEveryPlace, std::move(rows)});
  }
  return patches;
}

}  // namespace headscope::model
