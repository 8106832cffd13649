// Used columns: which columns of X carry information. Sentences and series fill the
// first of many coordinates, and hardly anything stands in the others; the stage leaves those out,
// and the rows of weights that they meet.
#pragma once

#include <cstdint>
#include <vector>

#include "app/ui/stage/stage_items.h"

namespace headscope::ui {

/// From the first column with a value that can be told from 0 by its colour to the last.
struct UsedColumns {
  Index first = 0, count = 0;
  Index all = 0;
  float rest = 0.0F;  // the largest magnitude in the others

  Index last() const { return first + count - 1; }
};

/// Of the matrix asked for last, remembered until its values change.
class UsedColumnsMemory {
 public:
  UsedColumns of(const Trace& trace, const MatrixRef& ref);

 private:
  std::uint64_t revision_ = 0, place_ = 0;
  UsedColumns found_;
};

/// Of the X or memory that a step multiplies with weights, where most of its columns are as good as
/// 0 in all its rows; else nothing.
std::optional<UsedColumns> columnsToKeep(const std::vector<StageItem>& items, const Trace& trace,
                                         UsedColumnsMemory& memory);

/// Whether a cell lies in what would be left out.
bool hides(const std::vector<StageItem>& items, const UsedColumns& used, const CellRef& cell);

/// Leaves the other columns out, and the rows of the weights that meet them.
void keepColumns(std::vector<StageItem>& items, const UsedColumns& used);

}  // namespace headscope::ui
