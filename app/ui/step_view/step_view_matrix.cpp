#include "app/ui/step_view/step_view_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/gl/scene.h"
#include "app/ui/cells/cell_commands.h"
#include "app/ui/compat.h"
#include "app/ui/frame_state.h"
#include "app/ui/panel.h"
#include "app/ui/parts/cell_tip.h"
#include "app/ui/parts/color_bar.h"
#include "app/ui/parts/flash.h"
#include "app/ui/parts/matrix_marks.h"
#include "app/ui/rich_text.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/attention/steps/step.h"
#include "core/base/translation.h"
#include "core/document/trace.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

class StepViewMatrixPainter {
 public:
  StepViewMatrixPainter(const PanelContext& panel, const StepViewMatrix& matrix, const Lit& lit)
      : panel_(panel),
        look_(panel.look),
        trace_(panel.trace),
        list_(ImGui::GetWindowDrawList()),
        item_(matrix.item),
        ref_(matrix.item.ref),
        matrix_(matrix),
        at_(matrix.at),
        place_(ref_.placedAt(at_)),
        lit_(lit) {}

  std::optional<Hover> draw() {
    drawTitle();
    list_->AddRect(at_.a, at_.b, look_.theme.panelBorder);
    if (!ref_.gradient) drawFlash(panel_, ref_, at_);
    const MarkedMatrix marked{ref_, at_};
    numbers();
    veil();
    labels();
    drawFullyMaskedMarks(panel_, list_, marked);
    if (item_.result && matrix_.veiled.empty() && !ref_.gradient)
      drawRowSums(panel_, list_, marked);
    headsPart();
    if (matrix_.explained != nullptr) {
      operands();
    } else {
      lanes();
    }
    for (const CellRef& cell : panel_.frame.pointed) {  // the cells that a tool points at
      if (const auto block = litCell(item_, cell)) {
        drawFrame(look_, list_, placeOf(*block), look_.theme.text, 2.5F);
      }
    }
    drawCellMarks(panel_, list_, marked);
    if (item_.result && !ref_.maskOnly) {
      const float height = std::max(at_.height(), look_.px(44));
      const float x = at_.b.x + look_.px(18) + rowSumRoom(look_, ref_);
      colorBar(look_, matrix_.scale, {x, at_.centre().y - height * 0.5F}, height);
    }
    return pickUnderMouse();
  }

 private:
  Rect placeOf(const CellBlock& block) const {
    return place_.block(static_cast<double>(block.row), static_cast<double>(block.rows),
                        static_cast<double>(block.col), static_cast<double>(block.cols),
                        look_.space.tight);
  }
  void frame(const Rect& at, ImU32 color) {
    list_->AddRect(at.a, at.b, color, 0, 0, look_.space.thin);
  }
  ImU32 ink() const { return inkColor(look_.theme, item_.ink, panel_.selection.head); }

  void drawTitle() {
    const bool leftOut = item_.leftOutOf > 0;
    const Shape shape{leftOut && ref_.transposed ? item_.leftOutOf : ref_.shownRows(),
                      leftOut && !ref_.transposed ? item_.leftOutOf : ref_.shownCols()};
    ImFont* small = look_.fonts.monoSmall;
    const ImVec2 symbol = richTextSize(look_.fonts, look_.fonts.semibold, item_.text);
    std::string about = ref_.maskOnly ? "" : toString(shape);
    // the title adds the scale of a matrix without a colour bar, and the cells per pixel, where
    // they fit
    // gradients of operands stand side by side, without a sign between them
    const bool close = panel_.selection.gradients && !item_.result;
    const float room = at_.width() + (close ? 0.0F : look_.px(30)) - symbol.x;
    const auto add = [&](const std::string& more) {
      if (textSize(small, about + more).x <= room) about += more;
    };
    const bool barSays = item_.result && matrix_.range.empty();
    if (!ref_.maskOnly && !barSays) {
      add(" " + (matrix_.range.empty() ? matrix_.scale.inWords() : matrix_.range));
    }
    const auto perPixel = [&](float length, Index cells) {
      const float pixels = length * look_.scene.pixelsPerPoint;
      return static_cast<int>(std::ceil(static_cast<float>(cells) / pixels));
    };
    const int down = perPixel(at_.height(), ref_.shownRows());
    const int across = perPixel(at_.width(), ref_.shownCols());
    if (down > 1 || across > 1) {
      add(trFormat(" · a pixel: the largest of {} × {}", down, across));
    }
    const float gap = look_.space.small;
    // many narrow matrices side by side: the shape would meet the next title
    const float most = at_.width() + look_.px(close ? 10 : 50);
    if (symbol.x + gap + textSize(small, about).x > most) about.clear();
    const ImVec2 dims = textSize(small, about);
    const ImVec2 pen(at_.centre().x - (symbol.x + gap + dims.x) * 0.5F,
                     at_.a.y - look_.px(8) - symbol.y);
    drawRichText(list_, look_.fonts, look_.fonts.semibold, pen, ink(), item_.text);
    drawText(list_, small, {pen.x + symbol.x + gap, pen.y + (symbol.y - dims.y) * 0.6F},
             look_.theme.textMuted, about);
  }

