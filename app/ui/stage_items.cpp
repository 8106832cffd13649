#include "app/ui/stage_items.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/steps/step.h"

namespace headscope::ui {
namespace {

/// Builds the items of one step.
class Builder {
 public:
  Builder(const AttentionConfig& config, const ViewState& view) : c_(config), view_(view) {}

  void sign(std::string text) {
    StageItem item;
    item.sign = true;
    item.text = std::move(text);
    items.push_back(std::move(item));
  }

  StageItem& matrix(TensorId tensor, std::string text, Ink ink, Lane rows, Lane cols) {
    StageItem item;
    item.text = std::move(text);
    item.ink = ink;
    item.ref = wholeMatrix(tensor, c_, view_.item, view_.head);
    item.rowLane = rows;
    item.colLane = cols;
    items.push_back(std::move(item));
    return items.back();
  }

  /// "Q_6", "K_2": the tensor's own head, numbered from 1, as people read heads.
  std::string ofHead(TensorId tensor, const char* symbol) const {
    return fmt::format("{}_{{{}}}", symbol, headIn(tensor, view_.head, c_) + 1);
  }

  void project();
  void split();
  void score();
  void scale();
  void mask();
  void softmax();
  void weigh();
  void concat();
  void output();

  std::vector<StageItem> items;

 private:
  struct Part {
    TensorId whole, perHead, weight, bias;
    const char* letter;
    Ink ink;
    Lane rows;
  };
  Part part() const {
    switch (view_.part) {
      case TensorId::k:
        return {TensorId::kProj, TensorId::k, TensorId::wK, TensorId::bK, "K", Ink::key, Lane::key};
      case TensorId::v:
        return {TensorId::vProj, TensorId::v, TensorId::wV, TensorId::bV, "V",
                Ink::value,      Lane::key};
      default:
        return {TensorId::qProj, TensorId::q, TensorId::wQ, TensorId::bQ, "Q",
                Ink::query,      Lane::query};
    }
  }
  Index firstColumn(TensorId perHead) const { return firstColumnOf(perHead, view_.head, c_); }
  /// Of the columns of Q, K and V from `first` on: the head's number, where they are a head's.
  std::string ofColumns(TensorId perHead, Index first) const {
    if (!c_.mistakes.reshapeWithoutTranspose) return ofHead(perHead, "");
    return fmt::format("_{{{}…{}}}", first, first + c_.dK() - 1);
  }
  void scoreLike(TensorId tensor, const char* symbol, bool result) {
    matrix(tensor, ofHead(tensor, symbol), Ink::accent, Lane::query, Lane::key).result = result;
  }

