#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/heads/output_shares.h"
#include "app/ui/rich_text.h"
#include "app/ui/tools/matrix_pieces.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

/// W_O is stored (out, in): head h has columns h·d_k …, shown as the rows they are of W^O.
MatrixRef blockOf(const AttentionConfig& c, Index head) {
  MatrixRef ref = wholeMatrix(TensorId::wO, c, 0, 0);
  ref.col0 = head * c.dK();
  ref.cols = c.dK();
  ref.transposed = true;
  return ref;
}

}  // namespace

void outputBlocks(const Panel& panel, const std::vector<double>& norms, Magnitudes& magnitudes,
                  ImVec2 size) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float caption = fontSize(look.fonts.small) + look.px(7);
  ImFont* font = look.fonts.small;
  ImFont* mono = look.fonts.monoSmall;
  const double largest = std::max(*std::max_element(norms.begin(), norms.end()), 1e-300);
  const float numbers = textSize(mono, number(largest, 3)).x + look.px(12);
  const float bars = std::min(look.px(70), size.x * 0.16F);
  const float labels = textSize(font, "128").x + look.px(8);
  const float norm = numbers + bars + look.px(8);

  ImDrawList* outer = ImGui::GetWindowDrawList();
  std::string rows = fmt::format("rows of W^O, ({}, {}) per head", c.dK(), c.dModel);
  if (richTextSize(look.fonts, font, rows).x > size.x - norm) rows = "rows of W^O";
  drawRichText(outer, look.fonts, font, at, t.text, rows);
  const std::string title = "‖W^O_h‖";
  drawRichText(outer, look.fonts, font, {at.x + size.x - norm + look.px(8), at.y}, t.text, title);

  ImGui::SetCursorScreenPos({at.x, at.y + caption});
  const float height = size.y - caption;
  beginPart("blocks", {size.x, height});
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float line =
      std::clamp(height / static_cast<float>(c.numHeads), fontSize(font) + look.px(2), look.px(60));
  const bool scrolls = line * static_cast<float>(c.numHeads) > height + 1.0F;
  const float right =
      origin.x + size.x - (scrolls ? ImGui::GetStyle().ScrollbarSize + look.px(2) : 0.0F);
  const float x0 = origin.x + labels;
  const float x1 = right - norm;
  const float clip0 = ImGui::GetWindowPos().y;
  const float clip1 = clip0 + height;
  MatrixPieces pieces(panel, magnitudes);
  const ColorScale scale = pieces.scaleOf(wholeMatrix(TensorId::wO, c, 0, 0));
  Index chosen = -1;
  for (Index h = 0; h < c.numHeads; ++h) {
    const float y = origin.y + static_cast<float>(h) * line;
    if (y > clip1 || y + line < clip0) continue;
    const auto i = static_cast<std::size_t>(h);
    const ImU32 color = headColor(t, i);
    const float middle = y + line * 0.5F;
    if (h == panel.view.head) {
      list->AddRectFilled({origin.x, y}, {right, y + line}, t.accentSoft, look.px(3));
      chosen = h;
    }
    const std::string name = std::to_string(h + 1);
    const ImVec2 extent = textSize(font, name);
    drawText(list, font, {x0 - look.px(6) - extent.x, middle - extent.y * 0.5F}, color, name);
    pieces.add(blockOf(c, h), scale, {x0, y + 1}, {x1, y + line - 1});
    const float length = bars * static_cast<float>(norms[i] / largest);
    const float thick = std::min(line * 0.35F, look.px(6));
    const float start = x1 + look.px(8);
    list->AddRectFilled({start, middle - thick}, {start + length, middle + thick},
                        withAlpha(color, 0.8F), look.px(2));
    drawText(list, mono, {start + length + look.px(5), middle - fontSize(mono) * 0.5F}, t.text,
             number(norms[i], 3));
  }
  pieces.draw(list);
  if (chosen >= 0) {
    const float y = origin.y + static_cast<float>(chosen) * line;
    list->AddRect({x0 - 1, y}, {x1 + 1, y + line}, headColor(t, static_cast<std::size_t>(chosen)),
                  0, 0, look.px(1.5F));
  }
  ImGui::SetCursorScreenPos(origin);
  if (pictureArea("blocks", {right - origin.x, line * static_cast<float>(c.numHeads)})) {
    const float along = (ImGui::GetIO().MousePos.y - origin.y) / line;
    panel.view.head = std::clamp<Index>(static_cast<Index>(along), 0, c.numHeads - 1);
  }
  pieces.pick();
  ImGui::EndChild();
}

}  // namespace headscope::ui
