// Cell sentence: describes a cell and its value in words, for the pointer. Its name in tensor
// notation is in cells.h.
#pragma once

#include <string>

#include "core/attention/tensor_id.h"
#include "core/document/fwd.h"

namespace headscope {

/// "‘slept’ gives 0.858 of its attention to ‘cat’", "score of ‘slept’ for ‘cat’: 30.8", "key of
/// ‘cat’, number 3: −0.2"; without its head.
std::string cellInWords(const Trace& trace, const CellRef& cell);

}  // namespace headscope
