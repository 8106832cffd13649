#include "app/ui/flow/flow_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/ui/glossary.h"
#include "app/ui/head_switch.h"
#include "core/steps/step.h"
#include "core/tensor_id.h"

namespace headscope::ui {
namespace {

struct PartInfo {
  StepId first, last;  // lit from … to
  StepId home;         // opened by a click from elsewhere
  TensorId tensor;
  const char* about;
};

PartInfo one(StepId step, TensorId tensor, const char* about) {
  return {step, step, step, tensor, about};
}

PartInfo infoOf(FlowPart part) {
  using P = FlowPart;
  using S = StepId;
  using T = TensorId;
  switch (part) {
    case P::input:
      return one(S::project, T::x, "the input: one row per token, one column per feature");
    case P::memory:
      return one(S::project, T::memory, "what is attended to: the keys and values come from it");
    case P::query:
      return one(S::project, T::qProj, "what each token looks for; striped by head");
    case P::key:
      return one(S::project, T::kProj, "what each token is found by; striped by head");
    case P::value:
      return one(S::project, T::vProj, "what each token hands on; striped by head");
    case P::inputQuery:
      return one(S::project, T::qProj, "every column of Q is made from all of X");
    case P::inputKey:
      return one(S::project, T::kProj, "every column of K is made from all of it");
    case P::inputValue:
      return one(S::project, T::vProj, "every column of V is made from all of it");
    case P::headQuery:
    case P::splitQuery:
      return {S::split, S::score, S::split, T::q, "{columns} of Q"};
    case P::headKey:
    case P::splitKey:
      return {S::split, S::score, S::split, T::k, "{columns} of K"};
    case P::headValue:
    case P::splitValue:
      return one(S::split, T::v, "{columns} of V");
    case P::scoreQuery:
      return {S::score, S::softmax, S::score, T::rawScores, "each query meets each key"};
    case P::scoreKey:
      return {S::score, S::softmax, S::score, T::rawScores, "each key meets each query"};
    case P::weights:
      return {S::score, S::softmax, S::softmax, T::weights,
              "how much each query (row) takes from each key (column)"};
    case P::carryValue:
    case P::underValue:
    case P::meetValue:
      return one(S::weigh, T::v, "the values pass by the softmax");
    case P::weigh:
      return one(S::weigh, T::heads, "the weights pick from the values");
    case P::headOutput:
      return one(S::weigh, T::heads, "the values, averaged by the weights");
    case P::gather:
      return one(S::concat, T::heads, "becomes {columns} of the concatenation");
    case P::concat:
      return one(S::concat, T::concat, "all heads' outputs side by side");
    case P::rowBlock:
      return one(S::output, T::heads, "meets {rows} of W^O");
    case P::outputWeights:
      return one(S::output, T::wO, "one row block per head; each reaches all of the output");
    case P::fan:
      return one(S::output, T::output, "the head's share in every column of the output");
    case P::output:
      return one(S::output, T::output, "the sum of all heads' shares");
    case P::hidden:
    case P::hiddenQuery:
    case P::hiddenKey:
    case P::hiddenValue:
      return one(S::split, T::q, "");
    case P::hiddenOutput:
    case P::hiddenGather:
      return one(S::concat, T::heads, "");
  }
  return one(S::project, T::x, "");
}

bool belongsToKvHead(FlowPart part) {
  return part == FlowPart::headKey || part == FlowPart::headValue || part == FlowPart::splitKey ||
         part == FlowPart::splitValue;
}

bool isPartHidden(FlowPart part) {
  return part == FlowPart::hidden || part == FlowPart::hiddenOutput ||
         part >= FlowPart::hiddenQuery;
}

bool isHead(FlowId id, Index head, const AttentionConfig& config) {
  return belongsToKvHead(id.part) ? id.head == config.kvHead(head) : id.head == head;
}

/// "columns 64 to 127": a head's, counted from 0.
std::string share(std::string_view what, Index head, const AttentionConfig& config) {
  const Index first = head * config.dK();
  if (config.dK() == 1) return fmt::format("{} {}", what, first);
  return fmt::format("{}s {} to {}", what, first, first + config.dK() - 1);
}

std::string titleOf(FlowId id, const AttentionConfig& config) {
  const TensorId tensor = infoOf(id.part).tensor;
  const std::string_view symbol = info(tensor).symbol;
  if (!belongsToHead(id.part)) return std::string(symbol);
  if (tensor == TensorId::heads) {
    return fmt::format("Head {}: {}", id.head + 1, step(StepId::weigh).text(config).flow);
  }
  if (!belongsToKvHead(id.part) || config.headsPerGroup() == 1) {
    return fmt::format("Head {}: {}", id.head + 1, symbol);
  }
  const Index first = id.head * config.headsPerGroup();
  return fmt::format("Heads {} to {}: {}, shared", first + 1, first + config.headsPerGroup(),
                     symbol);
}

}  // namespace

bool belongsToHead(FlowPart part) {
  if (isPartHidden(part)) return false;
  switch (part) {
    case FlowPart::input:
    case FlowPart::memory:
    case FlowPart::query:
    case FlowPart::key:
    case FlowPart::value:
    case FlowPart::concat:
    case FlowPart::outputWeights:
    case FlowPart::output:
    case FlowPart::inputQuery:
    case FlowPart::inputKey:
    case FlowPart::inputValue:
      return false;
    default:
      return true;
  }
}

bool lights(FlowPart part, StepId step) {
  const PartInfo info = infoOf(part);
  if (step == StepId::weigh && part == FlowPart::weights) return true;
  return step >= info.first && step <= info.last;
}

bool givenBy(FlowPart part, StepId step) {
  const PartInfo info = infoOf(part);
  if (part == FlowPart::input || part == FlowPart::memory) return false;
  if (part == FlowPart::weights) return step >= info.first && step <= info.last;
  return step == info.home;
}

bool onPathOf(FlowId id, Index head, const AttentionConfig& config) {
  return belongsToHead(id.part) && isHead(id, head, config);
}

bool standsForHidden(const FlowLayout& layout, FlowId id) {
  if (isPartHidden(id.part)) return true;
  const bool shared = id.part == FlowPart::rowBlock || id.part == FlowPart::fan;
  return shared && layout.block({FlowPart::hidden, id.head}) != nullptr;
}

FlowDescription describe(FlowId id, const AttentionConfig& config) {
  if (isPartHidden(id.part)) {
    return {"Heads left out here", "", fmt::format("click to show head {}", id.head + 1)};
  }
  const PartInfo part = infoOf(id.part);
  Shape shape = shapeOf(part.tensor, config);
  if (info(part.tensor).perHead) shape = shape.last(2);
  if (shape.size() == 3 && shape.front() == 1) shape = shape.last(2);
  FlowDescription description = {titleOf(id, config), toString(shape), part.about,
                                 termOf(part.tensor)};
  if (belongsToHead(id.part)) {
    description.about =
        fmt::format(fmt::runtime(part.about), fmt::arg("columns", share("column", id.head, config)),
                    fmt::arg("rows", share("row", id.head, config)));
  }
  const bool after = part.first >= StepId::weigh && belongsToHead(id.part);
  if (after && isOff(config, id.head)) description.about += "; this head is off";
  return description;
}

FlowId forHead(FlowId id, Index head, const AttentionConfig& config) {
  if (id.head >= 0 || !belongsToHead(id.part)) return id;
  return {id.part, belongsToKvHead(id.part) ? config.kvHead(head) : head};
}

void choose(FlowId id, const FlowLayout& layout, const AttentionConfig& config, ViewState& view) {
  const PartInfo part = infoOf(id.part);
  if (standsForHidden(layout, id)) {
    view.head = id.head;
    return;
  }
  if (belongsToHead(id.part) && !isHead(id, view.head, config)) {
    view.head = belongsToKvHead(id.part) ? id.head * config.headsPerGroup() : id.head;
  }
  switch (part.tensor) {
    case TensorId::q:
    case TensorId::qProj:
      view.part = TensorId::q;
      break;
    case TensorId::k:
    case TensorId::kProj:
      view.part = TensorId::k;
      break;
    case TensorId::v:
    case TensorId::vProj:
      view.part = TensorId::v;
      break;
    default:
      break;
  }
  const bool alreadyThere = part.first != part.last && part.tensor == TensorId::weights &&
                            view.step >= part.first && view.step <= part.last;
  if (!alreadyThere) view.step = part.home;
}

}  // namespace headscope::ui
