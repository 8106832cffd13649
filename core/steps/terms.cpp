#include "core/steps/terms.h"

namespace headscope {

Term productTerm(const Trace& trace, const CellRef& left, const CellRef& right) {
  const double l = trace.value(left);
  const double r = trace.value(right);
  return {toString(left), toString(right), l, r, l * r, {left, right}};
}

Term sourceTerm(const Trace& trace, const CellRef& source) {
  return scaledTerm(trace, source, "1", 1.0);
}

Term scaledTerm(const Trace& trace, const CellRef& source, std::string factor, double factorValue) {
  const double value = trace.value(source);
  return {toString(source), std::move(factor), value, factorValue, value * factorValue, {source}};
}

Explanation startExplanation(const Trace& trace, const CellRef& cell, std::string rule) {
  Explanation explanation;
  explanation.cell = cell;
  explanation.value = trace.value(cell);
  explanation.rule = std::move(rule);
  return explanation;
}

void sumTerms(Explanation& explanation) {
  explanation.sum = 0.0;
  for (const Term& term : explanation.terms) explanation.sum += term.product;
}

}  // namespace headscope
