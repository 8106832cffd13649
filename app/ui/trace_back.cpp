#include "app/ui/trace_back.h"

#include <algorithm>
#include <cmath>

namespace headscope::ui {
namespace {

/// Which of Q, K and V a tensor belongs to; `now` where it belongs to several, or to none.
TensorId partOf(TensorId tensor, const AttentionConfig& c, TensorId now) {
  switch (tensor) {
    case TensorId::wQ:
    case TensorId::bQ:
    case TensorId::qProj:
    case TensorId::q:
      return TensorId::q;
    case TensorId::wK:
    case TensorId::bK:
    case TensorId::kProj:
    case TensorId::k:
      return TensorId::k;
    case TensorId::wV:
    case TensorId::bV:
    case TensorId::vProj:
    case TensorId::v:
      return TensorId::v;
    case TensorId::x:
      return c.crossAttention() ? TensorId::q : now;
    case TensorId::memory:
      return now == TensorId::q ? TensorId::k : now;
    default:
      return now;
  }
}

/// The query head that shows a cell; `now` where any does.
Index headOf(const CellRef& cell, const AttentionConfig& c, Index now) {
  const auto reads = [&](Index kvHead) {
    return c.kvHead(now) == kvHead ? now : kvHead * c.headsPerGroup();
  };
  switch (cell.tensor) {
    case TensorId::k:
    case TensorId::v:
      return reads(cell.head);
    case TensorId::wQ:  // a weight's rows are what it gives, and so are a bias' columns
      return cell.row / c.dK();
    case TensorId::wK:
    case TensorId::wV:
      return reads(cell.row / c.dK());
    case TensorId::kProj:
    case TensorId::vProj:
    case TensorId::bK:
    case TensorId::bV:
      return reads(cell.col / c.dK());
    case TensorId::qProj:
    case TensorId::bQ:
    case TensorId::concat:
    case TensorId::wO:
      return cell.col / c.dK();
    default:
      return cell.head >= 0 ? cell.head : now;
  }
}

}  // namespace

std::optional<CellRef> mainOperand(const Explanation& e) {
  if (e.terms.empty()) return std::nullopt;
  if (const Term* own = e.own()) return own->cells.front();
  const auto largest = std::max_element(
      e.terms.begin(), e.terms.end(),
      [](const Term& a, const Term& b) { return std::abs(a.product) < std::abs(b.product); });
  return largest->cells.front();
}

StepId stepShowing(TensorId tensor) {
  if (isResult(tensor)) return stepGiving(tensor).id();
  return tensor == TensorId::wO || tensor == TensorId::bO ? StepId::output : StepId::project;
}

void lookAt(ViewState& view, const AttentionConfig& c, const CellRef& cell) {
  view.selected = cell;
  view.step = stepShowing(cell.tensor);
  view.part = partOf(cell.tensor, c, view.part);
  view.head = headOf(cell, c, view.head);
  if (cell.item >= 0) view.item = cell.item;
  view.playing = false;
}

std::vector<CellRef> trailTo(const ViewState& view, const AttentionConfig& c, const CellRef& cell) {
  const auto fits = [&](const CellRef& crumb) { return exists(crumb, c); };
  const std::vector<CellRef>& trail = view.trail;
  const bool leadsHere = !trail.empty() && trail.back() == cell;
  if (leadsHere && std::all_of(trail.begin(), trail.end(), fits)) return trail;
  return {cell};
}

void traceBack(ViewState& view, const AttentionConfig& c, const CellRef& from,
               const CellRef& operand) {
  view.trail = trailTo(view, c, from);
  view.trail.push_back(operand);
  lookAt(view, c, operand);
}

void returnTo(ViewState& view, const AttentionConfig& c, std::size_t crumb) {
  if (crumb >= view.trail.size()) return;
  view.trail.resize(crumb + 1);
  lookAt(view, c, view.trail.back());
}

void returnOne(ViewState& view, const AttentionConfig& c) {
  if (!view.selected) return;
  const std::vector<CellRef> trail = trailTo(view, c, *view.selected);
  if (trail.size() > 1) returnTo(view, c, trail.size() - 2);
}

}  // namespace headscope::ui
