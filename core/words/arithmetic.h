// Arithmetic in words: a cell's explanation in words and numbers, and the explanations of the cells
// looked at last.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/attention/steps/step.h"
#include "core/document/trace.h"
#include "core/words/cells.h"

namespace headscope {

struct Arithmetic {
  std::string name;    // "S[sat, cat]"
  std::string sum;     // "= Σ_j q[sat, j]·k[cat, j] = 0.81·1.12 + … 61 more terms = 25.418"
  std::string remark;  // what numbers do not say, or empty
  std::string next;    // what becomes of it, or empty
};

/// The largest terms first; `terms` of them are written out, after the formula where `formula`;
/// with none, of a weight its quotient alone.
Arithmetic arithmetic(const Trace& trace, const Explanation& explanation, std::size_t terms,
                      bool formula);

/// Operands of the document have no arithmetic: their value and where they come from.
Arithmetic operandArithmetic(const Trace& trace, const CellRef& cell);

/// "maximum 3.577 · Σ exp = 1.151 · own 1 / 1.151 = 0.869": a weight's quotient.
std::string quotientText(const Explanation& explanation);

/// The arithmetic of the cells looked at last, worked out once for all that show it.
class Explanations {
 public:
  /// Of a result's cell, or of a gradient's, which the trace has. Stands until two other cells were
  /// asked for.
  const Explanation& of(const Trace& trace, const CellRef& cell);

 private:
  struct Entry {
    std::uint64_t pass = 0;
    Explanation explanation;
  };
  std::array<std::optional<Entry>, 2> entries_;  // the one asked for last comes first
};

}  // namespace headscope
