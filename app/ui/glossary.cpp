#include "app/ui/glossary.h"

#include <algorithm>
#include <cmath>

#include "app/ui/compat.h"
#include "app/ui/step_looks.h"
#include "app/ui/widgets.h"

namespace headscope::ui {

std::string_view termOf(StepId step) { return lookOf(step).term; }

std::string_view termOf(TensorId tensor) { return lookOf(tensor).term; }

void underlineTerm(const Look& look, ImVec2 at, float width) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float dot = std::max(1.0F, std::round(look.px(1)));
  const float y = std::round(at.y);
  for (float x = std::round(at.x); x < at.x + width; x += 3 * dot) {
    list->AddRectFilled({x, y}, {x + dot, y + dot}, withAlpha(look.theme.textMuted, 0.8F));
  }
}

void explainItem(const Look& look, ImFont* font, std::string_view term, const std::string& more) {
  const ImVec2 min = ImGui::GetItemRectMin();
  const ImVec2 max = ImGui::GetItemRectMax();
  underlineTerm(look, {min.x, (min.y + max.y + fontSize(font)) * 0.5F}, max.x - min.x);
  tip(look, termText(term) + more);
}

}  // namespace headscope::ui
