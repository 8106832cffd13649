#include "app/ui/timeline/narration_strip.h"

#include <algorithm>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

/// Lines no wider than `width`, broken at spaces alone: a number stays whole.
std::vector<std::string_view> linesOf(ImFont* font, std::string_view text, float width) {
  std::vector<std::string_view> lines;
  std::size_t start = 0;
  std::size_t end = 0;  // of what fits
  while (end < text.size()) {
    const std::size_t next = std::min(text.find(' ', end + 1), text.size());
    if (end > start && textSize(font, text.substr(start, next - start)).x > width) {
      lines.push_back(text.substr(start, end - start));
      start = end + 1;
    }
    end = next;
  }
  lines.push_back(text.substr(start));
  return lines;
}

}  // namespace

float narrationHeight(const Look& look, float room) {
  return std::min(fontSize(look.fonts.title) * 2.0F + look.px(16), room * 0.4F);
}

void narrationStrip(const Look& look, std::string_view text, ImVec2 at, ImVec2 size) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, {at.x + size.x, at.y + size.y}, look.theme.accentSoft, look.px(6));
  const ImVec2 pad(look.px(14), look.px(5));
  const ImVec2 room(size.x - 2 * pad.x, size.y - 2 * pad.y);
  ImFont* font = look.fonts.title;
  std::vector<std::string_view> lines = linesOf(font, text, room.x);
  for (ImFont* smaller : {look.fonts.semibold, look.fonts.regular, look.fonts.small}) {
    if (static_cast<float>(lines.size()) * fontSize(font) <= room.y) break;
    font = smaller;
    lines = linesOf(font, text, room.x);
  }
  const float taken = static_cast<float>(lines.size()) * fontSize(font);
  float y = at.y + std::max(pad.y, (size.y - taken) * 0.5F);
  list->PushClipRect(at, {at.x + size.x, at.y + size.y}, true);
  for (const std::string_view line : lines) {
    drawText(list, font, {at.x + pad.x, y}, look.theme.text, line);
    y += fontSize(font);
  }
  list->PopClipRect();
}

}  // namespace headscope::ui
