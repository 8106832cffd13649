#include "app/ui/step_view/step_view_items.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/ui/cells/cell_focus.h"
#include "app/ui/frame_state.h"
#include "app/ui/selection.h"
#include "app/ui/view_state.h"
#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/attention/switches.h"
namespace headscope::ui {
namespace {

/// Makes items from the pieces of a step, for the chosen head, batch item and part.
class StepViewItemBuilder {
 public:
  StepViewItemBuilder(StepId step, const AttentionConfig& config, const ViewState& view)
      : c_(config), view_(view), step_(step), part_(partShownBy(step, view.selection.part)) {}

  std::vector<StepViewItem> build() {
    // the pieces of Q serve for K and V as well
    const bool ofPart = partCount(step_) > 0;
    // where a bias is all that is added, no empty mask takes the room of its matrix
    const bool biasAlone = c_.mask.none() && c_.pairBias.on();
    for (const StepPiece& piece : lookOf(step_).pieces) {
      if (biasAlone &&
          (piece.kind == StepPiece::Kind::mask || piece.kind == StepPiece::Kind::combine)) {
        continue;
      }
      const bool absent = (piece.is(StepPiece::ofBias) && !c_.switches->bias) ||
                          (piece.is(StepPiece::ifPresent) && !has(c_, piece.tensor));
      if (!absent) add(piece, ofPart);
    }
    if (view_.frame.gradientsThere) turnToGradients();
    return std::move(items_);
  }

 private:
  /// Replaces the matrices by their gradients, with an arrow from the result's back to the
  /// operands' in place of the signs: the gradients are no product of each other.
  void turnToGradients() {
    std::vector<StepViewItem> turned;
    for (StepViewItem& item : items_) {
      if (item.ref.maskOnly) continue;
      if (item.sign) continue;
      if (item.result && !turned.empty()) {
        turned.emplace_back();
        turned.back().sign = true;
        turned.back().text = "←";
      }
      item.ref.gradient = true;
      item.text = "∂" + item.text;
      turned.push_back(std::move(item));
    }
    items_ = std::move(turned);
  }

  void add(const StepPiece& piece, bool ofPart) {
    using Kind = StepPiece::Kind;
    switch (piece.kind) {
      case Kind::matrix:
        return matrix(piece, ofPart);
      case Kind::mask:
        return mask(piece);
      case Kind::sign:
        return sign(piece.text);
      case Kind::combine:
        return sign(c_.mistakes.zeroForMasked ? "⊙" : "+");
      case Kind::operation:
        if (std::string text = step(step_).sign(c_, view_.selection.head); !text.empty()) {
          sign(std::move(text));
        }
        return;
    }
  }

  void sign(std::string text) {
    StepViewItem item;
    item.sign = true;
    item.text = std::move(text);
    items_.push_back(std::move(item));
  }

  StepViewItem& plainMatrix(TensorId tensor, Lane rows, Lane cols) {
    StepViewItem item;
    item.text = std::string(stepViewSymbol(tensor)) + primes(tensor);
    item.ink = lookOf(tensor).ink;
    item.ref = wholeMatrix(tensor, c_, view_.selection.item, view_.selection.head);
    item.rowLane = rows;
    item.colLane = cols;
    items_.push_back(std::move(item));
    return items_.back();
  }

  /// Primes distinguish the successive tensors Q, Q' and Q''. The first has none.
  std::string primes(TensorId tensor) const {
    std::string primes;
    bool first = true;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(tensor); ++i) {
      const auto id = static_cast<TensorId>(i);
      if (!has(c_, id) || stepViewSymbol(id) != stepViewSymbol(tensor)) continue;
      // Q of all heads and of each head are the same numbers
      if (!first && i >= kTensorCount) primes += "'";
      first = false;
    }
    return primes;
  }

  void mask(const StepPiece& piece) {
    StepViewItem& item = plainMatrix(piece.tensor, piece.rows, piece.cols);
    item.text = c_.mistakes.zeroForMasked ? "mask: 1 or 0" : "mask: 0 or −∞";
    item.ink = Ink::plain;
    item.ref.maskOnly = true;
  }

  void matrix(const StepPiece& piece, bool ofPart) {
    const TensorId tensor = ofPart ? inPart(piece.tensor) : asScored(piece.tensor);
    const Lane rows = ofPart && piece.rows == Lane::query ? part_.rows : piece.rows;
    StepViewItem& item = plainMatrix(tensor, rows, piece.cols);
    if (piece.is(StepPiece::plain)) item.ink = Ink::plain;
    item.result = piece.is(StepPiece::result);
    item.ref.transposed = piece.is(StepPiece::transposed);
    const TensorInfo& t = info(tensor);
    if (t.perHead) {
      // heads are numbered from 1: "Q_6"; K and V by the head that query heads share
      item.text += fmt::format("_{{{}}}", item.ref.head + 1);
      if (item.ref.transposed) item.text += "^T";
    }
    share(item, piece.share, ofPart ? part_.part : TensorId::heads);
  }

