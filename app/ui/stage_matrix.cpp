#include "app/ui/stage_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/arithmetic.h"
#include "app/ui/axis_labels.h"
#include "app/ui/cell_access.h"
#include "app/ui/cell_marks.h"
#include "app/ui/color_bar.h"
#include "app/ui/compat.h"
#include "app/ui/flash.h"
#include "app/ui/rich_text.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

ImU32 inkColor(const Theme& t, Ink ink, Index head) {
  switch (ink) {
    case Ink::plain:
      return t.textMuted;
    case Ink::input:
      return t.text;
    case Ink::query:
      return t.queryText;
    case Ink::key:
      return t.keyText;
    case Ink::value:
      return t.valueText;
    case Ink::head:
      return headColor(t, static_cast<std::size_t>(head));
    case Ink::output:
      return t.outputText;
    case Ink::accent:
      break;
  }
  return t.accentText;
}

class Painter {
 public:
  Painter(const Panel& panel, const StageMatrix& matrix, const Lit& lit)
      : panel_(panel),
        look_(panel.look),
        trace_(panel.trace),
        list_(ImGui::GetWindowDrawList()),
        item_(matrix.item),
        scale_(matrix.scale),
        a_(matrix.a),
        b_(matrix.b),
        pickable_(matrix.pickable),
        cell_((matrix.b.x - matrix.a.x) / static_cast<float>(matrix.item.ref.shownCols()),
              (matrix.b.y - matrix.a.y) / static_cast<float>(matrix.item.ref.shownRows())),
        lit_(lit),
        explained_(matrix.explained),
        veiled_(matrix.veiled) {}

  std::optional<Hover> draw() {
    drawTitle();
    list_->AddRect(a_, b_, look_.theme.panelBorder);
    drawFlash(panel_, item_.ref, a_, b_);
    const MarkedMatrix marked{item_.ref, a_, b_};
    drawNumbers();
    drawVeil();
    drawLabels();
    drawFullyMaskedMarks(panel_, list_, marked);
    if (item_.result && veiled_.empty()) drawRowSums(panel_, list_, marked);
    drawOutline();
    if (explained_ != nullptr) {
      drawOperands();
    } else {
      drawLit();
    }
    drawPointed();
    drawCellMarks(panel_, list_, marked);
    if (item_.result && !item_.ref.maskOnly) {
      const float own = b_.y - a_.y;
      const float height = std::max(own, look_.px(44));
      const float x = b_.x + look_.px(18) + rowSumRoom(look_, item_.ref);
      colorBar(look_, scale_, {x, a_.y + (own - height) * 0.5F}, height);
    }
    return pickUnderMouse();
  }

 private:
  void drawTitle() {
    const Shape shape{item_.ref.shownRows(), item_.ref.shownCols()};
    ImFont* small = look_.fonts.monoSmall;
    const ImVec2 symbol = richTextSize(look_.fonts, look_.fonts.semibold, item_.text);
    std::string shapeText = item_.ref.maskOnly ? "" : toString(shape);
    // the scale of what has no colour bar, and what a pixel stands for, where there is room to say
    // so
    const float room = b_.x - a_.x + look_.px(30) - symbol.x;
    const auto add = [&](const std::string& more) {
      if (textSize(small, shapeText + more).x <= room) shapeText += more;
    };
    if (!item_.ref.maskOnly && !item_.result) {
      add(scale_.allZero ? " all 0" : scale_.diverging ? " ±" + number(scale_.high, 3) : " 0 to 1");
    }
    const float pixels = look_.scene.pixelsPerPoint;
    const auto perPixel = [&](float length, Index cells) {
      return static_cast<int>(std::ceil(static_cast<float>(cells) / (length * pixels)));
    };
    const int down = perPixel(b_.y - a_.y, shape[0]);
    const int across = perPixel(b_.x - a_.x, shape[1]);
    if (down > 1 || across > 1)
      add(fmt::format(" · a pixel: the largest of {} × {}", down, across));
    const ImVec2 dims = textSize(small, shapeText);
    const float gap = look_.px(6);
    const float x = a_.x + (b_.x - a_.x - symbol.x - gap - dims.x) * 0.5F;
    const float y = a_.y - look_.px(8) - symbol.y;
    drawRichText(list_, look_.fonts, look_.fonts.semibold, {x, y},
                 inkColor(look_.theme, item_.ink, panel_.view.head), item_.text);
    drawText(list_, small, {x + symbol.x + gap, y + (symbol.y - dims.y) * 0.6F},
             look_.theme.textMuted, shapeText);
  }

  /// Whether all values are whole numbers, so that they are shown as such. Stops at the first that
  /// is not, hence quick.
  bool allWhole() const {
    const MatrixRef& ref = item_.ref;
    for (Index r = 0; r < ref.shownRows(); ++r) {
      for (Index c = 0; c < ref.shownCols(); ++c) {
        const float value = trace_.value(ref.cell(r, c));
        if (value != std::round(value)) return false;
      }
    }
    return true;
  }

