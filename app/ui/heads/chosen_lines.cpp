#include "app/ui/heads/chosen_lines.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "core/analysis/accumulated_mass.h"

namespace headscope::ui {
namespace {

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

LineChoice chooseLines(const Trace& trace, const LineQuestion& question,
                       const std::atomic<bool>& cancelled) {
  LineChoice choice;
  const auto most = static_cast<std::size_t>(question.most);
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
        for (const Index j : largestOfMass(row, question.mass)) add(j);
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

}  // namespace headscope::ui
