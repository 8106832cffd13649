#include "app/ui/parts/matrix_picture.h"

#include "app/ui/compat.h"
#include "app/ui/parts/cell_tip.h"
#include "app/ui/rich_text.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/words/cells.h"

namespace headscope::ui {

ColorScale MatrixPicture::scaleOf(const MatrixRef& ref) {
  const float magnitude = ref.tensor == TensorId::weights
                              ? 1.0F
                              : magnitudes_.of(panel_.trace, ref.tensor, ref.item, ref.head);
  return colorScale(panel_.look, panel_.trace, ref, magnitude);
}

void MatrixPicture::add(const MatrixRef& ref, const ColorScale& scale, const Rect& at,
                        float opacity) {
  if (ref.rows < 1 || ref.cols < 1) return;
  heatmaps_.add(panel_.trace, ref, scale, at, opacity);
  placed_.push_back({ref, at});
}

void MatrixPicture::frame(const Rect& at, ImU32 color, float points) {
  frames_.push_back({at, color, points});
}

void MatrixPicture::numbers(const MatrixRef& ref, const ColorScale& scale, const Rect& at) {
  numbered_.push_back({ref, at, scale});
}

void MatrixPicture::draw(ImDrawList* list) {
  heatmaps_.draw(list);
  for (const Frame& f : frames_) {
    list->AddRect(f.at.a, f.at.b, f.color, 0, 0, panel_.look.px(f.points));
  }
  for (const Placed& p : numbered_) {
    drawNumbers(panel_.look, list, p.ref.placedAt(p.at), p.scale, numbersOf(panel_.trace, p.ref));
  }
  pick();
}

void MatrixPicture::pick() const {
  for (const Placed& p : placed_) {
    const auto at = p.ref.placedAt(p.at).hovered();
    if (!at) continue;
    const CellRef cell = p.ref.cell(*at);
    drawCellTip(panel_.look, panel_.trace, cell, p.at);
    if (ImGui::IsMouseClicked(0)) panel_.selection.cell = cell;
    return;
  }
}

void drawMatrixTitle(const FrameContext& look, ImDrawList* list, ImVec2 at, float width,
                     ImFont* font, ImU32 color, const std::string& symbol,
                     const std::string& after) {
  const ImVec2 size = richTextSize(look.fonts, font, symbol);
  drawRichText(list, look.fonts, font, at, color, symbol);
  ImFont* mono = look.fonts.monoSmall;
  const float left = size.x + look.space.small;
  if (left + textSize(mono, after).x > width) return;
  drawText(list, mono, {at.x + left, at.y + (size.y - fontSize(mono)) * 0.6F}, look.theme.textMuted,
           after);
}

}  // namespace headscope::ui
