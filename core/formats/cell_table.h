// Cell table: numbers as spreadsheets copy them: one row a line, cells separated by tabs.
#pragma once

#include <string>
#include <string_view>

#include "core/tensor.h"

namespace headscope::formats {

/// Tabs alone separate: a comma could as well be a decimal one, and is refused in words. Gives
/// (rows, cols). Throws UserError that names row and column of a word, NaN or empty cell, or a row
/// of another length; refuses more than 64 MB.
Tensor parseCellTable(std::string_view text);

/// The same way round; numbers in as few digits as give the same float again.
std::string printCellTable(const ConstMatrixView& cells);

}  // namespace headscope::formats
