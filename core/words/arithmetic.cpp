#include "core/words/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/attention/alibi.h"
#include "core/attention/config.h"
#include "core/attention/gradients.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope {
namespace {

std::string softmaxText(const Explanation& e, bool briefly) {
  const Term* own = e.own();
  if (own == nullptr) return "0 · " + e.rule;
  std::string text = fmt::format("{} / {}", number(own->product), number(e.sum));
  if (!briefly) {
    text = trFormat("exp({} − max {}) / Σ exp = {}", factorText(own->leftValue),
                    factorText(own->rightValue), text);
  }
  if (e.factor != 1.0) text += fmt::format(" × {}", number(e.factor));
  return fmt::format("{} = {}", text, number(e.computed(), 5));
}

/// The terms of a sum of so few stand in its own order, so that they are found on paper.
constexpr std::size_t kFewTerms = 16;

std::string sumText(const Explanation& e, std::size_t shown) {
  std::string result = number(e.pinned ? e.computed() : e.value, 5);
  if (e.ending == ExplanationForm::function) {
    result = fmt::format("{}, {}{}{} = {}", number(e.sum, 5), e.before, factorText(e.sum), e.after,
                         result);
  } else if (e.terms.size() == 1 && e.terms.front().right == "1") {
    return result;  // taken as it is
  }
  std::vector<const Term*> order;
  order.reserve(e.terms.size());
  for (const Term& term : e.terms) order.push_back(&term);
  const std::size_t kept = std::min(shown, order.size());
  if (order.size() > kFewTerms) {
    std::partial_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
        [](const Term* a, const Term* b) { return std::abs(a->product) > std::abs(b->product); });
  }
  std::string text;
  for (std::size_t i = 0; i < kept; ++i) {
    const Term& t = *order[i];
    if (i > 0) text += " + ";
    text += t.right == "1" ? factorText(t.leftValue)
                           : factorText(t.leftValue) + "·" + factorText(t.rightValue);
  }
  const std::size_t more = order.size() - kept;
  if (more > 0) {
    const auto count = static_cast<Index>(more);
    text += kept == 0 ? counted(count, tr("{} term"), tr("{} terms"))
            : order.size() > kFewTerms
                ? " + … " + counted(count, tr("{} smaller term"), tr("{} smaller terms"))
                : " + … " + counted(count, tr("{} more term"), tr("{} more terms"));
  }
  return text + " = " + result;
}

/// The next value of a score: scaled, masked, or a weight.
std::string nextText(const Trace& trace, const CellRef& cell) {
  if (cell.gradient) return {};
  const TensorId id = cell.tensor;
  if (id != TensorId::rawScores && id != TensorId::scores && id != TensorId::maskedScores)
    return {};
  const auto at = [&](TensorId tensor) {
    CellRef other = cell;
    other.tensor = tensor;
    return other;
  };
  std::string text;
  if (id == TensorId::rawScores) {
    const Explanation e = explainCell(trace, at(TensorId::scores));
    const bool function = e.ending == ExplanationForm::function;
    text = fmt::format("× {}{} → {}, ", number(e.terms.front().rightValue),
                       function ? fmt::format(", {}x{}", e.before, e.after) : "", number(e.value));
  }
  const std::string why = whyForbidden(trace.config().mask, cell.item, cell.row, cell.col);
  if (!why.empty() && id != TensorId::maskedScores) text += "masked (" + why + "), ";
  if (why.empty() && id != TensorId::maskedScores) {
    const Explanation e = explainCell(trace, at(TensorId::maskedScores));
    if (isBiased(e)) text += fmt::format("{} → {}, ", biasText(e).substr(1), number(e.value));
  }
  if (!text.empty()) text += "then ";
  const char* line =
      trace.config().mistakes.softmaxOverQueries ? tr("down the column") : tr("over the row");
  return trFormat("next: {}softmax {} → {}", text, line,
                  number(trace.value(at(TensorId::weights))));
}

/// The gradient of a masked score: its weight times the excess of its weight's gradient over the
/// mean.
std::string differenceText(const Explanation& e) {
  std::string incoming = factorText(e.incoming);
  if (e.factor != 1.0) incoming = number(e.factor) + "·" + incoming;
  return fmt::format("{}·({} − Σ {}) = {}", factorText(e.share), incoming, factorText(e.sum),
                     number(e.value, 5));
}

/// The arithmetic of the terms, without the value of a pin.
std::string termsText(const Trace& trace, const Explanation& e, std::size_t terms, bool formula) {
  if (isForbidden(trace, e) || e.terms.empty()) return e.rule;
  if (e.ending == ExplanationForm::difference) return differenceText(e);
  if (e.cell.gradient) return sumText(e, terms);
  const bool weight = e.cell.tensor == TensorId::weights;
  std::string text = weight        ? softmaxText(e, terms == 0)
                     : isBiased(e) ? biasedText(e)
                                   : sumText(e, terms);
  if (formula && !(weight && e.own() == nullptr)) {
    text = formulaOf(trace, e) + " = " + text;
  }
  return text;
}

/// Without gradients in the trace, a gradient's cell is explained as its forward value.
Explanation explainedHere(const Trace& trace, const CellRef& cell) {
  if (cell.gradient && trace.gradients() != nullptr) {
    return explainGradientCell(*trace.gradients(), cell);
  }
  if (isResult(cell.tensor)) return explainCell(trace, cell);
  Explanation given;
  given.cell = cell;
  given.value = static_cast<double>(trace.value(cell));
  return given;
}

}  // namespace

std::string quotientText(const Explanation& e) {
  const Term* own = e.own();
  if (own == nullptr || e.ending != ExplanationForm::share) return {};
  std::string text = trFormat("maximum {} · Σ exp = {} · own {} / {}", number(own->rightValue, 5),
                              number(e.sum, 5), number(own->product, 5), number(e.sum, 5));
  if (e.factor != 1.0) text += fmt::format(" × {}", number(e.factor, 5));
  return fmt::format("{} = {}", text, number(e.computed(), 5));
}

Arithmetic operandArithmetic(const Trace& trace, const CellRef& cell) {
  const std::string stored =
      isWeightMatrix(cell.tensor) ? trFormat(" · {} in PyTorch", toString(cell)) : "";
  return {cellName(trace, cell),
          fmt::format("= {}{} · {}", number(trace.value(cell), 5), stored, originOf(trace, cell)),
          {},
          {}};
}

Arithmetic arithmetic(const Trace& trace, const Explanation& e, std::size_t terms, bool formula) {
  Arithmetic a;
  a.name = cellName(trace, e.cell);
  const std::string text = termsText(trace, e, terms, formula);
  a.sum =
      e.pinned ? trFormat("= {}, pinned · computed: {}", number(e.value, 5), text) : "= " + text;
  // a masked cell has only its rule
  const bool weight = e.cell.tensor == TensorId::weights && !e.cell.gradient;
  const bool masked = weight ? e.own() == nullptr : isForbidden(trace, e);
  if (!masked) a.remark = remarkOn(trace, e);
  a.next = nextText(trace, e.cell);
  return a;
}

const Explanation& Explanations::of(const Trace& trace, const CellRef& cell) {
  const auto holds = [&](const std::optional<Entry>& entry) {
    return entry && entry->pass == trace.pass() && entry->explanation.cell == cell;
  };
  if (!holds(entries_[0])) {
    std::swap(entries_[0], entries_[1]);
    if (!holds(entries_[0])) entries_[0] = Entry{trace.pass(), explainedHere(trace, cell)};
  }
  return entries_[0]->explanation;
}

}  // namespace headscope
