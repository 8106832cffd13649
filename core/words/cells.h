// Cells in words: the name of a cell, its operands and the reason of its value, by its tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/attention/tensor_id.h"
#include "core/document/fwd.h"

namespace headscope {

class Step;
struct Explanation;
struct Term;

/// Returns whether a tensor is a matrix of weights: W^Q, W^K, W^V, W^O or W^G.
bool isWeightMatrix(TensorId tensor);

/// "S", "A", "W^Q"; "q", "q_proj" where the symbol is shared or long: the tensor's name.
std::string symbolOf(TensorId tensor);

/// A token for display; padding has its own sign.
std::string_view shownToken(std::string_view token);

/// The tokens that an axis counts, of a batch item; none where it counts something else.
const std::vector<std::string>& tokensAlong(const Trace& trace, Axis axis, Index item);

/// "cat" where an axis counts tokens, else the index.
std::string placeName(const Trace& trace, Axis axis, Index item, Index index);

/// A place in a formula: a word of a text in quotes, as "\",\"" for a comma; else as placeName.
std::string placeInFormula(const Trace& trace, Axis axis, Index item, Index index);
/// `S["sat", "cat"]`: a cell by its tokens where its axes count tokens; for a gradient
/// `∂S["sat", "cat"]`. `W^O[64, 9]` is row 64, column 9 of W^O as textbooks multiply it, C·W^O,
/// which PyTorch stores as W_O[9, 64]; toString (tensor_id.h) gives the latter.
std::string cellName(const Trace& trace, const CellRef& cell);

/// A term's operands by cellName, with the factor of the left one (`0.5 · A["sat", "cat"]`);
/// "1/√64" where the right operand is a number.
std::string leftName(const Trace& trace, const Term& term);
std::string rightName(const Trace& trace, const Term& term);

/// The formula of a result's cell: `Σ_j q["sat", j]·k["cat", j]`.
std::string formulaOf(const Trace& trace, const Explanation& explanation);

/// Returns whether the cell is a masked score of a forbidden key, so that its value is not that of
/// its single term.
bool isForbidden(const Trace& trace, const Explanation& explanation);

/// Returns whether numbers without a cell are added to the score: ALiBi's penalty, a pair's bias.
bool isBiased(const Explanation& explanation);

/// The numbers that are added to a score: " − 0.25 × 3" with ALiBi, " + 0.5" with a pair bias.
std::string biasText(const Explanation& explanation);
/// The arithmetic of a masked score that is allowed: "−1.23 − 0.25 × 3 = −1.98".
std::string biasedText(const Explanation& explanation);

/// Describes a step in one line that is true for the document: a row with a pinned weight need not
/// sum to 1.
std::string stepSentence(const Step& step, const Document& document);

/// A remark on what the numbers do not show: which columns a head has, which rule forbids a key,
/// what dropout did; or nothing.
std::string remarkOn(const Trace& trace, const Explanation& explanation);

/// The source of an operand of the document: "token 'sat', coordinate 3: noun · from the text".
std::string originOf(const Trace& trace, const CellRef& cell);

/// The name of a column of X ("noun", "cos(w_2 i)"); empty for other cells.
std::string_view coordinateName(const Trace& trace, const CellRef& cell);

/// "every key of 'x' is masked: no softmax, weights 0, output b_O", or empty.
std::string whyFullyMasked(const Trace& trace, const CellRef& cell);
bool isFullyMasked(const Trace& trace, Index item, Index row);

}  // namespace headscope
