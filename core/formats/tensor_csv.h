// Tensor as CSV: one line per matrix row, for spreadsheets and for pandas.
//
// The header names the columns: `item` and `head` where the tensor has such an axis, `row`, `token`
// where rows are queries or keys, then one column per value, named by its index. All indices count
// from 0. Numbers read back to the very same float32; what a mask forbids is -inf.
//
//   item,head,row,token,0,1,2
//   0,0,0,The,0.25,-inf,-inf
#pragma once

#include <filesystem>

#include "core/trace.h"

namespace headscope::formats {

/// Written beside, then renamed: no partial file is left. Throws UserError naming the path.
void writeTensorCsv(const std::filesystem::path& path, const Trace& trace, TensorId id);

}  // namespace headscope::formats
