// Term order: orders the terms of a sum by any of their columns and computes the running sum in
// that order. Pure: no drawing.
#pragma once

#include <cstdint>
#include <vector>

namespace headscope {
struct Term;
}  // namespace headscope

namespace headscope::ui {

enum class TermColumn { index, left, right, product, contribution };  // contribution: |product|

struct TermOrder {
  TermColumn by = TermColumn::index;
  bool descending = false;

  bool operator==(const TermOrder&) const = default;
};

/// Returns the order after a click on a column's heading: by that column, largest first (the index:
/// smallest first). A second click reverses it.
TermOrder clicked(const TermOrder& now, TermColumn column);

/// The positions of the terms in this order; equal terms keep the order of their index.
std::vector<std::uint32_t> orderOf(const std::vector<Term>& terms, const TermOrder& order);

/// The running sum after each term, in the given order.
std::vector<double> runningSums(const std::vector<Term>& terms,
                                const std::vector<std::uint32_t>& order);

}  // namespace headscope::ui
