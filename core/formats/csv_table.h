// CSV table: a tensor as lines of text, one for each of its rows, for spreadsheets and pandas.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/index.h"

namespace headscope::formats {

/// One line per row: the row's index along each axis, its token where rows are tokens, its values.
struct CsvTable {
  struct Axis {
    const char* name;  // of its column: "head"
    Index size;
  };
  using At = std::span<const Index>;  // an index along each axis

  std::vector<Axis> axes;                // the outermost first; none: the tensor is one row
  std::function<std::string(At)> token;  // null: rows are not tokens
  Index columns = 0;                     // values in a row; their columns are named 0, 1, …
  std::function<void(At, std::span<float>)> row;  // fills in a row's values
};

/// A text as a field, quoted where RFC 4180 requires it. A text that starts like a formula gets an
/// apostrophe first, so that a spreadsheet does not compute it.
std::string csvField(std::string_view text);

/// Writes the table. All indices count from 0. Numbers read back to the same float32. No partial
/// file is left. Throws UserError naming the path.
void writeCsv(const std::filesystem::path& path, const CsvTable& table);

}  // namespace headscope::formats
