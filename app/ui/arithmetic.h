// Arithmetic: a cell's explanation in words and numbers, as the line below the stage prints it.
#pragma once

#include <string>

#include "core/steps/step.h"

namespace headscope::ui {

/// "S[sat, cat]": a cell by its tokens where its axes count tokens.
std::string cellName(const Trace& trace, const CellRef& cell);

struct Arithmetic {
  std::string name;  // "raw_scores[sat, cat]"
  std::string sum;   // "= Σ … = 0.81·1.12 + … + 61 more terms = 28.618"
  std::string next;  // what becomes of it, or empty
};

/// The largest terms first; `terms` of them are written out. Operands of the document have no
/// arithmetic: their value and where they come from.
Arithmetic arithmetic(const Trace& trace, const CellRef& cell, std::size_t terms);

}  // namespace headscope::ui
