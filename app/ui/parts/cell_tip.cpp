#include "app/ui/parts/cell_tip.h"

#include <imgui.h>

#include "core/words/cell_sentence.h"

namespace headscope::ui {

std::string cellTip(const Trace& trace, const CellRef& cell) {
  const std::string words = cellInWords(trace, cell);
  return ImGui::GetIO().KeyCtrl ? words + "\n" + toString(cell) : words;
}

}  // namespace headscope::ui
