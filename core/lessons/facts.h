// Facts: values of a pass and of the current selection, by name. Texts take their numbers from
// facts, and exercises are checked by them.
//
//   name                                   value
//   d_model heads kv_heads d_k tokens      sizes
//   keys parameters
//   causal masked                          1 or 0
//   SWITCH                                 any switch: bias scale temperature … (switches.h)
//   heads_off fully_masked_rows pins       counts
//   page step tool mistake                 the word for what is shown; "none"
//   head                                   the selected head, from 1
//   chosen                                 the selected cell's tensor; "none"
//   matrix                                 its sign: "W^Q"
//   query key                              the selected cell's tokens
//   row column value                       the selected cell's indices and number
//   block                                  from 1: the head whose columns the selected cell lies in
//   first_column last_column               the selected head's columns in Q
//   CELL                                   that cell's number
//   sum | largest | smallest | mean CELLS  over all cells whose indices begin with the given ones
//   spread CELLS                           their standard deviation
//   saturated CELLS                        share of rows whose largest cell is above 0.99
//   above_diagonal CELLS                   the sum of the cells above the diagonal
//   argmax CELLS                           the token of the key with the largest cell
//   distinct_heads                         how many heads differ
//   head_off[h]                            1 or 0
//   METRIC[h]                              any head metric, for example previous_token[3]
//   any_head[a, b]                         the largest weight that any head gives from a to b
//   preset_heads[name]  preset_d_model     the sizes of a preset: preset_heads[bert-base]
//   preset_d_k
//
// CELL is tensor notation, "weights[0, 1, 2, 3]" (item, head, row, column, from 0); CELLS may leave
// out the last indices. A token of the input may stand for a query or key (its first place), "head"
// for the selected head, and the name of any further fact that is a place for an index: "argmax
// weights[0, head, sat]", "token[stage_word]".
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/attention/tensor_id.h"
#include "core/document/fwd.h"

namespace headscope::lessons {

using Fact = std::variant<double, std::string>;
using NamedFacts = std::map<std::string, Fact, std::less<>>;

/// The source of facts.
struct FactSource {
  const Trace& trace;
  Index item = 0, head = 0;
  std::string page = {}, step = {}, tool = {};
  std::optional<CellRef> chosen = {};
  NamedFacts others = {};  // further facts of the program, for all other names
};

/// Returns the fact of a name; nothing where the name is unknown or has no value.
std::optional<Fact> factOf(std::string_view name, const FactSource& source);
/// The cell that a text names, with words and "head" resolved.
std::optional<CellRef> cellOf(std::string_view text, const FactSource& source);

/// The text with every "{name}" replaced by its fact: numbers as the program writes them, with
/// "{name:2}" two places after the point, with "{name:%}" as a share in per cent; "–" where it is
/// missing. Braces after "^" or "_" hold what is raised or lowered and stay: "W^{QK}".
std::string filledIn(std::string_view text, const FactSource& source);
/// Replaces only "{before name}", the facts at the start of a scene; all other text is kept.
std::string filledInBefore(std::string_view text, const FactSource& source);
/// Returns filledIn(text, source); empty where one of the facts is missing.
std::string filledInIfKnown(std::string_view text, const FactSource& source);

/// A condition on a fact.
struct Condition {
  enum class Is { equal, unequal, atLeast, atMost };
  std::string fact;
  Is is = Is::equal;
  Fact value;
};

bool holds(const Condition& condition, const FactSource& source);
bool allHold(const std::vector<Condition>& conditions, const FactSource& source);

}  // namespace headscope::lessons
