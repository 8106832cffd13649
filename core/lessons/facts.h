// Facts: what can be read from a pass and from what is looked at, by name, so that texts hold the
// numbers of the data that is shown and tasks are judged by it.
//
// Sizes and switches: d_model heads kv_heads d_k tokens keys parameters temperature; causal scale
// bias masked (1 or 0); heads_off, fully_masked_rows, pins (counts).
// What is looked at: page, step, tool, mistake (words; "none"), head (from 1), chosen (the chosen
// cell's tensor; "none"), query and key (the chosen cell's words), row and column (its indices),
// value (its number), its block (from 1: the head whose columns of Q, K, V, concat or W_O it is
// in), first_column and last_column (of the head, in Q). Cells: "weights[0, 1, 2, 3]" in tensor
// notation; in place of a query's or a key's index a word of the input stands for where it is
// first, in place of the head "head" for the one that is looked at. Of all cells whose indices
// begin so: "sum weights[0, 1, sat]", "largest …", "smallest …", "mean …", "spread …" (the standard
// deviation), "saturated …" (the share of rows whose largest cell is above 0.99), "above_diagonal
// …" (their sum), "argmax weights[0, 1, sat]" (the key's word). Of heads: "distinct_heads" (how
// many differ), "head_off[3]" (1 or 0), and any metric: "ablation[3]", "previous_token[3]"; heads
// count from 0, as in tensor notation.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/trace.h"

namespace headscope::lessons {

using Fact = std::variant<double, std::string>;
using NamedFacts = std::map<std::string, Fact, std::less<>>;

/// Where facts come from.
struct FactSource {
  const Trace& trace;
  Index item = 0, head = 0;
  std::string page = {}, step = {}, tool = {};
  std::optional<CellRef> chosen = {};
  NamedFacts others = {};  // what the program knows besides: read where no name above is meant
};

/// Nothing where the name is none, or what it names is not there.
std::optional<Fact> factOf(std::string_view name, const FactSource& source);
/// The cell that a text names, words and "head" resolved.
std::optional<CellRef> cellOf(std::string_view text, const FactSource& source);

/// The text with every "{name}" replaced by its fact: numbers as the program writes them, with
/// "{name:2}" two places after the point, with "{name:%}" as a share in per cent; "–" where it is
/// not there. Braces after "^" or "_" hold what is raised or lowered and stay: "W^{QK}".
std::string filledIn(std::string_view text, const FactSource& source);
/// The same of "{before name}" alone, which is how a scene begins; all else stays as it is written.
std::string filledInBefore(std::string_view text, const FactSource& source);
/// The same as filledIn; empty where one of the facts is not there.
std::string filledInIfKnown(std::string_view text, const FactSource& source);

/// What has to be so.
struct Condition {
  enum class Is { equal, unequal, atLeast, atMost };
  std::string fact;
  Is is = Is::equal;
  Fact value;
};

bool holds(const Condition& condition, const FactSource& source);

}  // namespace headscope::lessons
