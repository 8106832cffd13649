// Selection: what the user looks at: the open page, card and tool; the step, head and cell; the
// position on the timeline. A session stores it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/ids.h"
#include "core/attention/mistakes.h"
#include "core/attention/steps/step_id.h"
#include "core/attention/tensor_id.h"
#include "core/base/index.h"

namespace headscope::ui {

/// The content of the inspector.
enum class InspectorTab { cell, history, scenes };

/// The pass that the tool "Changes" compares the current pass with.
enum class Against { lastEdit, state, rightWay };

/// The heads whose matrices the step view shows.
enum class StepViewScope { thisHead, allHeads };

struct Selection {
  std::string page = kFlowPage;  // id of the page below the bars
  std::string focus;             // the card that fills the picture; empty: the whole window
  std::string presented;         // the card that was last presented, by its id
  std::string tool = kFlowTool;  // id of the tool in the upper card of the flow page
  InspectorTab inspectorTab = InspectorTab::cell;
  Against against = Against::lastEdit;
  Mistake mistake = Mistake::softmaxOverQueries;  // shown by the tool for mistakes

  StepId step = StepId::score;
  Index item = 0;
  Index head = 0;
  TensorId part = TensorId::q;  // q, k or v: the one that `project` and `split` show
  StepViewScope scope = StepViewScope::thisHead;
  bool gradients = false;       // the step view shows gradients in place of values
  std::optional<CellRef> cell;  // the chosen cell, whose arithmetic stays shown
  std::vector<CellRef> trail;   // cells traced back through, the chosen one last

  std::optional<double> playTime;  // the position on the timeline in seconds; none: not on it
  Index playQuery = 0;       // query whose row the timeline shows, where the chosen cell has none
  Index decodePosition = 0;  // KV cache: the new token

  bool operator==(const Selection&) const = default;
};

}  // namespace headscope::ui
