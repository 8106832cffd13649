// Used columns: the columns of X that carry information. Sentences and series fill the first of
// many columns and leave the others nearly 0. The step view leaves those out, with the rows of
// weights that they multiply.
#pragma once

#include <cstdint>
#include <vector>

#include "app/ui/step_view/step_view_items.h"

namespace headscope::ui {

/// The columns from the first to the last that has a value whose colour differs visibly from 0's.
struct UsedColumns {
  Index first = 0, count = 0;
  Index all = 0;
  float rest = 0.0F;  // the largest magnitude in the other columns

  Index last() const { return first + count - 1; }
};

/// Caches the used columns of the last matrix until its values change.
class UsedColumnsMemory {
 public:
  UsedColumns of(const Trace& trace, const MatrixRef& ref);

 private:
  std::uint64_t revision_ = 0, place_ = 0;
  UsedColumns found_;
};

/// Returns the used columns of the X or memory that a step multiplies with weights, where most of
/// its columns are nearly 0 in all rows; else none.
std::optional<UsedColumns> columnsToKeep(const std::vector<StepViewItem>& items, const Trace& trace,
                                         UsedColumnsMemory& memory);

/// Returns whether a cell lies in a row or column that would be left out.
bool hides(const std::vector<StepViewItem>& items, const UsedColumns& used, const CellRef& cell);

/// Leaves out the other columns, and the rows of the weights that they multiply.
void keepColumns(std::vector<StepViewItem>& items, const UsedColumns& used);

}  // namespace headscope::ui
