#include "core/model/path_patching.h"

#include <fmt/format.h>

#include <utility>

#include "core/attention/config.h"
#include "core/base/error.h"
#include "core/base/translation.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/model/blocks.h"
#include "core/model/head_changes.h"
#include "core/model/norms.h"
#include "core/model/steering.h"

namespace headscope::model {
namespace {

void requirePath(const ModelTrace& base, const Patch& sender, const Receiver& to) {
  const ModelConfig& c = passOf(base, to.stack).config();
  const std::string& name = base.document().model->name();
  const bool ofHead = isSide(to.site);
  const Index heads = to.site == Site::q ? c.heads : c.kvHeads;
  if (!ofHead || to.layer < 0 || to.layer >= c.layers || to.head < 0 || to.head >= heads) {
    throw UserError(
        trFormat("there is no receiver {}.{}:{}: {} has the layers 0 to {} with {} 0 to {} each",
                 to.layer, to.head, nameOf(to.site), name, c.layers - 1,
                 to.site == Site::q ? tr("heads") : tr("key/value heads"), heads - 1));
  }
  if (sender.site == Site::heads && reaches(base.config(), sender, to)) return;
  const bool within = sender.stack == to.stack;
  throw UserError(trFormat(
      "layer {} sends nothing to layer {}: a path leads from a head of an earlier layer{}",
      sender.layer, to.layer,
      within ? "" : tr(", and from the encoder to the keys and values of cross-attention")));
}

/// The stream of a stack that enters layer `end` with a head patched and the outputs of all other
/// heads held.
Tensor streamWith(const ModelTrace& pass, const Patch& sender, Index end,
                  const ExecutionContext& execution) {
  const ModelConfig& c = pass.config();
  const ModelDocument& document = pass.document();
  Tensor stream = pass.hidden(2 * sender.layer);
  for (Index layer = sender.layer; layer < end; ++layer) {
    const LayerWeightsPtr weights = document.model->layer(layer);
    const Tensor half =
        layer == sender.layer
            ? halfWithChanges(pass, layer, headChanges(pass, sender, execution), execution)
            : afterAttention(stream, pass.layer(layer)->tensor(TensorId::output), *weights, c,
                             execution);
    stream = steered(document, layer + 1, afterNetwork(stream, half, *weights, c, execution), 0,
                     pass.tokens());
  }
  return stream;
}

}  // namespace

bool reaches(const ModelConfig& config, const Patch& sender, const Receiver& to) {
  if (sender.stack == to.stack) return sender.layer < to.layer;
  const bool ofMemory = to.stack == Stack::decoder && config.readsMemory(to.layer);
  return ofMemory && to.site != Site::q;
}

Tensor valuesThrough(const ModelTrace& base, const Patch& sender, const Receiver& to,
                     const ExecutionContext& execution) {
  requirePath(base, sender, to);
  const ModelTrace& from = passOf(base, sender.stack);
  const ModelTrace& into = passOf(base, to.stack);
  const bool across = sender.stack != to.stack;
  const Tensor sent = streamWith(from, sender, across ? from.layers() : to.layer, execution);
  const Tensor& stream = across ? into.hidden(2 * to.layer) : sent;
  Tensor memory;
  if (across) {
    memory = normalized(sent, from.document().model->readout()->norm, from.config(), execution);
  }
  Tensor x =
      attentionInput(stream, *into.document().model->layer(to.layer), into.config(), execution);
  if (execution.stop()) return {};
  const TracePtr attention = runLayerAttention(
      layerDocument(into.document(), to.layer, std::move(x), ScoreStorage::weights, memory),
      nullptr, execution);
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
    patches.push_back({to.site, to.layer, to.head, Patch::kEveryPlace, std::move(rows), to.stack});
  }
  return patches;
}

}  // namespace headscope::model