  const AttentionConfig& c_;
  const ViewState& view_;
};

void Builder::project() {
  const Part p = part();
  const bool fromMemory = p.rows == Lane::key && c_.crossAttention();
  const bool whole = view_.scope == StageScope::allHeads;
  const Index first = firstColumn(p.perHead);
  const std::string suffix = whole ? "" : ofColumns(p.perHead, first);
  matrix(fromMemory ? TensorId::memory : TensorId::x, fromMemory ? "memory" : "X", Ink::input,
         p.rows, Lane::inner);
  sign("×");
  StageItem& w =
      matrix(p.weight, fmt::format("W^{}{}", p.letter, suffix), p.ink, Lane::inner, Lane::column);
  w.ref.transposed = true;  // stored out × in; shown in × out, as textbooks write X·W
  if (!whole) {
    w.ref.row0 = first;
    w.ref.rows = c_.dK();
  }
  if (c_.bias) {
    sign("+");
    StageItem& b = matrix(p.bias, fmt::format("b_{}", p.letter), p.ink, Lane::none, Lane::column);
    if (!whole) {
      b.ref.col0 = first;
      b.ref.cols = c_.dK();
    }
  }
  sign("=");
  StageItem& out = matrix(p.whole, p.letter + suffix, p.ink, p.rows, Lane::column);
  out.result = true;
  if (!whole) {
    out.ref.col0 = first;
    out.ref.cols = c_.dK();
  }
}

void Builder::split() {
  const Part p = part();
  const Index first = firstColumn(p.perHead);
  const bool pieces = c_.mistakes.reshapeWithoutTranspose;  // of rows, no columns
  StageItem& from = matrix(p.whole, p.letter, p.ink, p.rows, Lane::inner);
  if (!pieces) {
    from.outlinedFrom = first;
    from.outlinedTo = first + c_.dK();
  }
  sign("→");
  StageItem& to = matrix(p.perHead, ofHead(p.perHead, p.letter), p.ink, p.rows, Lane::inner);
  if (!pieces) to.colOffset = first;
  to.linked = !pieces;
  to.result = true;
}

void Builder::score() {
  matrix(TensorId::q, ofHead(TensorId::q, "Q"), Ink::query, Lane::query, Lane::inner);
  sign("×");
  StageItem& k =
      matrix(TensorId::k, ofHead(TensorId::k, "K") + "^T", Ink::key, Lane::inner, Lane::key);
  k.ref.transposed = true;
  sign("=");
  scoreLike(TensorId::rawScores, "S", true);
}

void Builder::scale() {
  scoreLike(TensorId::rawScores, "S", false);
  sign(fmt::format("× {:.4g}", c_.scoreMultiplier()));
  sign("=");
  scoreLike(TensorId::scores, "S'", true);
}

void Builder::mask() {
  scoreLike(TensorId::scores, "S'", false);
  const bool zero = c_.mistakes.zeroForMasked;
  sign(zero ? "⊙" : "+");
  StageItem& m = matrix(TensorId::maskedScores, zero ? "mask: 1 or 0" : "mask: 0 or −∞", Ink::plain,
                        Lane::query, Lane::key);
  m.ref.maskOnly = true;
  sign("=");
  scoreLike(TensorId::maskedScores, "S''", true);
}

void Builder::softmax() {
  scoreLike(TensorId::maskedScores, "S''", false);
  sign("softmax");
  sign("=");
  scoreLike(TensorId::weights, "A", true);
}

void Builder::weigh() {
  scoreLike(TensorId::weights, "A", false);
  sign("×");
  matrix(TensorId::v, ofHead(TensorId::v, "V"), Ink::value, Lane::key, Lane::column);
  const float gain = c_.gain(view_.head);
  if (gain != 1.0F) sign(fmt::format("× {:g}", gain));
  sign("=");
  matrix(TensorId::heads, ofHead(TensorId::heads, "head"), Ink::head, Lane::query, Lane::column)
      .result = true;
}

void Builder::concat() {
  const Index first = firstColumn(TensorId::heads);
  StageItem& head =
      matrix(TensorId::heads, ofHead(TensorId::heads, "head"), Ink::head, Lane::query, Lane::inner);
  head.colOffset = first;
  sign("→");
  StageItem& all = matrix(TensorId::concat, "C", Ink::output, Lane::query, Lane::inner);
  all.outlinedFrom = first;
  all.outlinedTo = first + c_.dK();
  all.result = true;
}

void Builder::output() {
  const Index first = firstColumn(TensorId::heads);
  StageItem& all = matrix(TensorId::concat, "C", Ink::plain, Lane::query, Lane::inner);
  all.outlinedFrom = first;
  all.outlinedTo = first + c_.dK();
  sign("×");
  StageItem& w = matrix(TensorId::wO, "W^O", Ink::output, Lane::inner, Lane::column);
  w.ref.transposed = true;
  w.outlinedFrom = first;
  w.outlinedTo = first + c_.dK();
  w.outlineRows = true;
  if (c_.bias) {
    sign("+");
    matrix(TensorId::bO, "b_O", Ink::output, Lane::none, Lane::column);
  }
  sign("=");
  matrix(TensorId::output, "output", Ink::output, Lane::query, Lane::column).result = true;
}

}  // namespace

std::vector<StageItem> stageItems(StepId step, const AttentionConfig& config,
                                  const ViewState& view) {
  Builder builder(config, view);
  switch (step) {
    case StepId::project:
      builder.project();
      break;
    case StepId::split:
      builder.split();
      break;
    case StepId::score:
      builder.score();
      break;
    case StepId::scale:
      builder.scale();
      break;
    case StepId::mask:
      builder.mask();
      break;
    case StepId::softmax:
      builder.softmax();
      break;
    case StepId::weigh:
      builder.weigh();
      break;
    case StepId::concat:
      builder.concat();
      break;
    case StepId::output:
      builder.output();
      break;
  }
  return std::move(builder.items);
}

Index firstColumnOf(TensorId perHead, Index head, const AttentionConfig& c) {
  if (perHead != TensorId::heads && c.mistakes.sharedHead) return 0;
  return headIn(perHead, head, c) * c.dK();
}

std::optional<TensorId> perHeadResult(StepId step, const ViewState& view) {
  const TensorId result = headscope::step(step).outputs().front();
  if (step == StepId::split) return view.part;
  if (!info(result).perHead) return std::nullopt;
  return result;
}

bool isTokenLane(Lane lane) { return lane == Lane::query || lane == Lane::key; }

}  // namespace headscope::ui
