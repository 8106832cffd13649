#include "core/steps/terms.h"

#include <fmt/format.h>

#include <algorithm>

namespace headscope {

Term productTerm(const AttentionTensors& tensors, const CellRef& left, const CellRef& right) {
  const double l = tensors.value(left);
  const double r = tensors.value(right);
  return {toString(left), toString(right), l, r, l * r, {left, right}};
}

Term sourceTerm(const AttentionTensors& tensors, const CellRef& source) {
  return scaledTerm(tensors, source, "1", 1.0);
}

Term scaledTerm(const AttentionTensors& tensors, const CellRef& source, std::string factor,
                double factorValue) {
  const double value = tensors.value(source);
  return {toString(source), std::move(factor), value, factorValue, value * factorValue, {source}};
}

Explanation startExplanation(const AttentionTensors& tensors, const CellRef& cell,
                             std::string rule) {
  Explanation explanation;
  explanation.cell = cell;
  explanation.value = tensors.value(cell);
  explanation.rule = std::move(rule);
  return explanation;
}

std::string kvHeadIndex(const AttentionConfig& config) {
  const Index group = config.headsPerGroup();
  return group == 1 ? "h" : fmt::format("⌊h/{}⌋", group);
}

void sumTerms(Explanation& explanation) {
  explanation.sum = 0.0;
  for (const Term& term : explanation.terms) explanation.sum += term.product;
}

const Term* Explanation::own() const {
  if (cell.tensor != TensorId::weights) return nullptr;
  const auto found = std::find_if(terms.begin(), terms.end(), [this](const Term& term) {
    const CellRef& score = term.cells.front();
    return score.row == cell.row && score.col == cell.col;
  });
  return found != terms.end() ? &*found : nullptr;
}

double Explanation::computed() const {
  if (cell.tensor != TensorId::weights) return sum;
  const Term* term = own();
  return term != nullptr ? factor * term->product / sum : 0.0;
}

}  // namespace headscope
