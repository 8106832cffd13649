#include "app/ui/cell_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/ui/cell_access.h"
#include "app/ui/compat.h"
#include "app/ui/widgets.h"
#include "core/dropout.h"

namespace headscope::ui {
namespace {

constexpr double kSumsToOne = 5e-4;  // what the two decimals of a sum do not show

ImVec2 cellSize(const MarkedMatrix& m) {
  return {(m.b.x - m.a.x) / static_cast<float>(m.ref.shownCols()),
          (m.b.y - m.a.y) / static_cast<float>(m.ref.shownRows())};
}

/// Masked scores show the pins of the scores they are made of.
TensorId pinnedTensor(const MatrixRef& ref) {
  return ref.tensor == TensorId::maskedScores ? TensorId::scores : ref.tensor;
}

void drawPin(const Look& look, ImDrawList* list, ImVec2 a, ImVec2 b) {
  const Theme& t = look.theme;
  const float side = std::min(b.x - a.x, b.y - a.y);
  if (side < look.px(9)) {
    const ImVec2 c((a.x + b.x) * 0.5F, (a.y + b.y) * 0.5F);
    const float radius = std::max(look.px(2), side * 0.3F);
    list->AddCircleFilled(c, radius + look.px(1), t.panel, 12);
    list->AddCircleFilled(c, radius, t.accent, 12);
    return;
  }
  // a line of the panel's colour keeps the accent apart from colours like it
  const float line = look.px(2);
  a = {a.x + look.px(1), a.y + look.px(1)};  // within the frame of a chosen cell
  b = {b.x - look.px(1), b.y - look.px(1)};
  const float corner = std::clamp(side * 0.34F, look.px(5), look.px(11));
  const auto inset = [](ImVec2 p, float by) { return ImVec2(p.x + by, p.y + by); };
  list->AddRect(inset(a, line * 1.5F), inset(b, -line * 1.5F), t.panel, 0, 0, look.px(1));
  list->AddRect(inset(a, line * 0.5F), inset(b, -line * 0.5F), t.accent, 0, 0, line);
  const float wide = corner + look.px(2);
  list->AddTriangleFilled({b.x - wide, a.y}, {b.x, a.y}, {b.x, a.y + wide}, t.panel);
  list->AddTriangleFilled({b.x - corner, a.y}, {b.x, a.y}, {b.x, a.y + corner}, t.accent);
}

void drawDropped(const Panel& panel, ImDrawList* list, const MarkedMatrix& m) {
  const Look& look = panel.look;
  const ImVec2 cell = cellSize(m);
  if (std::min(cell.x, cell.y) < look.px(5)) return;  // a cross would be a blot
  const DroppedCells dropped(panel.trace.config());
  const ImU32 color = withAlpha(look.theme.text, 0.55F);
  const float inset = std::clamp(std::min(cell.x, cell.y) * 0.2F, look.px(1), look.px(5));
  for (Index r = 0; r < m.ref.shownRows(); ++r) {
    for (Index c = 0; c < m.ref.shownCols(); ++c) {
      const CellRef at = m.ref.cell(r, c);
      if (!dropped(at.item, at.head, at.row, at.col)) continue;
      if (panel.trace.document().pins.at(at) || isHidden(panel.trace, at)) continue;
      const ImVec2 a(m.a.x + static_cast<float>(c) * cell.x + inset,
                     m.a.y + static_cast<float>(r) * cell.y + inset);
      const ImVec2 b(a.x + cell.x - 2 * inset, a.y + cell.y - 2 * inset);
      list->AddLine(a, b, color, look.px(1));
      list->AddLine({a.x, b.y}, {b.x, a.y}, color, look.px(1));
    }
  }
}

}  // namespace

void drawCellMarks(const Panel& panel, ImDrawList* list, const MarkedMatrix& m) {
  if (m.ref.maskOnly) return;
  const Trace& trace = panel.trace;
  if (m.ref.tensor == TensorId::weights && trace.config().dropout.on()) drawDropped(panel, list, m);
  const ImVec2 cell = cellSize(m);
  for (const Pin& pin : trace.document().pins.of(pinnedTensor(m.ref), m.ref.item, m.ref.head)) {
    CellRef at = pin.cell;
    at.tensor = m.ref.tensor;
    Index row = 0;
    Index col = 0;
    if (!m.ref.find(at, &row, &col) || isHidden(trace, at)) continue;
    const ImVec2 a(m.a.x + static_cast<float>(col) * cell.x,
                   m.a.y + static_cast<float>(row) * cell.y);
    drawPin(panel.look, list, a, {a.x + cell.x, a.y + cell.y});
  }
}

void drawChosenCell(const Panel& panel, ImDrawList* list, const MarkedMatrix& m) {
  Index row = 0;
  Index col = 0;
  if (!panel.view.selected || !m.ref.find(*panel.view.selected, &row, &col)) return;
  const ImVec2 cell = cellSize(m);
  const float line = panel.look.px(2);
  const ImVec2 a(m.a.x + static_cast<float>(col) * cell.x,
                 m.a.y + static_cast<float>(row) * cell.y);
  list->AddRect({a.x - line * 0.5F, a.y - line * 0.5F},
                {a.x + cell.x + line * 0.5F, a.y + cell.y + line * 0.5F}, panel.look.theme.text, 0,
                0, line);
}

void drawFullyMaskedMarks(const Panel& panel, ImDrawList* list, const MarkedMatrix& m) {
  const TensorInfo& t = info(m.ref.tensor);
  if (panel.trace.fullyMaskedRows.empty() || t.rows != Axis::query || m.ref.transposed ||
      m.ref.tensor < TensorId::maskedScores) {
    return;
  }
  const Look& look = panel.look;
  const float cell = cellSize(m).y;
  const float radius = std::min(look.px(3), std::max(cell * 0.5F - 1.0F, look.px(1)));
  const ImU32 color = look.theme.bad;
  for (Index r = 0; r < m.ref.rows; ++r) {
    if (!isFullyMasked(panel.trace, m.ref.item, m.ref.row0 + r)) continue;
    const ImVec2 c(m.a.x - look.px(4), m.a.y + (static_cast<float>(r) + 0.5F) * cell);
    if (radius < look.px(2.5F)) {
      list->AddCircleFilled(c, radius, color, 8);
      continue;
    }
    list->AddCircle(c, radius, color, 16, look.px(1.2F));
    const float d = radius * 0.7F;
    list->AddLine({c.x - d, c.y + d}, {c.x + d, c.y - d}, color, look.px(1.2F));
  }
}

double rowSum(const Trace& trace, Index item, Index head, Index row) {
  std::vector<float> values(static_cast<std::size_t>(trace.config().keys()));
  trace.tile(TensorId::weights, item, head, row, 1, 0, trace.config().keys(), values.data());
  double sum = 0.0;
  for (const float value : values) sum += static_cast<double>(value);
  return sum;
}

float rowSumRoom(const Look& look, const MatrixRef& ref) {
  if (ref.tensor != TensorId::weights) return 0.0F;
  return textSize(look.fonts.monoSmall, "Σ = 0.00").x + look.px(10);
}

bool rowsMayNotSumToOne(const Trace& trace, Index item, Index head) {
  const Document& d = trace.document();
  return d.config.dropout.on() || d.config.mistakes.softmaxOverQueries ||
         !d.pins.of(TensorId::weights, item, head).empty();
}

void drawRowSums(const Panel& panel, ImDrawList* list, const MarkedMatrix& m) {
  const Look& look = panel.look;
  ImFont* font = look.fonts.monoSmall;
  const float cell = cellSize(m).y;
  if (m.ref.tensor != TensorId::weights || cell < fontSize(font)) return;
  if (!rowsMayNotSumToOne(panel.trace, m.ref.item, m.ref.head)) return;
  for (Index r = 0; r < m.ref.rows; ++r) {
    const double sum = rowSum(panel.trace, m.ref.item, m.ref.head, m.ref.row0 + r);
    if (std::abs(sum - 1.0) < kSumsToOne) continue;
    if (sum == 0.0 && isFullyMasked(panel.trace, m.ref.item, m.ref.row0 + r)) continue;
    drawText(
        list, font,
        {m.b.x + look.px(7), m.a.y + (static_cast<float>(r) + 0.5F) * cell - fontSize(font) * 0.5F},
        look.theme.accentText, fmt::format("Σ = {:.2f}", sum));
  }
}

}  // namespace headscope::ui
