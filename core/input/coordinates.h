// Coordinates: which column of X means what; named blocks from the left, the rest to the right.
#pragma once

#include <string>
#include <vector>

#include "core/tensor.h"

namespace headscope {

/// Columns of one kind, as many as fit.
struct CoordinateBlock {
  std::string one, many;            // in notes: "position pair", "position pairs"
  std::vector<std::string> names;   // of the columns
  std::vector<std::string> labels;  // of its parts, in notes; as many as there are parts
  Index width() const { return static_cast<Index>(names.size()); }
  Index partWidth() const { return width() / static_cast<Index>(labels.size()); }
};

/// A block of columns as it came to lie in X.
struct ColumnRange {
  Index begin = 0;
  Index count = 0;
};

struct Layout {
  std::vector<ColumnRange> blocks;  // one per block asked for, perhaps shortened to nothing
  ColumnRange rest;
  std::vector<std::string> names;  // of all columns
  std::string note;                // what was left out; empty: nothing
};

/// Lays `blocks` side by side in `width` columns, and the rest after them. Where they do not all
/// fit, parts are dropped from the right, so that the rest keeps at least max(1, width / 4).
Layout layOut(Index width, const std::vector<CoordinateBlock>& blocks, const std::string& restName);

}  // namespace headscope
