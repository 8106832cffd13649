#include "app/ui/term_order.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "core/attention/steps/step.h"

namespace headscope::ui {
namespace {

double sortedBy(const Term& term, TermColumn column) {
  switch (column) {
    case TermColumn::left:
      return term.leftValue;
    case TermColumn::right:
      return term.rightValue;
    case TermColumn::product:
      return term.product;
    case TermColumn::contribution:
      return std::abs(term.product);
    case TermColumn::index:
      break;
  }
  return 0.0;
}

}  // namespace

TermOrder clicked(const TermOrder& now, TermColumn column) {
  if (now.by == column) return {column, !now.descending};
  return {column, column != TermColumn::index};
}

std::vector<std::uint32_t> orderOf(const std::vector<Term>& terms, const TermOrder& order) {
  std::vector<std::uint32_t> positions(terms.size());
  std::iota(positions.begin(), positions.end(), 0U);
  if (order.by == TermColumn::index) {
    if (order.descending) std::reverse(positions.begin(), positions.end());
    return positions;
  }
  std::stable_sort(positions.begin(), positions.end(), [&](std::uint32_t a, std::uint32_t b) {
    const double first = sortedBy(terms[a], order.by);
    const double second = sortedBy(terms[b], order.by);
    return order.descending ? first > second : first < second;
  });
  return positions;
}

std::vector<double> runningSums(const std::vector<Term>& terms,
                                const std::vector<std::uint32_t>& order) {
  std::vector<double> sums;
  sums.reserve(order.size());
  double sum = 0.0;
  for (const std::uint32_t position : order) sums.push_back(sum += terms[position].product);
  return sums;
}

}  // namespace headscope::ui
