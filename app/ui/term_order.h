// Term order: the terms of a sum by any of their columns, and the running sum in that order. Pure:
// no drawing.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attention/steps/step.h"

namespace headscope::ui {

enum class TermColumn { index, left, right, product, contribution };  // contribution: |product|

struct TermOrder {
  TermColumn by = TermColumn::index;
  bool descending = false;

  bool operator==(const TermOrder&) const = default;
};

/// After a click on a column's heading: by that column, the largest first (the index: the smallest
/// first); a second click turns it round.
TermOrder clicked(const TermOrder& now, TermColumn column);

/// Positions of the terms in this order; equal ones stay in the order of their index.
std::vector<std::uint32_t> orderOf(const std::vector<Term>& terms, const TermOrder& order);

/// After each term, in the order shown.
std::vector<double> runningSums(const std::vector<Term>& terms,
                                const std::vector<std::uint32_t>& order);

}  // namespace headscope::ui
