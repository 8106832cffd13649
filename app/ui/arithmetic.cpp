#include "app/ui/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/axis_labels.h"
#include "app/ui/widgets.h"
#include "core/steps/unpinned.h"

namespace headscope::ui {
namespace {

std::string axisName(const Trace& trace, Axis axis, Index item, Index index) {
  const Lane lane = axis == Axis::query ? Lane::query : axis == Axis::key ? Lane::key : Lane::none;
  const auto& tokens = laneTokens(trace, lane, std::max<Index>(item, 0));
  if (index < static_cast<Index>(tokens.size())) {
    return std::string(shownToken(tokens[static_cast<std::size_t>(index)]));
  }
  return std::to_string(index);
}

/// A factor of a product: negative ones in brackets.
std::string factor(double value) {
  const std::string text = number(value, 3);
  return value < 0 ? "(" + text + ")" : text;
}

bool isSoftmax(const Explanation& e) { return e.cell.tensor == TensorId::weights; }

std::string softmaxText(const Trace& trace, const Explanation& e) {
  if (e.terms.empty()) return "= " + number(e.value) + " · " + e.rule;
  const double maximum = e.terms.front().rightValue;
  double own = 0.0;
  for (const Term& term : e.terms) {
    const CellRef& source = term.cells.front();
    if (source.row == e.cell.row && source.col == e.cell.col) own = term.product;
  }
  if (own == 0.0 && e.value == 0.0) return "= 0 · " + e.rule;
  const double result = unpinnedValue(trace, e.cell);
  const AttentionConfig& c = trace.config();
  const std::string kept = !c.dropout.on() ? ""
                           : result == 0.0 ? ", dropped"
                                           : fmt::format(" / {:g} (dropout)", 1.0 - c.dropout.rate);
  return fmt::format("= exp(s − max) / Σ exp = {} / {}{} = {}, the {}'s maximum is {}", number(own),
                     number(e.sum), kept, number(result),
                     c.mistakes.softmaxOverQueries ? "column" : "row", number(maximum));
}

std::string sumText(const Explanation& e, std::size_t shown) {
  std::vector<const Term*> order;
  order.reserve(e.terms.size());
  for (const Term& term : e.terms) order.push_back(&term);
  const std::size_t kept = std::min(shown, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
      [](const Term* a, const Term* b) { return std::abs(a->product) > std::abs(b->product); });
  std::string text = "=";
  for (std::size_t i = 0; i < kept; ++i) {
    const Term& t = *order[i];
    text += i == 0 ? " " : " + ";
    text += t.right == "1" ? factor(t.leftValue) : factor(t.leftValue) + "·" + factor(t.rightValue);
  }
  if (order.size() > kept) {
    text += fmt::format(" + … {} more term{}", order.size() - kept,
                        order.size() - kept == 1 ? "" : "s");
  }
  return text + " = " + number(e.pinned ? e.sum : e.value, 5);
}

/// What a score becomes: scaled, masked, a weight.
std::string nextText(const Trace& trace, const CellRef& cell) {
  const TensorId id = cell.tensor;
  if (id != TensorId::rawScores && id != TensorId::scores && id != TensorId::maskedScores)
    return {};
  const auto as = [&](TensorId tensor) {
    CellRef other = cell;
    other.tensor = tensor;
    return number(trace.value(other));
  };
  std::string text = "next: ";
  if (id == TensorId::rawScores) {
    text +=
        fmt::format("× {} → {}, ", number(trace.config().scoreMultiplier()), as(TensorId::scores));
  }
  const std::string why = whyForbidden(trace.config().mask, cell.item, cell.row, cell.col);
  if (!why.empty() && id != TensorId::maskedScores) text += "masked (" + why + "), ";
  return text + "then softmax over the row → " + as(TensorId::weights);
}

std::string origin(const Trace& trace, TensorId id) {
  const Document& d = trace.document();
  if (id == TensorId::x || id == TensorId::memory) {
    return d.inputEdited ? "the input, with cells changed by hand" : "the input";
  }
  const char* changed = d.weightsEdited ? "; some changed by hand" : "";
  if (!d.weightSource.drawn()) return "from " + d.weightSource.loadedFrom + changed;
  return fmt::format("drawn: {}, seed {}{}", toString(d.weightSource.init), d.weightSource.seed,
                     changed);
}

}  // namespace

std::string cellName(const Trace& trace, const CellRef& cell) {
  const TensorInfo& t = info(cell.tensor);
  if (t.rows == Axis::none) return fmt::format("{}[{}]", t.name, cell.col);
  return fmt::format("{}[{}, {}]", t.name, axisName(trace, t.rows, cell.item, cell.row),
                     axisName(trace, t.cols, cell.item, cell.col));
}

Arithmetic arithmetic(const Trace& trace, const CellRef& cell, std::size_t terms) {
  Arithmetic a;
  a.name = cellName(trace, cell);
  if (static_cast<std::size_t>(cell.tensor) < kFirstResult) {
    a.sum = fmt::format("= {} · {}", number(trace.value(cell), 5), origin(trace, cell.tensor));
    return a;
  }
  const Explanation e = explainCell(trace, cell);
  if (isSoftmax(e)) {
    a.sum = softmaxText(trace, e);
  } else if (std::isinf(e.value)) {
    a.sum = "= " + e.rule;
  } else {
    a.sum = sumText(e, terms);
    if (e.terms.size() == 1 && !e.pinned) a.sum += " · " + e.rule;
  }
  if (e.pinned) a.sum = fmt::format("= {}, pinned; computed {}", number(e.value, 5), a.sum);
  a.next = nextText(trace, cell);
  return a;
}

}  // namespace headscope::ui
