// Arithmetic: a cell's explanation in words and numbers, as the line below the stage prints it.
#pragma once

#include <string>

#include "app/ui/cell_words.h"
#include "core/steps/step.h"
#include "core/trace.h"

namespace headscope::ui {

struct Arithmetic {
  std::string name;    // "S[sat, cat]"
  std::string sum;     // "= Σ_j q[sat, j]·k[cat, j] = 0.81·1.12 + … 61 more terms = 25.418"
  std::string remark;  // what numbers do not say, or empty
  std::string next;    // what becomes of it, or empty
};

/// The largest terms first; `terms` of them are written out, after the formula where `formula`.
Arithmetic arithmetic(const Trace& trace, const Explanation& explanation, std::size_t terms,
                      bool formula);

/// Operands of the document have no arithmetic: their value and where they come from.
Arithmetic operandArithmetic(const Trace& trace, const CellRef& cell);

/// A factor of a product, a negative one in brackets: "0.26", "(−0.33)".
std::string factorText(double value);

/// "maximum 3.577 · Σ exp = 1.151 · own 1 / 1.151 = 0.869": a weight's quotient.
std::string quotientText(const Explanation& explanation);

}  // namespace headscope::ui
