#include "app/ui/tools/mask_stroke.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/tools/mask_words.h"

namespace headscope::ui {
namespace {

PaintedMask paintOf(const Document& document) {
  const AttentionConfig& c = document.config;
  return c.mask.painted != nullptr ? *c.mask.painted : allAllowed(c.seqLen, c.keys());
}

bool anyAllowed(const Document& document, Index item, const PairBlock& block) {
  for (Index i = block.row0; i < block.row1; ++i) {
    const AllowedKeys allowed = allowedKeys(document.config.mask, item, i, document.config.keys());
    for (Index j = block.col0; j < block.col1; ++j) {
      if (allowed(j)) return true;
    }
  }
  return false;
}

/// A block as the brush widens it.
PairBlock brushed(PairBlock block, Brush brush, const AttentionConfig& c) {
  if (brush == Brush::rows) {
    block.col0 = 0;
    block.col1 = c.keys();
  } else if (brush == Brush::columns) {
    block.row0 = 0;
    block.row1 = c.seqLen;
  }
  return block;
}

/// Every point the mouse passed on its way, no two further apart than a cell.
template <typename Visit>
void along(ImVec2 from, ImVec2 to, ImVec2 cell, Visit&& visit) {
  const ImVec2 way(to.x - from.x, to.y - from.y);
  const float cells =
      std::max(std::abs(way.x) / std::max(cell.x, 1.0F), std::abs(way.y) / std::max(cell.y, 1.0F));
  const int steps = std::max(1, static_cast<int>(std::ceil(cells)));
  for (int i = 0; i <= steps; ++i) {
    const float t = static_cast<float>(i) / static_cast<float>(steps);
    visit(ImVec2(from.x + way.x * t, from.y + way.y * t));
  }
}

/// The pair of the chosen cell, where it is a score or a weight.
std::optional<Pair> chosenPair(const Panel& panel) {
  const auto& cell = panel.view.selected;
  if (!cell || !exists(*cell, panel.document.config)) return std::nullopt;
  const TensorInfo& t = info(cell->tensor);
  if (t.rows != Axis::query || t.cols != Axis::key) return std::nullopt;
  return Pair{cell->row, cell->col};
}

void pushPaint(const Panel& panel, PaintedMask paint, std::string name, const char* gesture) {
  const Mask& now = panel.document.config.mask;
  Mask next = withPaint(now, std::move(paint));
  if (next != now) panel.edits.push(SetMask{std::move(next), std::move(name)}, gesture);
}

}  // namespace

Index itemOf(const Panel& panel) {
  return std::clamp<Index>(panel.view.item, 0, panel.document.config.batch - 1);
}

CellRef cellOf(const ViewState& view, Index item, const Pair& pair) {
  const TensorId tensor = view.step == StepId::score   ? TensorId::rawScores
                          : view.step == StepId::scale ? TensorId::scores
                          : view.step == StepId::mask  ? TensorId::maskedScores
                                                       : TensorId::weights;
  return {tensor, item, view.head, pair.query, pair.key};
}

void choosePair(const Panel& panel, MaskPainterMemory& memory, const Pair& pair) {
  memory.cursor = pair;
  const CellRef cell = cellOf(panel.view, itemOf(panel), pair);
  if (exists(cell, panel.trace.config())) panel.view.selected = cell;
}

void strokeTo(const Panel& panel, MaskPainterMemory& memory, const MaskPlace& place, ImVec2 point,
              bool rectangle) {
  const AttentionConfig& c = panel.document.config;
  const PairBlock under = place.pairsAt(point);
  if (!memory.stroke) {
    const bool allow = !anyAllowed(panel.document, itemOf(panel), under);
    memory.stroke = MaskStroke{allow, rectangle, under, point, c.mask.painted};
    choosePair(panel, memory, {under.row0, under.col0});
    memory.refused.reset();
    if (allow) memory.refused = memory.cursor;
  }
  MaskStroke& stroke = *memory.stroke;
  PaintedMask paint = paintOf(panel.document);
  if (stroke.rectangle) {
    const bool fits = stroke.under != nullptr && stroke.under->queries == c.seqLen &&
                      stroke.under->keys == c.keys();
    paint = fits ? *stroke.under : allAllowed(c.seqLen, c.keys());
    const PairBlock& first = stroke.first;
    paintBlock(paint,
               brushed({std::min(first.row0, under.row0), std::max(first.row1, under.row1),
                        std::min(first.col0, under.col0), std::max(first.col1, under.col1)},
                       memory.brush, c),
               stroke.allow);
  } else {
    along(stroke.last, point, place.cell(), [&](ImVec2 at) {
      paintBlock(paint, brushed(place.pairsAt(at), memory.brush, c), stroke.allow);
    });
  }
  stroke.last = point;
  pushPaint(panel, std::move(paint), "mask painted", "paint");
}

void changePair(const Panel& panel, MaskPainterMemory& memory, const Pair& pair) {
  const Index item = itemOf(panel);
  const PairBlock block{pair.query, pair.query + 1, pair.key, pair.key + 1};
  const bool allow = !anyAllowed(panel.document, item, block);
  memory.refused.reset();
  if (allow) memory.refused = pair;
  PaintedMask paint = paintOf(panel.document);
  paintBlock(paint, block, allow);
  pushPaint(panel, std::move(paint),
            queryName(panel.document, item, pair.query) + " → " +
                keyName(panel.document, item, pair.key) + (allow ? " allowed" : " forbidden"),
            "");
}

bool maskPainterKeys(const Panel& panel, MaskPainterMemory& memory) {
  const AttentionConfig& c = panel.document.config;
  memory.cursor = chosenPair(panel);
  if (ImGui::GetIO().KeyShift) return false;
  if (!memory.cursor) {
    const bool enter = keyPressed(Key::enter, false) || keyPressed(Key::keypadEnter, false);
    if (panel.view.selected || !enter) return false;  // a chosen cell's Enter types its value
    choosePair(panel, memory, {});
    return true;
  }
  if (keyPressed(Key::escape, false)) {
    memory.cursor.reset();
    panel.view.selected.reset();
    return true;
  }
  if (keyPressed(Key{'X'}, false)) {
    changePair(panel, memory, *memory.cursor);
    return true;
  }
  const Index right = (keyPressed(Key::right) ? 1 : 0) - (keyPressed(Key::left) ? 1 : 0);
  const Index down = (keyPressed(Key::down) ? 1 : 0) - (keyPressed(Key::up) ? 1 : 0);
  if (right == 0 && down == 0) return false;
  choosePair(panel, memory,
             {std::clamp<Index>(memory.cursor->query + down, 0, c.seqLen - 1),
              std::clamp<Index>(memory.cursor->key + right, 0, c.keys() - 1)});
  return true;
}

}  // namespace headscope::ui