  void drawNumbers() {
    if (item_.ref.maskOnly || cell_.y < fontSize(look_.fonts.monoSmall) + 2.0F) return;
    ImFont* font = look_.fonts.monoSmall;
    const auto fits = [&](int digits) {
      const std::string widest = cellNumber(scale_.diverging ? -scale_.high : 1.0, digits);
      return textSize(font, widest).x + look_.px(3) <= cell_.x;
    };
    int decimals = allWhole() ? 0 : scale_.diverging ? cellDecimals(scale_.high) : 2;
    if (!fits(decimals) && decimals > 1 && scale_.high >= 1.0F) --decimals;
    if (!fits(decimals)) return;
    const MatrixRef& ref = item_.ref;
    for (Index r = 0; r < ref.shownRows(); ++r) {
      for (Index c = 0; c < ref.shownCols(); ++c) {
        const CellRef at = ref.cell(r, c);
        const float value = trace_.value(at);
        const bool hidden = isHidden(trace_, at);
        const ImVec2 centre(a_.x + (static_cast<float>(c) + 0.5F) * cell_.x,
                            a_.y + (static_cast<float>(r) + 0.5F) * cell_.y);
        const ImU32 ink =
            hidden ? look_.theme.textMuted : legibleOn(scale_.color(look_.maps, value));
        drawTextCentred(list_, font, centre, ink, cellNumber(value, decimals));
      }
    }
  }

  /// Which row or column is lit, of `count` along a lane from `offset` on; −1: none.
  Index litAt(Lane lane, Index offset, Index count) const {
    const Index at = lit_[static_cast<std::size_t>(lane)];
    if (!item_.linked || lane == Lane::none || at < offset || at >= offset + count) return -1;
    return at - offset;
  }

  void drawVeil() {
    const auto at = [&](double row, double col) {
      return ImVec2(a_.x + static_cast<float>(col) * cell_.x,
                    a_.y + static_cast<float>(row) * cell_.y);
    };
    for (const CellRange& part : veiled_) {
      list_->AddRectFilled(at(part.row0, part.col0), at(part.row1, part.col1),
                           veilColor(look_.theme));
    }
  }

  void drawLabels() {
    const Theme& t = look_.theme;
    const Index batchItem = panel_.view.item;
    const auto style = [&](Lane lane, Index offset, Index count) {
      return LabelStyle{look_.fonts.small, t.text, lane == Lane::query ? t.queryText : t.keyText,
                        litAt(lane, offset, count)};
    };
    const bool bothTokens = isTokenLane(item_.rowLane) && isTokenLane(item_.colLane);
    if (isTokenLane(item_.rowLane)) {
      const auto& tokens = laneTokens(trace_, item_.rowLane, batchItem);
      const LabelStyle s = style(item_.rowLane, item_.rowOffset, item_.ref.shownRows());
      drawRowLabels(list_, tokens, {a_.x - look_.px(7), a_.y}, cell_.y, stageLabelLimit(look_), s);
      if (bothTokens) {
        const float room = labelWidth(look_.fonts.small, tokens, stageLabelLimit(look_));
        const char* name = "query";
        const float length = textSize(look_.fonts.small, name).x;
        drawTurnedText(list_, look_.fonts.small,
                       {a_.x - room - look_.px(26), (a_.y + b_.y + length) * 0.5F}, t.textMuted,
                       name, -90.0F);
      }
    }
    if (isTokenLane(item_.colLane)) {
      const auto& tokens = laneTokens(trace_, item_.colLane, batchItem);
      const float room = labelWidth(look_.fonts.small, tokens, stageLabelLimit(look_)) * 0.72F;
      const LabelStyle s = style(item_.colLane, item_.colOffset, item_.ref.shownCols());
      drawColumnLabels(list_, tokens, {a_.x, b_.y + look_.px(5)}, cell_.x, room + look_.px(10), s);
      if (bothTokens) {
        const char* name = "key →";
        drawText(list_, look_.fonts.small, {b_.x + look_.px(8), b_.y + look_.px(3)}, t.textMuted,
                 name);
      }
    }
  }

  void drawOutline() {
    if (item_.outlinedTo <= item_.outlinedFrom) return;
    const ImU32 color = headColor(look_.theme, static_cast<std::size_t>(panel_.view.head));
    const auto from = static_cast<float>(item_.outlinedFrom);
    const auto to = static_cast<float>(item_.outlinedTo);
    const ImVec2 p = item_.outlineRows ? ImVec2(a_.x, a_.y + from * cell_.y)
                                       : ImVec2(a_.x + from * cell_.x, a_.y);
    const ImVec2 q =
        item_.outlineRows ? ImVec2(b_.x, a_.y + to * cell_.y) : ImVec2(a_.x + to * cell_.x, b_.y);
    list_->AddRect({p.x - 1, p.y - 1}, {q.x + 1, q.y + 1}, color, 0, 0, look_.px(2));
  }

