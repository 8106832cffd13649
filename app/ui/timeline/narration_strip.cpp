#include "app/ui/timeline/narration_strip.h"

#include <algorithm>

#include "app/ui/compat.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

ImVec2 wrappedSize(ImFont* font, std::string_view text, float width) {
  return font->CalcTextSizeA(fontSize(font), FLT_MAX, width, text.data(),
                             text.data() + text.size());
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
  for (ImFont* smaller : {look.fonts.semibold, look.fonts.regular, look.fonts.small}) {
    if (wrappedSize(font, text, room.x).y <= room.y) break;
    font = smaller;
  }
  const ImVec2 taken = wrappedSize(font, text, room.x);
  const float top = at.y + std::max(pad.y, (size.y - taken.y) * 0.5F);
  list->PushClipRect(at, {at.x + size.x, at.y + size.y}, true);
  list->AddText(font, fontSize(font), {at.x + pad.x, top}, look.theme.text, text.data(),
                text.data() + text.size(), room.x);
  list->PopClipRect();
}

}  // namespace headscope::ui
