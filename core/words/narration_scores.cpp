// The narration of the steps with one number per query and key: score, scale, mask and softmax.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/attention/alibi.h"
#include "core/attention/config.h"
#include "core/attention/steps/softmax_row.h"
#include "core/attention/switches.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/words/cells.h"
#include "core/words/narration.h"
#include "core/words/narrator.h"

namespace headscope {
namespace {

/// The values of one pair in the first and the last head: "2.4 in head 1, −0.3 in head 8".
std::string firstAndLastHead(const Narrator& n, TensorId tensor, Index key) {
  const auto in = [&](Index head) {
    const CellRef at{tensor, n.subject.item, head, n.subject.query, std::max<Index>(key, 0)};
    return trFormat("{} in head {}", number(n.value(at)), head + 1);
  };
  return in(0) + ", " + in(n.c.numHeads - 1);
}

/// "… and 12 more queries. " before a sweep, nothing before a row by itself.
std::string sweepOpening(const Narrator& n) {
  return n.alone() ? "" : fmt::format("{}. ", n.rest("query", "queries"));
}

/// Names the largest cell of a row, or states that there is none.
std::string largestOfRow(const Narrator& n, TensorId tensor, Index row) {
  const Index key = largestKey(n.trace, tensor, n.subject.item, n.subject.head, row);
  return key < 0 ? tr("no key is left") : n.named(n.cell(tensor, row, key));
}

Index allowedKeyCount(const Narrator& n, Index row) {
  return allowedKeys(n.c.mask, n.subject.item, row, n.c.keys()).count();
}

/// "may see 3 of 6 keys"
std::string maySee(const Narrator& n, Index row) {
  const Index count = allowedKeyCount(n, row);
  if (count == 0) return tr("can see no key");
  if (count == n.c.keys()) return trFormat("can see all {} keys", count);
  return trFormat("can see {} of {} keys", count, n.c.keys());
}

/// Describes a row of weights.
std::string looksMostAt(const Narrator& n, Index row) {
  const bool noSoftmax = allowedKeyCount(n, row) == 0 && !n.c.mistakes.zeroForMasked;
  return noSoftmax ? maySee(n, row) + tr(": its weights are 0")
                   : tr("looks most at ") + largestOfRow(n, TensorId::weights, row);
}

/// One weight: its exponential over their sum.
std::string weightAsQuotient(const Narrator& n, const CellRef& at) {
  const Explanation e = explainCell(n.trace, at);
  const Term* own = e.own();
  const std::string weight = number(e.value);
  if (e.pinned) {
    return trFormat("{} gives {} the weight it is pinned to, {}.", n.query(), n.key(at.col),
                    weight);
  }
  if (own == nullptr) {
    return trFormat("{} gives {} {} of its attention: {}.", n.query(), n.key(at.col), weight,
                    whyForbidden(n.c.mask, at.item, at.row, at.col));
  }
  if (n.c.dropout.on()) {
    return trFormat("{} gives {} {} / {}{} → {}.", n.query(), n.key(at.col), number(own->product),
                    number(e.sum),
                    e.factor == 0.0 ? tr(", then dropped") : tr(", then rescaled for dropout"),
                    weight);
  }
  return trFormat(
      "{} gives {} {} / {} = {} of its attention{}.", n.query(), n.key(at.col),
      number(own->product), number(e.sum), weight,
      softmaxShare(own->product, e.sum) > 0.0 ? "" : fmt::format(" ({})", kBelowLeastWeight));
}

/// ALiBi's slope of a head: the penalty per unit of distance.
std::string slopeOf(const Narrator& n, Index head) {
  return fmt::format("{:.4g}", alibiSlope(head, n.c.numHeads));
}

/// "plus the pair's bias".
std::string_view biasInWords(const AttentionConfig& c) {
  if (!c.pairBias.on()) return tr("minus slope × distance");
  if (!c.pairBias.ofPairs()) return tr("plus the distance's bias");
  return c.switches->alibi ? tr("plus the pair's bias, minus slope × distance")
                           : tr("plus the pair's bias");
}

}  // namespace

std::string narrateScore(const Narrator& n) {
  const TensorId id = TensorId::rawScores;
  switch (n.moment.beat) {
    case SegmentKind::cell: {
      const CellRef at = n.cell(id, n.moment.from);
      return trFormat("{} asks {}: {} = Σ q·k {}.", n.query(), n.key(at.col), cellName(n.trace, at),
                      n.sum(explainCell(n.trace, at)));
    }
    case SegmentKind::restOfCells:
      return trFormat("{}. The best match of {} is {}.", n.rest("key", "keys"), n.query(),
                      largestOfRow(n, id, n.subject.query));
    case SegmentKind::row:
    case SegmentKind::restOfRows:
      return trFormat("{}{} asks every key as well; its best match is {}.", sweepOpening(n),
                      n.query(n.rowShown()), largestOfRow(n, id, n.rowShown()));
    default:
      break;
  }
  const Index key = largestKey(n.trace, id, n.subject.item, n.subject.head, n.subject.query);
  const Index group = n.c.headsPerGroup();
  const std::string own = group == 1
                              ? tr("a query and keys of its own")
                              : trFormat("a query of its own, {} heads with the same keys", group);
  return trFormat("Every head asks with {}: {} and {} score {}.", own, n.query(), n.key(key),
                  firstAndLastHead(n, id, key));
}

std::string narrateScale(const Narrator& n) {
  const TensorId id = TensorId::scores;
  switch (n.moment.beat) {
    case SegmentKind::cell: {
      const CellRef at = n.cell(id, n.moment.from);
      const Explanation e = explainCell(n.trace, at);
      const Term& term = e.terms.front();
      const bool function = e.ending == ExplanationForm::function;
      const bool scaled = term.rightValue != 1.0;
      std::string result = number(function || e.pinned ? e.sum : e.value);
      if (function) {
        result += fmt::format(", {}{}{} = {}", e.before, factorText(e.sum), e.after,
                              number(e.computed()));
      }
      if (e.pinned) result += trFormat(", but it is pinned to {}", number(e.value));
      return trFormat("{} and {}: {} × {} = {}.{}", n.query(), n.key(at.col),
                      number(term.leftValue), number(term.rightValue), result,
                      n.moment.from > 0 ? ""
                      : scaled ? tr(" Sums of more terms spread wider; the scale undoes that.")
                               : tr(" The scale is off, so the score stays as it is."));
    }
    case SegmentKind::restOfCells:
      return trFormat("{} by the same factor {}; the largest of {}: {}.", n.rest("score", "scores"),
                      number(n.c.scoreMultiplier()), n.query(),
                      largestOfRow(n, id, n.subject.query));
    case SegmentKind::row:
    case SegmentKind::restOfRows:
      return trFormat("{} by the same factor {}: {} has {}.", n.rest("query", "queries"),
                      number(n.c.scoreMultiplier()), n.query(n.rowShown()),
                      largestOfRow(n, id, n.rowShown()));
    default:
      break;
  }
  const Index key = largestKey(n.trace, id, n.subject.item, n.subject.head, n.subject.query);
  return trFormat("One factor for all heads: {} and {} have {}.", n.query(), n.key(key),
                  firstAndLastHead(n, id, key));
}

std::string narrateMask(const Narrator& n) {
  const TensorId id = TensorId::maskedScores;
  switch (n.moment.beat) {
    case SegmentKind::cell: {
      const CellRef at = n.cell(id, n.moment.from);
      const std::string why = whyForbidden(n.c.mask, at.item, at.row, at.col);
      const Explanation e = explainCell(n.trace, at);
      if (isBiased(e)) {
        return trFormat("{} can see {}: {}, the score {}.", n.query(), n.key(at.col), biasedText(e),
                        biasInWords(n.c));
      }
      if (why.empty()) {
        return trFormat("{} can see {}: the score stays {}.", n.query(), n.key(at.col),
                        number(n.value(at)));
      }
      return trFormat("{} cannot see {} ({}): {} replaces {}.", n.query(), n.key(at.col), why,
                      number(n.value(at)), number(n.value(n.cell(TensorId::scores, at.col))));
    }
    case SegmentKind::restOfCells:
      if (n.c.switches->alibi) {
        return trFormat("{}: {} {}, and each position of distance subtracts {}.",
                        n.rest("key", "keys"), n.query(), maySee(n, n.subject.query),
                        slopeOf(n, n.subject.head));
      }
      if (n.c.pairBias.on()) {
        return trFormat("{}: {} {}, and each {} adds its bias.", n.rest("key", "keys"), n.query(),
                        maySee(n, n.subject.query),
                        n.c.pairBias.ofPairs() ? tr("pair") : tr("distance"));
      }
      if (n.c.mask.none()) {
        return trFormat("No mask is set: {} {}, and the scores stay as they are.", n.query(),
                        maySee(n, n.subject.query));
      }
      return fmt::format("{}: {} {}.", n.rest("key", "keys"), n.query(),
                         maySee(n, n.subject.query));
    case SegmentKind::row:
    case SegmentKind::restOfRows:
      return trFormat("{} by the same rule: {} {}.", n.rest("query", "queries"),
                      n.query(n.rowShown()), maySee(n, n.rowShown()));
    default:
      break;
  }
  if (n.c.switches->alibi) {
    return trFormat(
        "One mask for all {} heads, and a slope of its own for each: {} in the "
        "first, {} in the last.",
        n.c.numHeads, slopeOf(n, 0), slopeOf(n, n.c.numHeads - 1));
  }
  if (n.c.pairBias.on()) {
    return trFormat("{} for all {} heads, and a bias of its own for each: {} {}.",
                    n.c.mask.none() ? tr("No mask") : tr("One mask"), n.c.numHeads, n.query(),
                    maySee(n, n.subject.query));
  }
  return trFormat("One mask for all {} heads: in each of them {} {}.", n.c.numHeads, n.query(),
                  maySee(n, n.subject.query));
}

std::string narrateSoftmax(const Narrator& n) {
  const TensorId id = TensorId::weights;
  const Index first = n.moment.beat == SegmentKind::cell ? n.moment.from : 0;
  const CellRef at = n.cell(id, first);
  const bool down = n.c.mistakes.softmaxOverQueries;
  const std::string line = down ? tr("the column of ") + n.key(first) + tr(" (by mistake)")
                                : tr("the row of ") + n.query();
  switch (n.moment.beat) {
    case SegmentKind::maximum: {
      const Explanation e = explainCell(n.trace, at);
      if (e.terms.empty()) return trFormat("Softmax of {}: {}.", line, e.rule);
      const bool sink = e.terms.back().cells.empty();
      const std::size_t keys = e.terms.size() - (sink ? 1 : 0);
      return trFormat(
          "Softmax of {}: the largest of {}{} is {}; it is subtracted from "
          "each "
          "score, so that no exponential overflows.",
          line,
          counted(static_cast<Index>(keys), tr("its {} allowed score"),
                  tr("its {} allowed scores")),
          sink ? tr(" and the head’s sink") : "", number(e.terms.front().rightValue));
    }
    case SegmentKind::exponentials: {
      const Explanation e = explainCell(n.trace, at);
      if (e.terms.empty()) return trFormat("Softmax of {}: {}.", line, e.rule);
      constexpr std::size_t kExponentials = 2;
      std::string text;
      for (std::size_t i = 0; i < std::min(kExponentials, e.terms.size()); ++i) {
        const Term& t = e.terms[i];
        const auto name = [&] {
          if (t.cells.empty()) return std::string(tr("the head’s sink"));
          const CellRef& source = t.cells.front();
          return down ? n.query(source.row) : n.key(source.col);
        };
        text += trFormat("{}{} exp({} − {}) = {}", i == 0 ? "" : ", ", name(),
                         number(t.leftValue, 3), factorText(t.rightValue), number(t.product));
      }
      return trFormat("Its exponentials are all positive: {}{}", text,
                      e.terms.size() > kExponentials ? " …" : ".");
    }
    case SegmentKind::sum: {
      const Explanation e = explainCell(n.trace, at);
      if (e.terms.empty()) return trFormat("Softmax of {}: {}.", line, e.rule);
      return trFormat("Together they make {}; each will be divided by it.", number(e.sum));
    }
    case SegmentKind::cell:
      return weightAsQuotient(n, at);
    case SegmentKind::restOfCells:
      return fmt::format("{}. {} {}.", n.rest("key", "keys"), n.query(),
                         looksMostAt(n, n.subject.query));
    case SegmentKind::row:
    case SegmentKind::restOfRows:
      return fmt::format("{}{} {}.", sweepOpening(n), n.query(n.rowShown()),
                         looksMostAt(n, n.rowShown()));
    default:
      break;
  }
  const Index key = largestKey(n.trace, id, n.subject.item, n.subject.head, n.subject.query);
  return trFormat("Every head distributes its own attention: {} gives {} {}.", n.query(),
                  n.key(key), firstAndLastHead(n, id, key));
}

}  // namespace headscope
