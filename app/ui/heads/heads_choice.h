// Heads choice: which heads and tokens a person has chosen to see on the heads page, and how that
// changes. Pure: no drawing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/view_state.h"
#include "core/analysis/head_metrics.h"

namespace headscope::ui {

// Heads.

/// All heads by what one metric is; those that have none last.
std::vector<Index> headsByMetric(const std::vector<HeadMetrics>& metrics, Metric metric,
                                 bool descending);
/// By number, or by a metric's key: the largest first, those without a number last. `metrics` may
/// be empty: not measured yet.
std::vector<Index> headOrder(const std::vector<HeadMetrics>& metrics, const std::string& sortBy,
                             Index heads);

/// Takes a head into the comparison, or out of it.
void toggleCompared(std::vector<Index>& compared, Index head);
/// Those of the comparison that there are.
std::vector<Index> comparedHeads(const std::vector<Index>& compared, Index heads);

/// Heads whose lines are drawn, in order.
std::vector<Index> lineHeads(const HeadsView& view, Index chosenHead, Index heads);
/// Draws a head's lines, or no longer; `alone`: its only.
void toggleLines(HeadsView& view, Index chosenHead, Index head, Index heads, bool alone);

/// A click on the heading of a column of the table of metrics: first the order in which it is
/// mostly read, then the other.
void sortTableBy(HeadsView& view, std::string_view column);

/// Shows a head's weights on the flow page.
void openHead(ViewState& view, Index head);

// The part of the tokens that is shown.

/// Fewer are not shown, unless there are fewer.
inline constexpr Index kFewestShown = 4;
/// Inputs of more tokens are looked at by parts.
inline constexpr Index kShortInput = 64;

/// The part in numbers, of `n` tokens: never empty, never past them.
TokenRange shownOf(const TokenRange& range, Index n);
inline bool isWhole(const TokenRange& range, Index n) { return shownOf(range, n).count == n; }

/// `factor` times as many, the token at `about` (0 … 1 of what is shown) staying where it is.
TokenRange zoomed(const TokenRange& range, Index n, double factor, double about = 0.5);
TokenRange moved(const TokenRange& range, Index n, Index by);

// The query and the key that the card of where heads look is about.

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
