#include "app/ui/flow/flow_parts.h"

#include <fmt/format.h>

#include <array>

#include "app/ui/head_switch.h"
#include "app/ui/selection.h"
#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/attention/tensor_id.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

using P = FlowPart;
using O = FlowOwner;
using S = StepId;
using T = TensorId;
using Ends = std::pair<Ink, Ink>;

constexpr FlowPartInfo within(P part, O owner, S step, T tensor, const char* about) {
  return {part, owner, step, step, step, tensor, about};
}

constexpr std::size_t kFlowParts = static_cast<std::size_t>(P::hiddenGather) + 1;

/// The table, in the order of FlowPart.
constexpr std::array<FlowPartInfo, kFlowParts> kPartInfos{{
    within(P::input, O::allHeads, S::project, T::x,
           trLater("the input: one row per token, one column per feature")),
    within(P::memory, O::allHeads, S::project, T::memory, trLater("the source of keys and values")),
    within(P::query, O::allHeads, S::project, T::qProj,
           trLater("what each token looks for; striped by head")),
    within(P::key, O::allHeads, S::project, T::kProj,
           trLater("what each token is found by; striped by head")),
    within(P::value, O::allHeads, S::project, T::vProj,
           trLater("what each token passes on; striped by head")),
    {P::headQuery, O::queryHead, S::split, S::split, S::score, T::q, trLater("{columns} of Q")},
    {P::headKey, O::keyHead, S::split, S::split, S::score, T::k, trLater("{columns} of K")},
    within(P::headValue, O::keyHead, S::split, T::v, trLater("{columns} of V")),
    {P::weights, O::queryHead, S::score, S::softmax, S::weigh, T::weights,
     trLater("how much each query (row) takes from each key (column)")},
    {P::headOutput, O::queryHead, S::weigh, S::weigh, S::gate, T::heads,
     trLater("the values, averaged by the weights")},
    within(P::concat, O::allHeads, S::concat, T::concat,
           trLater("all heads' outputs side by side")),
    within(P::outputWeights, O::allHeads, S::output, T::wO,
           trLater("one row block per head; each reaches all of the output")),
    within(P::output, O::allHeads, S::output, T::output, trLater("the sum of all heads' shares")),
    within(P::hidden, O::hiddenHeads, S::split, T::q, ""),
    within(P::hiddenOutput, O::hiddenHeads, S::concat, T::heads, ""),
    within(P::inputQuery, O::allHeads, S::project, T::qProj,
           trLater("every column of Q is made from all of X")),
    within(P::inputKey, O::allHeads, S::project, T::kProj,
           trLater("every column of K is made from all of it")),
    within(P::inputValue, O::allHeads, S::project, T::vProj,
           trLater("every column of V is made from all of it")),
    {P::splitQuery, O::queryHead, S::split, S::split, S::score, T::q, trLater("{columns} of Q")},
    {P::splitKey, O::keyHead, S::split, S::split, S::score, T::k, trLater("{columns} of K")},
    within(P::splitValue, O::keyHead, S::split, T::v, trLater("{columns} of V")),
    {P::scoreQuery, O::queryHead, S::score, S::score, S::softmax, T::rawScores,
     trLater("each query meets each key"), Ends{Ink::query, Ink::head}},
    {P::scoreKey, O::queryHead, S::score, S::score, S::softmax, T::rawScores,
     trLater("each key meets each query"), Ends{Ink::key, Ink::head}},
    within(P::carryValue, O::queryHead, S::weigh, T::v, trLater("the values skip the softmax")),
    within(P::underValue, O::queryHead, S::weigh, T::v, trLater("the values skip the softmax")),
    within(P::meetValue, O::queryHead, S::weigh, T::v, trLater("the values skip the softmax")),
    within(P::weigh, O::queryHead, S::weigh, T::heads, trLater("the weights average the values")),
    within(P::gather, O::queryHead, S::concat, T::heads,
           trLater("becomes {columns} of the concatenation")),
    within(P::rowBlock, O::queryHead, S::output, T::heads,
           trLater("is multiplied by {rows} of W^O")),
    {P::fan, O::queryHead, S::output, S::output, S::output, T::output,
     trLater("the head's share in every column of the output"), Ends{Ink::head, Ink::output}},
    within(P::hiddenQuery, O::hiddenHeads, S::split, T::q, ""),
    within(P::hiddenKey, O::hiddenHeads, S::split, T::q, ""),
    within(P::hiddenValue, O::hiddenHeads, S::split, T::q, ""),
    within(P::hiddenGather, O::hiddenHeads, S::concat, T::heads, ""),
}};

constexpr bool inOrder() {
  for (std::size_t i = 0; i < kFlowParts; ++i) {
    if (kPartInfos[i].part != static_cast<P>(i)) return false;
  }
  return true;
}
static_assert(inOrder());

