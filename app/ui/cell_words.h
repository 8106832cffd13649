// Cell words: what a cell is called, what it is made of, and why it is as it is, by its tokens.
#pragma once

#include <string>

#include "core/steps/step.h"
#include "core/trace.h"

namespace headscope::ui {

/// "S", "A"; "q", "W_Q" where the symbol is shared or long: the tensor's name.
std::string symbolOf(TensorId tensor);

/// "cat" where an axis counts tokens, else the index.
std::string placeName(const Trace& trace, Axis axis, Index item, Index index);

/// "S[sat, cat]": a cell by its tokens where its axes count tokens.
std::string cellName(const Trace& trace, const CellRef& cell);

/// The same as an operand of a term, with what it is multiplied by ("0.5 · A[sat, cat]"); "1/√64"
/// where the right operand is a number.
std::string leftName(const Trace& trace, const Term& term);
std::string rightName(const Trace& trace, const Term& term);

/// What a result's cell is computed from: "Σ_j q[sat, j]·k[cat, j]".
std::string formulaOf(const Trace& trace, const CellRef& cell);

/// A masked score whose key the mask forbids: its one term is not what it is.
bool isForbidden(const Explanation& explanation);

/// What numbers do not say: which columns a head has, which rule forbids a key, what dropout did;
/// or nothing.
std::string remarkOn(const Trace& trace, const Explanation& explanation);

/// Where an operand of the document comes from: "token 'sat', coordinate 3: noun · from the text".
std::string originOf(const Trace& trace, const CellRef& cell);

}  // namespace headscope::ui