  void numbers() {
    if (ref_.maskOnly || place_.cell().y < numberHeight(look_)) return;
    drawNumbers(look_, list_, place_, matrix_.scale, stepViewNumbers(trace_, ref_));
  }

  void veil() {
    for (const MatrixPart& part : matrix_.veiled) {
      const Rect at =
          place_.block(part.row0, part.row1 - part.row0, part.col0, part.col1 - part.col0);
      list_->AddRectFilled(at.a, at.b, veilColor(look_.theme));
    }
  }

  /// Returns the lit row or column among `count` along a lane from `offset` on; −1: none.
  Index litAt(Lane lane, Index offset, Index count) const {
    const Index at = lit_[static_cast<std::size_t>(lane)];
    if (!item_.linked || lane == Lane::none || at < offset || at >= offset + count) return -1;
    return at - offset;
  }
  Index litRow() const { return litAt(item_.rowLane, item_.rowOffset, place_.rows); }
  Index litCol() const { return litAt(item_.colLane, item_.colOffset, place_.cols); }

  void labels() {
    const auto chosen =
        panel_.selection.cell ? litCell(item_, *panel_.selection.cell) : std::nullopt;
    AxisLabels rows = stepViewLabels(panel_, item_.rowLane, litRow());
    rows.chosen = chosen ? chosen->row : -1;
    const ColumnLabels columns = stepViewColumnLabels(
        panel_, item_.colLane, at_.width(), matrix_.names, litCol(), chosen ? chosen->col : -1);
    ImFont* font = look_.fonts.small;
    drawRowLabels(list_, rows, at_, look_.px(7));
    columns.draw(list_, at_);
    if (!isTokenLane(item_.rowLane) || !isTokenLane(item_.colLane)) return;
    const float length = textSize(font, tr("query")).x;
    drawTurnedText(list_, font,
                   {at_.a.x - rows.width() - look_.px(26), at_.centre().y + length * 0.5F},
                   look_.theme.textMuted, tr("query"), -90.0F);
    // the name stands below the number at the low end of a colour bar
    const float below = item_.result ? look_.px(9) : look_.px(3);
    drawText(list_, font, {columns.end(at_) + look_.px(8), at_.b.y + below}, look_.theme.textMuted,
             "key →");
  }

  /// Draws the outline of the chosen head's columns.
  void headsPart() {
    const Index count = item_.outlinedTo - item_.outlinedFrom;
    if (count <= 0) return;
    const CellBlock part = item_.outlineRows ? CellBlock{item_.outlinedFrom, count, 0, place_.cols}
                                             : CellBlock{0, place_.rows, item_.outlinedFrom, count};
    frame(placeOf(part).outset(1.0F),
          headColor(look_.theme, static_cast<std::size_t>(panel_.selection.head)));
  }

  /// Draws the lit row and column; a matrix with only one of them lights it over its whole length.
  void lanes() {
    const Theme& t = look_.theme;
    const Index row = litRow();
    const Index col = litCol();
    if (row >= 0 && (col < 0 || item_.colLane == Lane::inner || item_.colLane == Lane::column)) {
      frame(placeOf({row, 1, 0, place_.cols}).inset({-1.0F, 0.0F}),
            item_.rowLane == Lane::query ? t.queryText : t.keyText);
    }
    if (col >= 0 && (row < 0 || item_.rowLane == Lane::inner)) {
      frame(placeOf({0, place_.rows, col, 1}).inset({0.0F, -1.0F}),
            item_.colLane == Lane::key ? t.keyText : t.accent);
    }
    if (row >= 0 && col >= 0) frame(placeOf({row, 1, col, 1}), t.text);
  }

