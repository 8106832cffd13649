#include "core/words/narration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/attention/config.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/words/cells.h"
#include "core/words/narrator.h"

namespace headscope {
namespace {

constexpr std::size_t kTermsNarrated = 2;
constexpr Index kNumbersNarrated = 3;

/// “sat”; "query 3" where there are no tokens.
std::string quotedToken(const Trace& trace, Axis axis, Index item, Index at) {
  const auto& tokens = tokensAlong(trace, axis, item);
  if (at < 0 || at >= std::ssize(tokens)) {
    return fmt::format("{} {}", axis == Axis::query ? "query" : "key", at);
  }
  return fmt::format("“{}”", shownToken(tokens[static_cast<std::size_t>(at)]));
}

/// In the order of StepId.
constexpr std::array kNarrateStep{&narrateProject, &narrateSplit,   &narrateNormalize,
                                  &narrateRotate,  &narrateScore,   &narrateScale,
                                  &narrateMask,    &narrateSoftmax, &narrateWeigh,
                                  &narrateGate,    &narrateConcat,  &narrateOutput};
static_assert(kNarrateStep.size() == kEveryStepCount, "a step has no narration");

}  // namespace

std::string Narrator::query(Index row) const {
  return quotedToken(trace, Axis::query, subject.item, row);
}
std::string Narrator::key(Index col) const {
  return quotedToken(trace, Axis::key, subject.item, col);
}

Index Narrator::rowShown() const {
  return otherRow(subject.query, alone() ? moment.from : moment.to - 1);
}

CellRef Narrator::cell(TensorId tensor, Index row, Index col) const {
  const TensorInfo& t = info(tensor);
  const Index head = t.perHead ? headIn(tensor, subject.head, c) : -1;
  return {tensor, t.perItem ? subject.item : -1, head, row, col};
}

std::string Narrator::named(const CellRef& at) const {
  return cellName(trace, at) + " = " + number(value(at));
}

std::string Narrator::rowStart(TensorId tensor, Index row) const {
  return numbers(tensor, row, 0, shapeOf(tensor, c).back());
}

std::string Narrator::headStart(TensorId tensor, Index row, Index first) const {
  return numbers(tensor, row, first, c.dK());
}

std::string Narrator::numbers(TensorId tensor, Index row, Index first, Index count) const {
  const Index shown = std::min(kNumbersNarrated, count);
  std::string text = named(cell(tensor, row, first));
  for (Index i = 1; i < shown; ++i) text += ", " + number(value(cell(tensor, row, first + i)));
  return shown < count ? text + " …" : text;
}

double Narrator::length(const CellRef& first, Index cols) const {
  std::vector<float> part(static_cast<std::size_t>(cols));
  trace.tile(first.tensor, first.item, first.head, first.row, 1, first.col, cols, part.data());
  double squares = 0.0;
  for (const float v : part) squares += static_cast<double>(v) * static_cast<double>(v);
  return std::sqrt(squares);
}

std::string Narrator::sum(const Explanation& e) const {
  std::string text = "=";
  const std::size_t shown = std::min(kTermsNarrated, e.terms.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Term& t = e.terms[i];
    text += i == 0 ? " " : " + ";
    text += factorText(t.leftValue) + "·" + factorText(t.rightValue);
  }
  if (e.terms.size() > shown) {
    const std::size_t left = e.terms.size() - shown;
    text += " + … " + counted(static_cast<Index>(left), tr("{} more term"), tr("{} more terms"));
  }
  if (e.pinned)
    return trFormat("{} = {}, but it is pinned to {}", text, number(e.sum), number(e.value));
  return text + " = " + number(e.value);
}

std::string Narrator::columns(Index first) const {
  if (c.dK() == 1) return trFormat("column {}", first);
  return trFormat("columns {} to {}", first, first + c.dK() - 1);
}

std::string Narrator::rest(const char* one, const char* many) const {
  const Index count = moment.to - moment.from;
  if (moment.from > 0) return trFormat("… and {} more {}", count, count == 1 ? one : many);
  return count == 1 ? trFormat("The other {}", one) : trFormat("The other {} {}", count, many);
}

std::string narrate(const Trace& trace, const RowRef& subject, const TimelineSegment& moment) {
  std::string text =
      kNarrateStep[static_cast<std::size_t>(moment.step)](Narrator(trace, subject, moment));
  constexpr std::string_view kIsAbout = "= ≈";  // “≈ 0” replaces the sign “=”
  for (std::size_t at = text.find(kIsAbout); at != std::string::npos; at = text.find(kIsAbout)) {
    text.erase(at, 2);
  }
  return text;
}

Index largestKey(const Trace& trace, TensorId tensor, Index item, Index head, Index query) {
  std::vector<float> row(static_cast<std::size_t>(trace.config().keys()));
  trace.tile(tensor, item, head, query, 1, 0, trace.config().keys(), row.data());
  const auto largest = std::max_element(row.begin(), row.end());
  if (*largest == -std::numeric_limits<float>::infinity()) return -1;
  return largest - row.begin();
}

}  // namespace headscope
