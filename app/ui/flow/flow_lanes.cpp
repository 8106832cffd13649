#include "app/ui/flow/flow_lanes.h"

#include <algorithm>
#include <set>

namespace headscope::ui {
namespace {

// Points at scale 1. Down to kNumberedPitch a head's number is legible; where all heads fit down to
// kMinPitch, they are shown without.
constexpr float kNumberedPitch = 12;
constexpr float kMinPitch = 7;
constexpr float kPitchGap = 0.16F;  // of the pitch, between two lanes

/// Rows taken by the shown heads and the runs of hidden ones between them.
Index rowsTaken(const std::set<Index>& shown, Index heads) {
  Index rows = static_cast<Index>(shown.size());
  Index next = 0;
  for (const Index head : shown) {
    if (head > next) ++rows;
    next = head + 1;
  }
  return next < heads ? rows + 1 : rows;
}

/// Heads in the order they are given a row in: from both ends, two of the first for each last.
std::vector<Index> byPriority(Index heads, Index chosen, Index count) {
  std::vector<Index> order = {chosen};
  Index first = 0, last = heads - 1;
  while (first <= last && static_cast<Index>(order.size()) <= count) {
    order.push_back(first++);
    if (first <= last) order.push_back(last--);
    if (first <= last) order.push_back(first++);
  }
  return order;
}

}  // namespace

std::vector<Index> shownHeads(Index heads, Index chosen, Index rows) {
  std::set<Index> shown;
  if (heads <= rows) {
    for (Index head = 0; head < heads; ++head) shown.insert(head);
    return {shown.begin(), shown.end()};
  }
  for (const Index head : byPriority(heads, chosen, rows + 2)) {
    const bool fresh = shown.insert(head).second;
    if (fresh && shown.size() > 1 && rowsTaken(shown, heads) > rows) shown.erase(head);
  }
  // A run of one head takes a row anyway: that of the head itself.
  std::vector<Index> filled;
  Index next = 0;
  for (const Index head : shown) {
    if (head == next + 1) filled.push_back(next);
    filled.push_back(head);
    next = head + 1;
  }
  if (next == heads - 1) filled.push_back(next);
  return filled;
}

FlowLanes layOutLanes(const AttentionConfig& config, Index chosen, float top, float height,
                      float scale) {
  const auto rowsOf = [&](float pitch) { return static_cast<Index>(height / (pitch * scale)); };
  const bool allFit = config.numHeads <= rowsOf(kMinPitch);
  const Index fitting = allFit ? config.numHeads : std::max<Index>(1, rowsOf(kNumberedPitch));
  const std::vector<Index> shown = shownHeads(config.numHeads, chosen, fitting);
  const Index rows = rowsTaken({shown.begin(), shown.end()}, config.numHeads);

  FlowLanes result;
  result.pitch = height / static_cast<float>(rows);
  const float laneGap = rows == 1 ? 0 : kPitchGap * result.pitch;
  result.blockGap = std::min(scale, 0.08F * result.pitch);
  result.block = (result.pitch - laneGap - 2 * result.blockGap) / 3;

  float y = top;
  Index next = 0;
  const auto addHidden = [&](Index end) {
    if (end <= next) return;
    result.hidden.push_back({next, end - next, y});
    y += result.pitch;
  };
  for (const Index head : shown) {
    addHidden(head);
    result.lanes.push_back({head, y + laneGap / 2});
    y += result.pitch;
    next = head + 1;
  }
  addHidden(config.numHeads);
  return result;
}

}  // namespace headscope::ui
