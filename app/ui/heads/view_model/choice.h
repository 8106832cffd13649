// Heads choice: the heads and tokens chosen on the heads page, and the changes of that choice.
// Pure: no drawing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/heads/heads_view.h"
#include "core/analysis/head_metrics.h"

namespace headscope {
struct AttentionConfig;
struct CellRef;
}  // namespace headscope

namespace headscope::ui {

struct HeadsView;
struct ViewState;

// Heads.

/// Returns all heads sorted by a metric; heads without a value come last.
std::vector<Index> headsByMetric(const std::vector<HeadMetrics>& metrics, Metric metric,
                                 bool descending);
/// Returns the heads by number, or by a metric's key: the largest value first, heads without a
/// value last. `metrics` may be empty while nothing is measured; the order is then by number.
std::vector<Index> headOrder(const std::vector<HeadMetrics>& metrics, const std::string& sortBy,
                             Index heads);

/// Adds a head to the comparison, or removes it.
void toggleCompared(std::vector<Index>& compared, Index head);
/// Returns the compared heads that exist.
std::vector<Index> comparedHeads(const std::vector<Index>& compared, Index heads);

/// Returns the heads whose lines are drawn, in ascending order.
std::vector<Index> lineHeads(const HeadsView& view, Index chosenHead, Index heads);
/// Adds a head to those whose lines are drawn, or removes it; `alone`: only this head remains.
void toggleLines(HeadsView& view, Index chosenHead, Index head, Index heads, bool alone);

/// Handles a click on a column heading of the table of metrics. The first click sorts metrics in
/// descending order and other columns in ascending order; the next one reverses the order.
void sortTableBy(HeadsView& view, std::string_view column);

/// Shows a head's weights on the flow page.
void openHead(ViewState& view, Index head);

// The part of the tokens that is shown.

/// The smallest number of tokens shown, unless the input has fewer.
inline constexpr Index kFewestShown = 4;
/// The largest number of tokens that counts as a short input.
inline constexpr Index kShortInput = 64;

/// Returns the part shown of `n` tokens: never empty, never past the end.
TokenRange shownOf(const TokenRange& range, Index n);
inline bool isWhole(const TokenRange& range, Index n) { return shownOf(range, n).count == n; }

/// Returns a part with `factor` times as many tokens; the token at `about` (0 … 1 of the part
/// shown) keeps its place.
TokenRange zoomed(const TokenRange& range, Index n, double factor, double about = 0.5);
TokenRange moved(const TokenRange& range, Index n, Index by);

// The query and the key that the looks card shows.

struct LooksAt {
  Index query = -1, key = -1;  // −1: none

  bool any() const { return query >= 0 || key >= 0; }
  bool operator==(const LooksAt&) const = default;
};

/// Returns the tokens of the cell under the mouse in another card, else the tokens chosen in the
/// looks card.
LooksAt lookedAt(const ViewState& view, const AttentionConfig& config);

/// Returns the query of `at`; without one the last query, to which a causal mask leaves the most
/// keys.
Index queryOr(const LooksAt& at, const AttentionConfig& config);

/// Chooses the tokens of the selected cell if the selection differs from `known`; updates `known`.
void followSelection(ViewState& view, std::optional<CellRef>& known);

}  // namespace headscope::ui