  void operands() {
    const auto block = litBlock(item_, *matrix_.explained);
    if (!block) return;
    const Theme& t = look_.theme;
    const bool own = item_.result || ref_.maskOnly;
    frame(placeOf(*block).outset(1.0F), own ? t.text : item_.ink == Ink::plain ? t.accent : ink());
  }

  std::optional<Hover> pickUnderMouse() {
    const auto under = matrix_.pickable && !panel_.frame.unfolded ? place_.hovered() : std::nullopt;
    if (!under) return std::nullopt;
    const CellRef found = ref_.cell(*under);
    Hover hover{found};
    if (item_.linked) {
      hover = {found, item_.rowLane, item_.colLane, under->row + item_.rowOffset,
               under->col + item_.colOffset};
    }
    if (ref_.maskOnly) {
      showTooltip(explainCell(trace_, found).rule, place_.at);
    } else {
      drawCellTip(look_, trace_, found, place_.at, tooltipDetail(found));
    }
    if (ImGui::IsMouseClicked(0)) {
      panel_.selection.cell = found;
      // a cell of W_O belongs to the head whose columns it reads
      if (found.tensor == TensorId::wO) {
        panel_.selection.head = headWithCell(found, trace_.config());
      }
    }
    return hover;
  }

  std::string tooltipDetail(const CellRef& cell) const {
    std::string text;
    const std::string_view coordinate = coordinateName(trace_, cell);
    if (!coordinate.empty()) text += fmt::format("\n{}", coordinate);
    if (info(cell.tensor).perHead) {
      text += "\n" + headName(cell.tensor, cell.head, trace_.config());
    }
    const std::string why = whyFullyMasked(trace_, cell);
    if (!why.empty()) text += "\n" + why;
    return text;
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  const Trace& trace_;
  ImDrawList* list_;
  const StepViewItem& item_;
  const MatrixRef& ref_;
  const StepViewMatrix& matrix_;
  const Rect at_;
  const MatrixPlace place_;
  const Lit& lit_;
};

/// Returns whether all values are whole numbers, which are shown as such. Fast: stops at the first
/// fraction.
bool allWhole(const MatrixRef& ref, const CellNumbers& numbers) {
  for (Index r = 0; r < ref.shownRows(); ++r) {
    for (Index c = 0; c < ref.shownCols(); ++c) {
      const float value = numbers.value(r, c);
      if (value != std::round(value)) return false;
    }
  }
  return true;
}

}  // namespace

CellNumbers stepViewNumbers(const Trace& trace, const MatrixRef& ref) {
  CellNumbers numbers = numbersOf(trace, ref);
  numbers.whole = allWhole(ref, numbers);
  return numbers;
}

std::optional<Hover> drawStepViewMatrix(const PanelContext& panel, const StepViewMatrix& matrix,
                                        const Lit& lit) {
  return StepViewMatrixPainter(panel, matrix, lit).draw();
}

ImU32 veilColor(const Theme& theme) { return withAlpha(theme.panel, 0.82F); }

AxisLabels stepViewLabels(const PanelContext& panel, Lane lane, Index lit) {
  const FrameContext& look = panel.look;
  return {laneTokens(panel.trace, lane, panel.selection.item),
          look.fonts.small,
          look.theme.text,
          lane == Lane::query ? look.theme.queryText : look.theme.keyText,
          lit,
          look.px(86),
          laneCurves(look, panel.trace, lane, panel.selection.item)};
}

ColumnLabels stepViewColumnLabels(const PanelContext& panel, Lane lane, float width,
                                  const ColumnNames& names, Index lit, Index chosen) {
  AxisLabels labels = stepViewLabels(panel, lane, lit);
  labels.chosen = chosen;
  if (!names.curves) labels.curves = {};
  labels.limit =
      std::min(labels.limit, ColumnLabels::longestTurned(panel.look, labels, names.room));
  return {panel.look, labels, width, names.turned ? names.room : 0.0F};
}

}  // namespace headscope::ui
