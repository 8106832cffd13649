#include "app/ui/heads/looks_focus.h"

namespace headscope::ui {
namespace {

LooksAt tokensOf(const CellRef& cell) {
  LooksAt at;
  if (!info(cell.tensor).perHead) return at;
  if (info(cell.tensor).rows == Axis::query) at.query = cell.row;
  if (info(cell.tensor).rows == Axis::key) at.key = cell.row;
  if (info(cell.tensor).cols == Axis::key) at.key = cell.col;
  return at;
}

}  // namespace

LooksAt lookedAt(const ViewState& view, const AttentionConfig& config) {
  LooksAt at{view.heads.query, view.heads.key};
  if (view.hovered && tokensOf(view.hovered->cell).any()) at = tokensOf(view.hovered->cell);
  if (at.query >= config.seqLen) at.query = -1;
  if (at.key >= config.keys()) at.key = -1;
  return at;
}

Index queryOr(const LooksAt& at, const AttentionConfig& config) {
  return at.query >= 0 ? at.query : config.seqLen - 1;
}

void followSelection(ViewState& view, std::optional<CellRef>& known) {
  if (view.selected == known) return;
  known = view.selected;
  const LooksAt at = known ? tokensOf(*known) : LooksAt();
  view.heads.query = at.query;
  view.heads.key = at.key;
}

}  // namespace headscope::ui