  TensorId inPart(TensorId ofQ) const {
    switch (ofQ) {
      case TensorId::x:
        return part_.rows == Lane::key && c_.crossAttention() ? TensorId::memory : TensorId::x;
      case TensorId::wQ:
        return part_.weight;
      case TensorId::bQ:
        return part_.bias;
      case TensorId::qProj:
        return part_.whole;
      case TensorId::qNorm:
        return part_.normalized;
      case TensorId::qRot:
        return part_.rotated;
      default:
        break;
    }
    return step_ == StepId::rotate ? step(step_).operands(part_.rotated, c_).front() : part_.part;
  }

  /// Returns q and k as they are multiplied, after normalization and rotation, and heads as they
  /// are joined.
  TensorId asScored(TensorId tensor) const {
    if (tensor == TensorId::q) return scoredQueries(c_);
    if (step_ == StepId::concat && tensor == TensorId::heads) return joinedHeads(c_);
    return tensor == TensorId::k ? scoredKeys(c_) : tensor;
  }

  /// Applies the head's share of the columns to an item.
  void share(StepViewItem& item, HeadShare share, TensorId perHead) {
    const Index first = firstColumnOf(perHead, view_.selection.head, c_);
    const bool pieces = perHead != TensorId::heads && c_.mistakes.reshapeWithoutTranspose;
    switch (share) {
      case HeadShare::none:
        return;
      case HeadShare::only:
        return showOnly(item, first, perHead);
      case HeadShare::placed:
        item.linked = !pieces;  // the head has pieces of rows, not columns
        if (!pieces) item.colOffset = first;
        return;
      case HeadShare::marked:
        if (pieces) return;
        item.outlinedFrom = first;
        item.outlinedTo = first + c_.dK();
        item.outlineRows = item.ref.transposed;
        return;
    }
  }

  void showOnly(StepViewItem& item, Index first, TensorId perHead) {
    if (view_.selection.scope == StepViewScope::allHeads) return;
    const bool rows = item.ref.transposed;  // the rows of a weight give the columns of the result
    (rows ? item.ref.row0 : item.ref.col0) = first;
    (rows ? item.ref.rows : item.ref.cols) = c_.dK();
    if (info(item.ref.tensor).rows == Axis::none) return;
    item.text += c_.mistakes.reshapeWithoutTranspose
                     ? fmt::format("_{{{}…{}}}", first, first + c_.dK() - 1)
                     : fmt::format("_{{{}}}", headIn(perHead, view_.selection.head, c_) + 1);
  }

  const AttentionConfig& c_;
  const ViewState& view_;
  StepId step_;
  const ProjectedPart& part_;
  std::vector<StepViewItem> items_;
};

}  // namespace

std::vector<StepViewItem> stepViewItems(StepId step, const AttentionConfig& config,
                                        const ViewState& view) {
  return StepViewItemBuilder(step, config, view).build();
}

std::optional<TensorId> perHeadResult(StepId step, const Selection& selection) {
  const TensorId result = shownResult(step, selection.part);
  if (!info(result).perHead) return std::nullopt;
  return result;
}

bool isTokenLane(Lane lane) { return lane == Lane::query || lane == Lane::key; }

// The cells that light up.

std::optional<CellRef> resultLookedAt(const std::vector<StepViewItem>& items, StepId step,
                                      const ViewState& view) {
  const auto looked = explainedCell(view);
  if (!looked || !hasArithmetic(*looked)) return std::nullopt;
  const bool given =
      looked->gradient || (isResult(looked->tensor) && producerOf(looked->tensor).id() == step);
  if (!given) return std::nullopt;
  const bool shown = std::any_of(items.begin(), items.end(), [&](const StepViewItem& item) {
    return (item.result || looked->gradient) && litCell(item, *looked);
  });
  return shown ? looked : std::nullopt;
}

std::optional<CellBlock> litCell(const StepViewItem& item, const CellRef& cell) {
  const auto at = item.sign ? std::nullopt : item.ref.find(cell);
  if (!at) return std::nullopt;
  return CellBlock{at->row, 1, at->col, 1};
}

std::optional<CellBlock> litBlock(const StepViewItem& item, const Explanation& e) {
  if (item.ref.maskOnly) {  // a cell of the mask has the place of its score
    StepViewItem score = item;
    score.ref.maskOnly = false;
    return litCell(score, e.cell);
  }
  if (const auto own = litCell(item, e.cell)) return own;
  std::optional<CellBlock> block;
  for (const Term& term : e.terms) {
    for (const CellRef& cell : term.cells) {
      const auto lit = litCell(item, cell);
      if (lit) block = block ? block->joined(*lit) : *lit;
    }
  }
  return block;
}

}  // namespace headscope::ui
