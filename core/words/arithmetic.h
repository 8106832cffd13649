// Arithmetic in words: a cell's explanation in words and numbers, and a cache of the latest
// explanations.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/attention/steps/step.h"
#include "core/document/fwd.h"
#include "core/words/cells.h"

namespace headscope {

struct Arithmetic {
  std::string name;  // `S["sat", "cat"]`
  std::string sum;  // `= Σ_j q["sat", j]·k["cat", j] = 0.81·1.12 + … 61 smaller terms = 25.418`
  std::string remark;  // a remark on what the numbers do not show, or empty
  std::string next;    // the cell's next value, or empty
};

/// Writes out the first `terms` terms after the formula if `formula`; of a sum of more than 16 the
/// largest, the largest first. With no terms, a weight has only its quotient.
Arithmetic arithmetic(const Trace& trace, const Explanation& explanation, std::size_t terms,
                      bool formula);

/// The value and the source of an operand of the document, which has no arithmetic.
Arithmetic operandArithmetic(const Trace& trace, const CellRef& cell);

/// "maximum 3.577 · Σ exp = 1.151 · own 1 / 1.151 = 0.869": a weight's quotient.
std::string quotientText(const Explanation& explanation);

/// A cache of the explanations of the latest cells, shared by all views.
class Explanations {
 public:
  /// The explanation of a cell of a result or of a gradient of the trace. It is valid until two
  /// other cells have been requested.
  const Explanation& of(const Trace& trace, const CellRef& cell);

 private:
  struct Entry {
    std::uint64_t pass = 0;
    Explanation explanation;
  };
  std::array<std::optional<Entry>, 2> entries_;  // the latest first
};

}  // namespace headscope
