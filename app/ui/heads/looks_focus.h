// Looks focus: the query and the key that the looks card is about. Pure: no drawing.
#pragma once

#include <optional>

#include "app/ui/view_state.h"

namespace headscope::ui {

struct LooksAt {
  Index query = -1, key = -1;  // −1: none

  bool any() const { return query >= 0 || key >= 0; }
  bool operator==(const LooksAt&) const = default;
};

/// The cell under the mouse in another card, else what was chosen here.
LooksAt lookedAt(const ViewState& view, const AttentionConfig& config);

/// The query to show where one is needed: the one looked at, else the last, which sees most.
Index queryOr(const LooksAt& at, const AttentionConfig& config);

/// A cell chosen elsewhere since `known` chooses its tokens here.
void followSelection(ViewState& view, std::optional<CellRef>& known);

}  // namespace headscope::ui