bool belongsToKeyHead(FlowPart part) { return infoOf(part).owner == FlowOwner::keyHead; }
bool isOfHiddenHeads(FlowPart part) { return infoOf(part).owner == FlowOwner::hiddenHeads; }

bool leadsToHead(FlowId id, Index head, const AttentionConfig& config) {
  return belongsToKeyHead(id.part) ? id.head == config.kvHead(head) : id.head == head;
}

/// "columns 64 to 127": the columns of a head, counted from 0.
std::string headsShare(std::string_view what, Index head, const AttentionConfig& config) {
  const Index first = head * config.dK();
  if (config.dK() == 1) return fmt::format("{} {}", what, first);
  return trFormat("{}s {} to {}", what, first, first + config.dK() - 1);
}

std::string flowTitle(FlowId id, const AttentionConfig& config) {
  const TensorId tensor = infoOf(id.part).tensor;
  const std::string_view symbol = info(tensor).symbol;
  if (!belongsToHead(id.part)) return std::string(symbol);
  if (tensor == TensorId::heads) {
    return trFormat("Head {}: {}", id.head + 1, step(StepId::weigh).text(config).flow);
  }
  if (!belongsToKeyHead(id.part) || config.headsPerGroup() == 1) {
    return trFormat("Head {}: {}", id.head + 1, symbol);
  }
  const Index first = id.head * config.headsPerGroup();
  return trFormat("Heads {} to {}: {}, shared", first + 1, first + config.headsPerGroup(), symbol);
}

}  // namespace

const FlowPartInfo& infoOf(FlowPart part) { return kPartInfos[static_cast<std::size_t>(part)]; }

bool belongsToHead(FlowPart part) {
  return infoOf(part).owner == FlowOwner::queryHead || belongsToKeyHead(part);
}

bool lights(FlowPart part, StepId step) {
  const FlowPartInfo& info = infoOf(part);
  return step >= info.first && step <= info.last;
}

bool givenBy(FlowPart part, StepId step) {
  const FlowPartInfo& info = infoOf(part);
  if (part == FlowPart::input || part == FlowPart::memory) return false;
  return step >= info.first && step <= info.home;
}

bool onPathOf(FlowId id, Index head, const AttentionConfig& config) {
  return belongsToHead(id.part) && leadsToHead(id, head, config);
}

bool standsForHidden(const FlowLayout& layout, FlowId id) {
  if (isOfHiddenHeads(id.part)) return true;
  const bool shared = id.part == FlowPart::rowBlock || id.part == FlowPart::fan;
  return shared && layout.block({FlowPart::hidden, id.head}) != nullptr;
}

FlowDescription describe(FlowId id, const AttentionConfig& config) {
  if (isOfHiddenHeads(id.part)) {
    return {tr("Heads left out here"), "", trFormat("click to choose head {}", id.head + 1)};
  }
  const FlowPartInfo& part = infoOf(id.part);
  Shape shape = shapeOf(part.tensor, config);
  if (info(part.tensor).perHead) shape = shape.last(2);
  if (shape.size() == 3 && shape.front() == 1) shape = shape.last(2);
  FlowDescription description = {flowTitle(id, config), toString(shape), tr(part.about),
                                 lookOf(part.tensor).term};
  if (belongsToHead(id.part)) {
    description.about = fmt::format(fmt::runtime(tr(part.about)),
                                    fmt::arg("columns", headsShare("column", id.head, config)),
                                    fmt::arg("rows", headsShare("row", id.head, config)));
  }
  const bool after = part.first >= StepId::weigh && belongsToHead(id.part);
  if (after && isOff(config, id.head)) description.about += tr("; this head is off");
  return description;
}

FlowId forHead(FlowId id, Index head, const AttentionConfig& config) {
  if (id.head >= 0 || !belongsToHead(id.part)) return id;
  return {id.part, belongsToKeyHead(id.part) ? config.kvHead(head) : head};
}

void choose(FlowId id, const FlowLayout& layout, const AttentionConfig& config,
            Selection& selection) {
  const FlowPartInfo& part = infoOf(id.part);
  if (standsForHidden(layout, id)) {
    selection.head = id.head;
    return;
  }
  if (belongsToHead(id.part) && !leadsToHead(id, selection.head, config)) {
    selection.head = belongsToKeyHead(id.part) ? id.head * config.headsPerGroup() : id.head;
  }
  if (const ProjectedPart* projected = partWith(part.tensor)) selection.part = projected->part;
  const bool alreadyThere = selection.step >= part.first && selection.step <= part.home;
  if (!alreadyThere) selection.step = part.home;
}

}  // namespace headscope::ui
