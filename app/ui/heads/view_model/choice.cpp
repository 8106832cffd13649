#include "app/ui/heads/view_model/choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "app/ui/frame_state.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/selection.h"
#include "app/ui/view_state.h"
#include "core/attention/config.h"

namespace headscope::ui {
namespace {

TokenRange partOfTokens(Index first, Index count, Index n) {
  if (count >= n) return {};
  return {std::clamp<Index>(first, 0, n - count), count};
}

LooksAt tokensOfCell(const CellRef& cell) {
  LooksAt at;
  if (!info(cell.tensor).perHead) return at;
  if (info(cell.tensor).rows == Axis::query) at.query = cell.row;
  if (info(cell.tensor).rows == Axis::key) at.key = cell.row;
  if (info(cell.tensor).cols == Axis::key) at.key = cell.col;
  return at;
}

}  // namespace

std::vector<Index> headsByMetric(const std::vector<HeadMetrics>& metrics, Metric metric,
                                 bool descending) {
  std::vector<Index> order(metrics.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    const MetricValue& x = metrics[static_cast<std::size_t>(a)][metric];
    const MetricValue& y = metrics[static_cast<std::size_t>(b)][metric];
    if (!x || !y) return x && !y;
    return descending ? *x > *y : *x < *y;
  });
  return order;
}

std::vector<Index> headOrder(const std::vector<HeadMetrics>& metrics, const std::string& sortBy,
                             Index heads) {
  const std::optional<Metric> by = metricFromKey(sortBy);
  if (by && static_cast<Index>(metrics.size()) == heads) return headsByMetric(metrics, *by, true);
  std::vector<Index> order(static_cast<std::size_t>(heads));
  std::iota(order.begin(), order.end(), Index{0});
  return order;
}

void toggleCompared(std::vector<Index>& compared, Index head) {
  const auto found = std::find(compared.begin(), compared.end(), head);
  if (found == compared.end()) {
    compared.push_back(head);
  } else {
    compared.erase(found);
  }
}

std::vector<Index> comparedHeads(const std::vector<Index>& compared, Index heads) {
  std::vector<Index> there = compared;
  std::erase_if(there, [heads](Index head) { return head < 0 || head >= heads; });
  return there;
}

std::vector<Index> lineHeads(const HeadsView& view, Index chosenHead, Index heads) {
  if (!view.linesPicked && view.lineHeads.empty()) return {chosenHead};
  std::vector<Index> drawn;
  for (const Index head : view.lineHeads) {
    if (head >= 0 && head < heads) drawn.push_back(head);
  }
  std::sort(drawn.begin(), drawn.end());
  drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
  return drawn;
}

void toggleLines(HeadsView& view, Index chosenHead, Index head, Index heads, bool alone) {
  std::vector<Index> drawn = lineHeads(view, chosenHead, heads);
  const auto found = std::find(drawn.begin(), drawn.end(), head);
  if (alone) {
    drawn = {head};
  } else if (found != drawn.end()) {
    drawn.erase(found);
  } else {
    drawn.push_back(head);
  }
  view.lineHeads = std::move(drawn);
  view.linesPicked = true;
}

void sortTableBy(HeadsView& view, std::string_view column) {
  if (view.tableSort == column) {
    view.tableDescending = !view.tableDescending;
    return;
  }
  view.tableSort = column;
  view.tableDescending = metricFromKey(column).has_value();
}

void openHead(ViewState& view, Index head) {
  view.selection.head = head;
  view.selection.page = kFlowPage;
  view.selection.step = StepId::softmax;
  view.selection.scope = StepViewScope::thisHead;
  view.frame.playing = false;
  view.selection.playTime.reset();
}

TokenRange shownOf(const TokenRange& range, Index n) {
  if (range.count <= 0 || range.count >= n) return {0, n};
  return {std::clamp<Index>(range.first, 0, n - range.count), range.count};
}

TokenRange zoomed(const TokenRange& range, Index n, double factor, double about) {
  const TokenRange now = shownOf(range, n);
  auto count = static_cast<Index>(std::llround(static_cast<double>(now.count) * factor));
  // a zoom step changes at least one token
  if (count == now.count && factor < 1.0) --count;
  if (count == now.count && factor > 1.0) ++count;
  count = std::clamp(count, std::min(kFewestShown, n), n);
  const double stays = static_cast<double>(now.first) + about * static_cast<double>(now.count);
  return partOfTokens(static_cast<Index>(std::llround(stays - about * static_cast<double>(count))),
                      count, n);
}

TokenRange moved(const TokenRange& range, Index n, Index by) {
  const TokenRange now = shownOf(range, n);
  return partOfTokens(now.first + by, now.count, n);
}

LooksAt lookedAt(const ViewState& view, const AttentionConfig& config) {
  LooksAt at{view.heads.query, view.heads.key};
  if (view.frame.hovered && tokensOfCell(view.frame.hovered->cell).any())
    at = tokensOfCell(view.frame.hovered->cell);
  if (at.query >= config.seqLen) at.query = -1;
  if (at.key >= config.keys()) at.key = -1;
  return at;
}

Index queryOr(const LooksAt& at, const AttentionConfig& config) {
  return at.query >= 0 ? at.query : config.seqLen - 1;
}

void followSelection(ViewState& view, std::optional<CellRef>& known) {
  if (view.selection.cell == known) return;
  known = view.selection.cell;
  const LooksAt at = known ? tokensOfCell(*known) : LooksAt();
  view.heads.query = at.query;
  view.heads.key = at.key;
}

}  // namespace headscope::ui
