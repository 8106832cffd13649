#include "app/ui/heads/chosen_lines.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace headscope::ui {
namespace {

/// Whether weight `a` at place `i` comes before `b` at `j`, largest first.
bool before(float a, Index i, float b, Index j) {
  const float x = std::abs(a);
  const float y = std::abs(b);
  return x > y || (x == y && i < j);
}

double sumOf(std::span<const float> row) {
  double sum = 0.0;
  for (const float w : row) sum += std::abs(static_cast<double>(w));
  return sum;
}

bool stronger(const Line& a, const Line& b) {
  if (std::abs(a.weight) != std::abs(b.weight)) return std::abs(a.weight) > std::abs(b.weight);
  if (a.head != b.head) return a.head < b.head;
  return a.query != b.query ? a.query < b.query : a.key < b.key;
}

/// The strongest `most`, in no order.
void keepStrongest(std::vector<Line>& lines, std::size_t most) {
  if (lines.size() <= most) return;
  std::nth_element(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(most), lines.end(),
                   stronger);
  lines.resize(most);
}

}  // namespace

std::vector<Index> largestOfMass(std::span<const float> row, double mass, Index most) {
  std::vector<Index> heap;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (row[j] != 0.0F) heap.push_back(static_cast<Index>(j));
  }
  const auto at = [row](Index j) { return row[static_cast<std::size_t>(j)]; };
  const auto lower = [at](Index i, Index j) { return before(at(j), j, at(i), i); };
  std::make_heap(heap.begin(), heap.end(), lower);
  const double wanted = mass >= 1.0 ? std::numeric_limits<double>::max() : mass * sumOf(row);
  std::vector<Index> found;
  double sum = 0.0;
  while (!heap.empty() && static_cast<Index>(found.size()) < most &&
         (found.empty() || sum < wanted)) {
    std::pop_heap(heap.begin(), heap.end(), lower);
    found.push_back(heap.back());
    heap.pop_back();
    sum += std::abs(static_cast<double>(at(found.back())));
  }
  return found;
}

bool isOfMass(std::span<const float> row, Index place, double mass) {
  const float own = row[static_cast<std::size_t>(place)];
  if (own == 0.0F) return false;
  if (mass >= 1.0) return true;
  double larger = 0.0;
  bool first = true;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (!before(row[j], static_cast<Index>(j), own, place)) continue;
    larger += std::abs(static_cast<double>(row[j]));
    first = false;
  }
  return first || larger < mass * sumOf(row);
}

LineChoice chooseLines(const Trace& trace, const LineQuestion& question,
                       const std::atomic<bool>& cancelled) {
  LineChoice choice;
  const auto most = static_cast<std::size_t>(question.most);
  const Index all = std::numeric_limits<Index>::max();
  const Index end = question.queries.first + question.queries.count;
  for (const Index head : question.heads) {
    const ConstMatrixView weights = trace.tensor(TensorId::weights).matrix({question.item, head});
    for (Index i = question.queries.first; i < end; ++i) {
      if (cancelled.load(std::memory_order_relaxed)) return {};
      const std::span<const float> row = weights.row(i);
      const auto add = [&](Index j) {
        choice.lines.push_back({head, i, j, row[static_cast<std::size_t>(j)]});
        ++choice.chosen;
      };
      if (question.key >= 0) {
        if (weights(i, question.key) != 0.0F) ++choice.weights;
        if (isOfMass(row, question.key, question.mass)) add(question.key);
      } else {
        const auto zeros = std::count(row.begin(), row.end(), 0.0F);
        const Index some = static_cast<Index>(row.size()) - static_cast<Index>(zeros);
        choice.weights += some;
        if (some == 0) ++choice.emptyRows;
        for (const Index j : largestOfMass(row, question.mass, all)) add(j);
      }
      if (choice.lines.size() > 4 * most) keepStrongest(choice.lines, most);
    }
  }
  keepStrongest(choice.lines, most);
  std::sort(choice.lines.begin(), choice.lines.end(),
            [](const Line& a, const Line& b) { return stronger(b, a); });
  return choice;
}

Index workOf(const LineQuestion& question, const AttentionConfig& config) {
  return static_cast<Index>(question.heads.size()) * question.queries.count * config.keys();
}

TokenRange resolved(const TokenRange& range, Index tokens) {
  if (range.count <= 0) return {0, tokens};
  const Index first = std::clamp<Index>(range.first, 0, tokens - 1);
  return {first, std::min(range.count, tokens - first)};
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

}  // namespace headscope::ui
