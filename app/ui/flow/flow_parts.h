// Flow parts: one table of all parts of the dimension flow, with the tensor, step, head, colours
// and words of each.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/ui/flow/flow_layout.h"
#include "app/ui/step_looks.h"

namespace headscope {
struct AttentionConfig;
}  // namespace headscope

namespace headscope::ui {

struct Selection;

/// The heads that a part belongs to.
enum class FlowOwner { allHeads, queryHead, keyHead, hiddenHeads };

struct FlowPartInfo {
  FlowPart part;
  FlowOwner owner;
  StepId first;  // the first step that computes it
  StepId home;   // the last step that computes it; a click in another step opens it
  StepId last;   // the last step in which it is lit
  TensorId tensor;
  const char* about;
  /// The colours of a ribbon's two ends where they differ from its tensor's.
  std::optional<std::pair<Ink, Ink>> ends = {};
};
const FlowPartInfo& infoOf(FlowPart part);

struct FlowDescription {
  std::string title;  // rich text
  std::string shape;
  std::string about;
  std::string_view term = {};  // its entry in the glossary; empty: none
};

FlowDescription describe(FlowId id, const AttentionConfig& config);

/// Returns whether the part is an operand or the result of a step.
bool lights(FlowPart part, StepId step);

/// Returns whether the part is the result of a step; its label is lit then.
bool givenBy(FlowPart part, StepId step);

/// Returns whether the part belongs to a single query or key/value head.
bool belongsToHead(FlowPart part);
/// Returns whether the path of query head `head` leads through it; false for parts that all heads
/// share.
bool onPathOf(FlowId id, Index head, const AttentionConfig& config);
/// Returns whether it stands for a run of hidden heads.
bool standsForHidden(const FlowLayout& layout, FlowId id);

/// Returns the label of a column of heads, which has no head by itself, as that of a query head.
FlowId forHead(FlowId id, Index head, const AttentionConfig& config);

/// Applies a click on a part: chooses its step, its head, and which of q, k and v is shown.
void choose(FlowId id, const FlowLayout& layout, const AttentionConfig& config,
            Selection& selection);

}  // namespace headscope::ui
