#include "app/ui/step_view/used_columns.h"

#include <algorithm>
#include <cmath>

#include "app/ui/hover.h"

namespace headscope::ui {
namespace {

constexpr Index kLeastLeftOut = 32;  // the fewest columns that are left out
constexpr float kFaint = 0.05F;      // as a share of X's largest magnitude: hardly coloured

bool isInput(const StepViewItem& item) {
  const TensorId tensor = item.ref.tensor;
  return !item.sign && !item.ref.gradient && item.colLane == Lane::inner &&
         (tensor == TensorId::x || tensor == TensorId::memory);
}

bool isWeight(const StepViewItem& item) {
  return !item.sign && item.rowLane == Lane::inner && item.ref.transposed;
}

}  // namespace

UsedColumns UsedColumnsMemory::of(const Trace& trace, const MatrixRef& ref) {
  const std::uint64_t revision = revisionOf(trace, ref);
  const std::uint64_t place = ref.place().value();
  if (revision == revision_ && place == place_) return found_;
  revision_ = revision;
  place_ = place;
  const CellRows rows = cellsOf(trace, ref);
  std::vector<float> cells(static_cast<std::size_t>(rows.cols));
  std::vector<float> largest(cells.size(), 0.0F);  // the largest magnitude in each column
  for (Index r = 0; r < rows.rows; ++r) {
    rows.read(r, cells);
    std::transform(cells.begin(), cells.end(), largest.begin(), largest.begin(),
                   [](float value, float most) { return std::max(most, std::abs(value)); });
  }
  const float least = kFaint * *std::max_element(largest.begin(), largest.end());
  const auto seen = [least](float value) { return value > least; };
  const auto from = std::find_if(largest.begin(), largest.end(), seen);
  const auto to = std::find_if(largest.rbegin(), largest.rend(), seen).base();
  found_ = {from - largest.begin(), std::max<Index>(to - from, 0), rows.cols, 0.0F};
  for (auto it = largest.begin(); it != largest.end(); ++it) {
    if (it < from || it >= to) found_.rest = std::max(found_.rest, *it);
  }
  return found_;
}

std::optional<UsedColumns> columnsToKeep(const std::vector<StepViewItem>& items, const Trace& trace,
                                         UsedColumnsMemory& memory) {
  const auto input = std::find_if(items.begin(), items.end(), isInput);
  if (input == items.end()) return std::nullopt;
  const UsedColumns used = memory.of(trace, input->ref);
  if (used.count == 0 || used.count * 2 > used.all || used.all - used.count < kLeastLeftOut) {
    return std::nullopt;
  }
  return used;
}

bool hides(const std::vector<StepViewItem>& items, const UsedColumns& used, const CellRef& cell) {
  return std::any_of(items.begin(), items.end(), [&](const StepViewItem& item) {
    return (isInput(item) || isWeight(item)) && item.ref.find(cell) &&
           (cell.col < used.first || cell.col > used.last());
  });
}

void keepColumns(std::vector<StepViewItem>& items, const UsedColumns& used) {
  for (StepViewItem& item : items) {
    if (!isInput(item) && !isWeight(item)) continue;
    item.ref.col0 = used.first;
    item.ref.cols = used.count;
    item.leftOutOf = used.all;
    (isInput(item) ? item.colOffset : item.rowOffset) = used.first;
  }
}

}  // namespace headscope::ui
