#include "app/ui/heads/head_order.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>

namespace headscope::ui {

std::vector<Index> headOrder(const std::vector<HeadMetrics>& metrics, const std::string& sortBy,
                             Index heads) {
  std::vector<Index> order(static_cast<std::size_t>(heads));
  std::iota(order.begin(), order.end(), Index{0});
  const std::optional<Metric> by = metricFromKey(sortBy);
  if (!by || metrics.size() != order.size()) return order;
  const auto valueOf = [&](Index head) { return metrics[static_cast<std::size_t>(head)][*by]; };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    const Measured left = valueOf(a);
    const Measured right = valueOf(b);
    if (!left || !right) return static_cast<bool>(left) && !right;
    return *left > *right;
  });
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

void openHead(ViewState& view, Index head) {
  view.head = head;
  view.page = Page::flow;
  view.step = StepId::softmax;
  view.scope = StageScope::thisHead;
  view.playing = false;
  view.playTime.reset();
}

}  // namespace headscope::ui
