// The narration of the steps whose results are vectors: project, split, normalize, rotate, weigh,
// gate, concat and output.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/rotary.h"
#include "core/attention/switches.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/words/cells.h"
#include "core/words/narration.h"
#include "core/words/narrator.h"

namespace headscope {
namespace {

/// The words for K and V.
struct KeyOrValue {
  const char* letter;
  const char* word;
  const char* weight;
  TensorId whole, perHead;
};

KeyOrValue keyOrValue(TensorId part) {
  if (part == TensorId::k) return {"K", "key", "W_K", TensorId::kProj, TensorId::k};
  return {"V", "value", "W_V", TensorId::vProj, TensorId::v};
}

/// Returns whether heads do not own columns of Q, K and V.
bool headsOwnNoColumns(const AttentionConfig& c) {
  return c.mistakes.reshapeWithoutTranspose || c.mistakes.sharedHead;
}

/// A head's term of the output: the length of heads[i] · W_O,h.
double contributionLength(const Narrator& n, Index head) {
  const ConstMatrixView mixed = n.trace.tensor(joinedHeads(n.c)).matrix({n.subject.item, head});
  const ConstMatrixView weight = n.trace.tensor(TensorId::wO).matrix();
  const Index first = head * n.c.dK();
  double squares = 0.0;
  for (Index o = 0; o < weight.rows; ++o) {
    double sum = 0.0;
    for (Index d = 0; d < n.c.dK(); ++d) {
      sum += static_cast<double>(mixed(n.subject.query, d)) *
             static_cast<double>(weight(o, first + d));
    }
    squares += sum * sum;
  }
  return std::sqrt(squares);
}

}  // namespace

std::string narrateProject(const Narrator& n) {
  const Index first = firstColumnOf(TensorId::q, n.subject.head, n.c);
  const Index last = first + n.moment.to - 1;
  switch (n.moment.beat) {
    case SegmentKind::cell: {
      const CellRef at = n.cell(TensorId::qProj, first + n.moment.from);
      return trFormat("{} becomes a query, number by number: X times a column of W_Q gives {} {}.",
                      n.query(), cellName(n.trace, at), n.sum(explainCell(n.trace, at)));
    }
    case SegmentKind::restOfCells:
      return trFormat("{} of {} of {}’s query, the last {}.", n.rest("number", "numbers"),
                      n.c.mistakes.reshapeWithoutTranspose
                          ? n.columns(first)
                          : trFormat("head {}’s part", n.subject.head + 1),
                      n.query(), n.named(n.cell(TensorId::qProj, last)));
    case SegmentKind::row:
      return trFormat("{} gets its query by the same columns of W_Q: {}", n.query(n.rowShown()),
                      n.headStart(TensorId::qProj, n.rowShown(), first));
    case SegmentKind::restOfRows:
      return trFormat("{}, up to {}: {}", n.rest("token", "tokens"), n.query(n.rowShown()),
                      n.headStart(TensorId::qProj, n.rowShown(), first));
    case SegmentKind::likewise: {
      const KeyOrValue part = keyOrValue(n.moment.part);
      const Index row = std::min(n.subject.query, n.c.keys() - 1);
      const Index column = firstColumnOf(part.perHead, n.subject.head, n.c);
      return trFormat("Every token {}has a {} as well, by weights of its own, {}: for {} {}",
                      n.c.crossAttention() ? tr("of the memory ") : "", part.word, part.weight,
                      n.key(row), n.headStart(part.whole, row, column));
    }
    default:
      break;
  }
  const std::string owned =
      headsOwnNoColumns(n.c) ? "" : trFormat(", of which each head owns {}", n.c.dK());
  return trFormat(
      "All {} heads come from one product with the whole of W_Q: {} columns{}. The last: {}.",
      n.c.numHeads, n.c.queryWidth(), owned,
      n.named(n.cell(TensorId::qProj, n.c.queryWidth() - 1)));
}

std::string narrateSplit(const Narrator& n) {
  const auto source = [&](const CellRef& at) {
    const Explanation e = explainCell(n.trace, at);
    return fmt::format("{} = {} = {}", cellName(n.trace, at),
                       cellName(n.trace, e.terms.front().cells.front()), number(e.value));
  };
  if (n.moment.beat == SegmentKind::likewise) {
    const KeyOrValue part = keyOrValue(n.moment.part);
    const Index head = n.c.kvHead(n.subject.head);
    const std::string shared =
        n.c.headsPerGroup() == 1
            ? std::string()
            : trFormat(" It has only {}: {} heads of Q share each.",
                       counted(n.c.numKvHeads, tr("{} head"), tr("{} heads")), n.c.headsPerGroup());
    const Index row = std::min(n.subject.query, n.c.keys() - 1);
    return trFormat("{} is cut the same way: {}.{}", part.letter,
                    source({part.perHead, n.subject.item, head, row, 0}), shared);
  }
  const Index head = n.alone() ? n.moment.from : n.moment.to - 1;
  const CellRef at{TensorId::q, n.subject.item, head, n.subject.query, 0};
  const std::string opening = n.alone() ? "" : fmt::format("{}. ", n.rest("head", "heads"));
  if (headsOwnNoColumns(n.c)) {
    return trFormat("{}Head {}, by mistake: {}. {}.", opening, head + 1,
                    explainCell(n.trace, at).rule, source(at));
  }
  return trFormat("{}Head {} owns {} of Q; nothing is computed, it is a view: {}.", opening,
                  head + 1, n.columns(head * n.c.dK()), source(at));
}

std::string narrateNormalize(const Narrator& n) {
  const auto lengths = [&](TensorId before, TensorId after, Index head, Index row) {
    return trFormat("from length {} to {}",
                    number(n.length({before, n.subject.item, head, row, 0}, n.c.dK())),
                    number(n.length({after, n.subject.item, head, row, 0}, n.c.dK())));
  };
  const Index head = n.c.kvHead(n.subject.head);
  switch (n.moment.beat) {
    case SegmentKind::cell: {
      const CellRef at = n.cell(TensorId::qNorm, n.moment.from);
      return trFormat(
          "{}’s query is divided by the root of the mean of its squares, each number times a "
          "learned gain: {} {}.",
          n.query(), cellName(n.trace, at), n.sum(explainCell(n.trace, at)));
    }
    case SegmentKind::restOfCells:
      return trFormat("{} by the same root: {}.", n.rest("number", "numbers"),
                      lengths(TensorId::q, TensorId::qNorm, n.subject.head, n.subject.query));
    case SegmentKind::likewise: {
      const Index row = std::min(n.subject.query, n.c.keys() - 1);
      return trFormat("Every key as well, each by its own root: {}’s {}.", n.key(row),
                      lengths(TensorId::k, TensorId::kNorm, head, row));
    }
    case SegmentKind::row:
    case SegmentKind::restOfRows: {
      const Index row = n.rowShown();
      return trFormat("{}{}’s query by a root of its own: {}.",
                      n.alone() ? "" : n.rest("query", "queries") + ". ", n.query(row),
                      lengths(TensorId::q, TensorId::qNorm, n.subject.head, row));
    }
    default:
      break;
  }
  return trFormat("The same in all {} heads, each query by its own root.", n.c.numHeads);
}

std::string narrateRotate(const Narrator& n) {
  const std::vector<double> frequencies = rotaryFrequencies(n.c.rotary, n.c.dK());
  const auto turned = [&](Index position) {  // the first pair, which turns most
    return number(static_cast<double>(position) * frequencies.front()) + " radians";
  };
  switch (n.moment.beat) {
    case SegmentKind::cell: {
      const RotatedPair pair = coordinatesOf(0, n.c.rotary, n.c.dK());
      const CellRef at = n.cell(TensorId::qRot, n.moment.from);
      std::string about = tr("The next pair turns more slowly");
      if (n.moment.from == 0) {
        about = trFormat(
            "{} is at position {}, so the first pair of its query, numbers 0 and {}, turns by {}",
            n.query(), n.subject.query, pair.second, turned(n.subject.query));
      } else if (n.moment.from >= n.c.rotary.turning(n.c.dK())) {
        about = tr("The numbers after the pairs stay");
      } else if (n.moment.from == pair.second ||
                 (n.c.rotary.pairing == Rotary::Pairing::halves && n.moment.from > pair.second)) {
        about = tr("The other of a pair turns with it");
      }
      return fmt::format("{}: {} {}.", about, cellName(n.trace, at),
                         n.sum(explainCell(n.trace, at)));
    }
    case SegmentKind::restOfCells: {
      const TensorId from = step(StepId::rotate).operands(TensorId::qRot, n.c).front();
      return trFormat(
          "{}, each pair more slowly than the one before. A rotation keeps the length{}: {} "
          "before, "
          "{} after.",
          n.rest("number", "numbers"),
          n.c.rotary.amplitude == 1.0
              ? ""
              : trFormat(", but for a factor of {}", number(n.c.rotary.amplitude)),
          number(n.length(n.cell(from, 0), n.c.dK())),
          number(n.length(n.cell(TensorId::qRot, 0), n.c.dK())));
    }
    case SegmentKind::likewise: {
      const Index row = std::min(n.subject.query, n.c.keys() - 1);
      return trFormat(
          "Keys turn by their own positions, the first pair of {}’s by {}. So the product of a "
          "query and a key depends only on their distance.",
          n.key(row), turned(row));
    }
    case SegmentKind::row:
    case SegmentKind::restOfRows: {
      const Index row = n.rowShown();
      return trFormat("{}{}, at position {}, turns by {}: {}",
                      n.alone() ? "" : n.rest("query", "queries") + ". ", n.query(row), row,
                      turned(row), n.rowStart(TensorId::qRot, row));
    }
    default:
      break;
  }
  return trFormat("All {} heads turn by the same angles.", n.c.numHeads);
}

std::string narrateWeigh(const Narrator& n) {
  const auto mostly = [&](Index row) {
    const Index top = largestKey(n.trace, TensorId::weights, n.subject.item, n.subject.head, row);
    return trFormat("{} of {}", number(n.value(n.cell(TensorId::weights, row, top)), 3),
                    n.key(top));
  };
  switch (n.moment.beat) {
    case SegmentKind::key: {
      const Explanation e = explainCell(n.trace, n.cell(TensorId::heads, 0));
      const Index j = n.moment.from;
      double sum = 0.0;
      for (Index i = 0; i <= j; ++i) sum += e.terms[static_cast<std::size_t>(i)].product;
      const Term& term = e.terms[static_cast<std::size_t>(j)];
      return trFormat("{} takes {} of {}’s value. Its number 0: {}·{} = {}, so far {}.", n.query(),
                      number(n.value(n.cell(TensorId::weights, j)), 3), n.key(j),
                      number(term.leftValue, 3), factorText(term.rightValue), number(term.product),
                      number(sum));
    }
    case SegmentKind::restOfKeys: {
      double sum = 0.0;
      for (Index j = n.moment.from; j < n.moment.to; ++j) {
        sum += n.value(n.cell(TensorId::weights, j));
      }
      return trFormat("{}, with weights of {} together.", n.rest("value", "values"), number(sum));
    }
    case SegmentKind::mixture: {
      const float gain = n.c.gain(n.subject.head);
      const std::string off =
          gain == 1.0F ? "" : trFormat(", times the head’s gain {}", number(gain));
      return trFormat("Added up{}, this is the output of head {} for {}: {}", off,
                      n.subject.head + 1, n.query(), n.rowStart(TensorId::heads, n.subject.query));
    }
    case SegmentKind::row:
    case SegmentKind::restOfRows: {
      const Index row = n.rowShown();
      const std::string opening = n.alone() ? "" : fmt::format("{}. ", n.rest("query", "queries"));
      return trFormat("{}{} mixes the same values by its own weights, most {}: {}", opening,
                      n.query(row), mostly(row), n.rowStart(TensorId::heads, row));
    }
    default:
      break;
  }
  const Index last = n.c.numHeads - 1;
  const Index group = n.c.headsPerGroup();
  const std::string own = group == 1
                              ? tr("mixes values of its own")
                              : trFormat("mixes by its own weights, {} the same values", group);
  return trFormat("Every head {}: for {}, head 1 begins with {}, head {} with {}.", own, n.query(),
                  number(n.value({TensorId::heads, n.subject.item, 0, n.subject.query, 0})),
                  last + 1,
                  number(n.value({TensorId::heads, n.subject.item, last, n.subject.query, 0})));
}

std::string narrateGate(const Narrator& n) {
  const auto passes = [&](Index row, Index col) {
    const CellRef gate = n.cell(TensorId::gate, row, col);
    const CellRef head = n.cell(TensorId::heads, row, col);
    const CellRef gated = n.cell(TensorId::gated, row, col);
    return fmt::format("{} = {}·{} = {}", cellName(n.trace, gated), number(n.value(gate), 3),
                       factorText(n.value(head)), number(n.value(gated)));
  };
  switch (n.moment.beat) {
    case SegmentKind::cell: {
      const Index d = n.moment.from;
      const CellRef gate = n.cell(TensorId::gate, d);
      const std::string pinned = n.trace.pins().at(gate) ? tr(", where it is pinned") : "";
      return trFormat("{} computes a gate for number {}: {}{}. It lets that share through: {}.",
                      n.query(), d, n.named(gate), pinned, passes(n.subject.query, d));
    }
    case SegmentKind::restOfCells:
      return trFormat("{} likewise: {}", n.rest("number", "numbers"),
                      n.rowStart(TensorId::gated, n.subject.query));
    case SegmentKind::row:
    case SegmentKind::restOfRows:
      return trFormat("{}: each has gates of its own, up to {}: {}.", n.rest("query", "queries"),
                      n.query(n.rowShown()), passes(n.rowShown(), 0));
    default:
      break;
  }
  return trFormat(
      "Every head has gates of its own: for {}, head 1 begins with {}, head {} with "
      "{}.",
      n.query(), number(n.value({TensorId::gate, n.subject.item, 0, n.subject.query, 0})),
      n.c.numHeads,
      number(n.value({TensorId::gate, n.subject.item, n.c.numHeads - 1, n.subject.query, 0})));
}

std::string narrateConcat(const Narrator& n) {
  const Index head = n.alone() ? n.moment.from : n.moment.to - 1;
  const std::string opening = n.alone() ? "" : fmt::format("{}. ", n.rest("head", "heads"));
  const CellRef from{joinedHeads(n.c), n.subject.item, head, n.subject.query, 0};
  const CellRef to = n.cell(TensorId::concat, head * n.c.dK());
  return trFormat("{}Head {} goes back to {}: {} = {} = {}.", opening, head + 1,
                  n.columns(head * n.c.dK()), cellName(n.trace, to), cellName(n.trace, from),
                  number(n.value(to)));
}

std::string narrateOutput(const Narrator& n) {
  const Index width = n.c.dModel;
  switch (n.moment.beat) {
    case SegmentKind::head:
    case SegmentKind::restOfHeads: {
      const Index head = n.alone() ? n.moment.from : n.moment.to - 1;
      const std::string opening = n.alone() ? "" : fmt::format("{}. ", n.rest("head", "heads"));
      return trFormat("{}Head {} adds to {}: {} times its own rows of W_O, a vector of length {}.",
                      opening, head + 1, n.query(),
                      counted(n.c.dK(), tr("its {} number"), tr("its {} numbers")),
                      number(contributionLength(n, head)));
    }
    case SegmentKind::total:
      return trFormat("{} they make {}’s output, of length {}: {}",
                      n.c.switches->bias ? tr("With b_O added,") : tr("Added up,"), n.query(),
                      number(n.length(n.cell(TensorId::output, 0), width)),
                      n.rowStart(TensorId::output, n.subject.query));
    default:
      break;
  }
  return trFormat("{} likewise, up to {}: {}", n.rest("token", "tokens"), n.query(n.rowShown()),
                  n.rowStart(TensorId::output, n.rowShown()));
}

}  // namespace headscope
