// Flow parts: what each part of the dimension flow is: its tensor and step, whose it is, its
// colours and its words, in one table.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/ui/flow/flow_layout.h"
#include "app/ui/step_looks.h"
#include "app/ui/view_state.h"

namespace headscope::ui {

/// Whose a part is.
enum class FlowOwner { allHeads, queryHead, keyHead, hiddenHeads };

struct FlowPartInfo {
  FlowPart part;
  FlowOwner owner;
  StepId first;  // the first step that makes it …
  StepId home;   // … and the last: opened by a click from elsewhere
  StepId last;   // the last that is lit by it
  TensorId tensor;
  const char* about;
  /// Colours of a ribbon's two ends where they are not its tensor's.
  std::optional<std::pair<Ink, Ink>> ends = {};
};
const FlowPartInfo& infoOf(FlowPart part);

struct FlowDescription {
  std::string title;  // rich text
  std::string shape;
  std::string about;
  std::string_view term = {};  // of the glossary; empty where none says more
};

FlowDescription describe(FlowId id, const AttentionConfig& config);

/// True where the part is what a step takes in or gives.
bool lights(FlowPart part, StepId step);

/// True where the part is what a step gives: its label is lit.
bool givenBy(FlowPart part, StepId step);

/// One that belongs to a single query or key/value head.
bool belongsToHead(FlowPart part);
/// True where the path of query head `head` leads through it; false for what all heads share.
bool onPathOf(FlowId id, Index head, const AttentionConfig& config);
/// One that stands for a run of heads left out.
bool standsForHidden(const FlowLayout& layout, FlowId id);

/// The label of a column of heads, which is none's by itself, as this query head's.
FlowId forHead(FlowId id, Index head, const AttentionConfig& config);

/// What a click on it does: its step, its head, and which of q, k and v.
void choose(FlowId id, const FlowLayout& layout, const AttentionConfig& config, ViewState& view);

}  // namespace headscope::ui
