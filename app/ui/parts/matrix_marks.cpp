#include "app/ui/parts/matrix_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/attention/dropped_cells.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

constexpr double kSumsToOne = 5e-4;  // a difference from 1 that two decimals do not show

/// The tensor whose pins a matrix shows: masked scores show those of the scores.
TensorId pinnedTensor(const MatrixRef& ref) {
  return ref.tensor == TensorId::maskedScores ? TensorId::scores : ref.tensor;
}

void drawPin(const FrameContext& look, ImDrawList* list, const Rect& cell) {
  const Theme& t = look.theme;
  const float side = std::min(cell.width(), cell.height());
  if (side < look.px(9)) {
    const float radius = std::max(look.space.thin, side * 0.3F);
    list->AddCircleFilled(cell.centre(), radius + look.space.hair, t.panel, 12);
    list->AddCircleFilled(cell.centre(), radius, t.accent, 12);
    return;
  }
  // a line in the panel's colour separates the accent from similar colours
  const float line = look.space.thin;
  const Rect within = cell.inset(look.space.hair);  // inside the frame of a chosen cell
  const Rect inner = within.inset(line * 1.5F);
  const Rect outer = within.inset(line * 0.5F);
  list->AddRect(inner.a, inner.b, t.panel, 0, 0, look.space.hair);
  list->AddRect(outer.a, outer.b, t.accent, 0, 0, line);
  const auto corner = [&](float length, ImU32 color) {
    const ImVec2 at(within.b.x, within.a.y);
    list->AddTriangleFilled({at.x - length, at.y}, at, {at.x, at.y + length}, color);
  };
  const float length = std::clamp(side * 0.34F, look.px(5), look.px(11));
  corner(length + look.space.thin, t.panel);
  corner(length, t.accent);
}

void drawDropped(const PanelContext& panel, ImDrawList* list, const MarkedMatrix& m) {
  const FrameContext& look = panel.look;
  const MatrixPlace place = m.place();
  const float side = std::min(place.cell().x, place.cell().y);
  if (side < look.px(5)) return;  // smaller crosses are illegible
  const DroppedCells dropped(panel.trace.config());
  const ImU32 color = withAlpha(look.theme.text, 0.55F);
  const float inset = std::clamp(side * 0.2F, look.px(1), look.px(5));
  for (Index r = 0; r < place.rows; ++r) {
    for (Index c = 0; c < place.cols; ++c) {
      const CellRef at = m.ref.cell(r, c);
      if (!dropped(at.item, at.head, at.row, at.col)) continue;
      if (panel.trace.pins().at(at) || isHidden(panel.trace, at)) continue;
      const Rect cross = place.cellAt(r, c).inset(inset);
      list->AddLine(cross.a, cross.b, color, look.space.hair);
      list->AddLine({cross.a.x, cross.b.y}, {cross.b.x, cross.a.y}, color, look.space.hair);
    }
  }
}

}  // namespace

void drawCellMarks(const PanelContext& panel, ImDrawList* list, const MarkedMatrix& m) {
  if (m.ref.maskOnly) return;
  const Trace& trace = panel.trace;
  if (m.ref.tensor == TensorId::weights && trace.config().dropout.on()) drawDropped(panel, list, m);
  for (const Pin& pin : trace.pins().of(pinnedTensor(m.ref), m.ref.item, m.ref.head)) {
    CellRef cell = pin.cell;
    cell.tensor = m.ref.tensor;
    const auto at = m.ref.find(cell);
    if (at && !isHidden(trace, cell)) drawPin(panel.look, list, m.place().cellAt(at->row, at->col));
  }
}

void frameCell(const FrameContext& look, ImDrawList* list, const MarkedMatrix& m,
               const CellRef& cell) {
  const auto at = m.ref.find(cell);
  if (!at) return;
  const float line = look.space.thin;
  const Rect frame = m.place().block(static_cast<double>(at->row), 1, static_cast<double>(at->col),
                                     1, look.space.tight);
  const Rect around = frame.outset(line * 0.5F);
  list->AddRect(around.a, around.b, look.theme.text, 0, 0, line);
}

void drawFullyMaskedMarks(const PanelContext& panel, ImDrawList* list, const MarkedMatrix& m) {
  const TensorInfo& t = info(m.ref.tensor);
  if (panel.trace.fullyMaskedRows.empty() || t.rows != Axis::query || m.ref.transposed ||
      m.ref.tensor < TensorId::maskedScores) {
    return;
  }
  const FrameContext& look = panel.look;
  const float cell = m.place().cell().y;
  const float radius = std::min(look.px(3), std::max(cell * 0.5F - 1.0F, look.px(1)));
  const ImU32 color = look.theme.bad;
  for (Index r = 0; r < m.ref.rows; ++r) {
    if (!isFullyMasked(panel.trace, m.ref.item, m.ref.row0 + r)) continue;
    const ImVec2 c(m.at.a.x - look.px(4), m.at.a.y + (static_cast<float>(r) + 0.5F) * cell);
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

float rowSumRoom(const FrameContext& look, const MatrixRef& ref) {
  if (ref.tensor != TensorId::weights) return 0.0F;
  return textSize(look.fonts.monoSmall, "Σ = 0.00").x + look.px(10);
}

bool rowsMayNotSumToOne(const Trace& trace, Index item, Index head) {
  const Document& d = trace.document();
  return d.config.dropout.on() || d.config.mistakes.softmaxOverQueries ||
         !d.pins.of(TensorId::weights, item, head).empty();
}

void drawRowSums(const PanelContext& panel, ImDrawList* list, const MarkedMatrix& m) {
  const FrameContext& look = panel.look;
  ImFont* font = look.fonts.monoSmall;
  const float cell = m.place().cell().y;
  if (m.ref.tensor != TensorId::weights || cell < fontSize(font)) return;
  if (!rowsMayNotSumToOne(panel.trace, m.ref.item, m.ref.head)) return;
  for (Index r = 0; r < m.ref.rows; ++r) {
    const double sum = rowSum(panel.trace, m.ref.item, m.ref.head, m.ref.row0 + r);
    if (std::abs(sum - 1.0) < kSumsToOne) continue;
    if (sum == 0.0 && isFullyMasked(panel.trace, m.ref.item, m.ref.row0 + r)) continue;
    drawText(list, font,
             {m.at.b.x + look.px(7),
              m.at.a.y + (static_cast<float>(r) + 0.5F) * cell - fontSize(font) * 0.5F},
             look.theme.accentText, fmt::format("Σ = {:.2f}", sum));
  }
}

}  // namespace headscope::ui
