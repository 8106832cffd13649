#include "core/attention/steps/terms.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/attention/config.h"
#include "core/attention/steps/softmax_row.h"
#include "core/base/translation.h"

namespace headscope {

Term productTerm(const LayerTensors& tensors, const CellRef& left, const CellRef& right) {
  const double l = tensors.value(left);
  const double r = tensors.value(right);
  return {toString(left), toString(right), l, r, l * r, {left, right}};
}

Term sourceTerm(const LayerTensors& tensors, const CellRef& source) {
  return scaledTerm(tensors, source, "1", 1.0);
}

Term scaledTerm(const LayerTensors& tensors, const CellRef& source, std::string factor,
                double factorValue) {
  const double value = tensors.value(source);
  return {toString(source), std::move(factor), value, factorValue, value * factorValue, {source}};
}

Explanation startExplanation(const LayerTensors& tensors, const CellRef& cell, std::string rule) {
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

std::string overGroup(const AttentionConfig& config) {
  const Index group = config.headsPerGroup();
  return group == 1 ? "" : trFormat(", over the {} heads that share it", group);
}

void sumTerms(Explanation& explanation) {
  explanation.sum = 0.0;
  for (const Term& term : explanation.terms) explanation.sum += term.product;
}

CellRef gradientOf(CellRef cell) {
  cell.gradient = true;
  return cell;
}

Term gradientTerm(const Gradients& gradients, const CellRef& result, const CellRef& other,
                  double factor) {
  Term term = productTerm(gradients, gradientOf(result), other);
  if (factor != 1.0) {
    term.before = fmt::format("{:g} · ", factor);
    term.leftValue *= factor;
    term.product *= factor;
  }
  if (gradients.values().pins().at(result)) {
    term.after = tr(" (pinned: stops here)");
    term.leftValue = term.product = 0.0;
  }
  return term;
}

Tensor headsMemory(TensorId id, const AttentionConfig& config, const BlockStorePtr& store) {
  const Shape s = shapeOf(id, config);
  return Tensor::uninitialised({s[0], s[2], s[1], s[3]}, store).transposed(1, 2);
}

const Term* Explanation::own() const {
  if (ending != ExplanationForm::share && ending != ExplanationForm::difference) return nullptr;
  const auto found = std::find_if(terms.begin(), terms.end(), [this](const Term& term) {
    if (term.cells.empty()) return false;  // a sink
    const CellRef& score = term.cells.front();
    return score.row == cell.row && score.col == cell.col;
  });
  return found != terms.end() ? &*found : nullptr;
}

double Explanation::computed() const {
  switch (ending) {
    case ExplanationForm::sum:
      return sum;
    case ExplanationForm::difference:
      return share * (factor * incoming - sum);
    case ExplanationForm::function:
      return functionValue;
    case ExplanationForm::share:
      break;
  }
  const Term* term = own();
  return term != nullptr ? factor * softmaxShare(term->product, sum) : 0.0;
}

}  // namespace headscope