  void drawLit() {
    const Theme& t = look_.theme;
    const Index row = litAt(item_.rowLane, item_.rowOffset, item_.ref.shownRows());
    const Index col = litAt(item_.colLane, item_.colOffset, item_.ref.shownCols());
    // a band at least a few points wide, so that one of 768 columns is seen
    const auto band = [&](float from, float length, float least) {
      const float grow = std::max(0.0F, least - length) * 0.5F;
      return ImVec2(from - grow, from + length + grow);
    };
    const float least = look_.px(4);
    const ImVec2 y = band(a_.y + static_cast<float>(row) * cell_.y, cell_.y, least);
    const ImVec2 x = band(a_.x + static_cast<float>(col) * cell_.x, cell_.x, least);
    const float line = look_.px(2);
    if (row >= 0 && (col < 0 || item_.colLane == Lane::inner || item_.colLane == Lane::column)) {
      const ImU32 color = item_.rowLane == Lane::query ? t.queryText : t.keyText;
      list_->AddRect({a_.x - 1, y.x}, {b_.x + 1, y.y}, color, 0, 0, line);
    }
    if (col >= 0 && (row < 0 || item_.rowLane == Lane::inner)) {
      const ImU32 color = item_.colLane == Lane::key ? t.keyText : t.accent;
      list_->AddRect({x.x, a_.y - 1}, {x.y, b_.y + 1}, color, 0, 0, line);
    }
    if (row >= 0 && col >= 0) list_->AddRect({x.x, y.x}, {x.y, y.y}, t.text, 0, 0, line);
  }

  /// A frame around a block, at least a few points wide, so that one of 768 columns is seen.
  void drawBlock(const LitBlock& block, ImU32 color, float line) {
    const auto band = [&](float from, float length) {
      const float grow = std::max(0.0F, look_.px(4) - length) * 0.5F;
      return ImVec2(from - grow, from + length + grow);
    };
    const ImVec2 x = band(a_.x + static_cast<float>(block.col) * cell_.x,
                          static_cast<float>(block.cols) * cell_.x);
    const ImVec2 y = band(a_.y + static_cast<float>(block.row) * cell_.y,
                          static_cast<float>(block.rows) * cell_.y);
    list_->AddRect({x.x - 1, y.x - 1}, {x.y + 1, y.y + 1}, color, 0, 0, line);
  }

  void drawOperands() {
    const auto block = litBlock(item_, *explained_);
    if (!block) return;
    const Theme& t = look_.theme;
    const bool own = item_.result || item_.ref.maskOnly;
    const ImU32 ink = item_.ink == Ink::plain ? t.accent : inkColor(t, item_.ink, panel_.view.head);
    drawBlock(*block, own ? t.text : ink, look_.px(2));
  }

  /// What a tool points at.
  void drawPointed() {
    for (const CellRef& cell : panel_.view.pointed) {
      if (const auto block = litCell(item_, cell)) {
        drawBlock(*block, look_.theme.panel, look_.px(5));
        drawBlock(*block, look_.theme.text, look_.px(2.5F));
      }
    }
  }

  std::optional<Hover> pickUnderMouse() {
    if (!pickable_ || !ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(a_, b_))
      return std::nullopt;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const auto at = [](float offset, float length, Index count) {
      return std::clamp<Index>(static_cast<Index>(offset / length), 0, count - 1);
    };
    const Index row = at(mouse.y - a_.y, cell_.y, item_.ref.shownRows());
    const Index col = at(mouse.x - a_.x, cell_.x, item_.ref.shownCols());
    const CellRef found = item_.ref.cell(row, col);
    Hover hover{found};
    if (item_.linked) {
      hover = {found, item_.rowLane, item_.colLane, row + item_.rowOffset, col + item_.colOffset};
    }
    if (item_.ref.maskOnly) {
      ImGui::SetTooltip("%s", explainCell(trace_, found).rule.c_str());
    } else {
      ImGui::SetTooltip("%s = %s\n%s", cellName(trace_, found).c_str(),
                        number(trace_.value(found), 6).c_str(), tooltipDetail(found).c_str());
    }
    if (ImGui::IsMouseClicked(0)) panel_.view.selected = found;
    return hover;
  }

  std::string tooltipDetail(const CellRef& cell) const {
    const TensorInfo& t = info(cell.tensor);
    std::string text = toString(cell);
    const std::string_view coordinate = coordinateName(trace_, cell);
    if (!coordinate.empty()) text += fmt::format(" · {}", coordinate);
    if (t.perHead) text += " · " + headName(cell.tensor, cell.head, trace_.config());
    const std::string why = whyFullyMasked(trace_, cell);
    if (!why.empty()) text += "\n" + why;
    return text;
  }

  const Panel& panel_;
  const Look& look_;
  const Trace& trace_;
  ImDrawList* list_;
  const StageItem& item_;
  const ColorScale& scale_;
  ImVec2 a_, b_;
  bool pickable_;
  ImVec2 cell_;
  const Lit& lit_;
  const Explanation* explained_;
  std::span<const CellRange> veiled_;
};

}  // namespace

std::optional<Hover> drawStageMatrix(const Panel& panel, const StageMatrix& matrix,
                                     const Lit& lit) {
  return Painter(panel, matrix, lit).draw();
}

ImU32 veilColor(const Theme& theme) { return withAlpha(theme.panel, 0.82F); }

float stageLabelLimit(const Look& look) { return look.px(86); }

}  // namespace headscope::ui
