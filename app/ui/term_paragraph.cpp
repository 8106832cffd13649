#include "app/ui/term_paragraph.h"

#include <algorithm>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/rich_text.h"
#include "app/ui/widgets.h"
#include "core/words/glossary.h"

namespace headscope::ui {

void termParagraph(const FrameContext& look, ImFont* font, ImU32 color, std::string_view text,
                   float width, float gap) {
  const std::vector<TermPlace> terms = termsIn(text);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const ImVec2 cursor = ImGui::GetCursorPos();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto draw = [&](std::string_view line, float y) {
    drawRichText(list, look.fonts, font, {corner.x, corner.y + y}, color, line);
    const auto start = static_cast<std::size_t>(line.data() - text.data());
    for (const TermPlace& term : terms) {  // a term may go on in the next line
      const std::size_t from = std::max(term.begin, start);
      const std::size_t to = std::min(term.end, start + line.size());
      if (from >= to) continue;
      const float left = richTextSize(look.fonts, font, line.substr(0, from - start)).x;
      const float right = richTextSize(look.fonts, font, line.substr(0, to - start)).x;
      ImGui::SetCursorScreenPos({corner.x + left, corner.y + y});
      ImGui::Dummy({right - left, fontSize(font)});
      underlineTerm(look, {corner.x + left, corner.y + y + fontSize(font)}, right - left);
      tip(look, termText(term.entry->term));
    }
  };
  const ImVec2 taken = eachRichLine(look.fonts, font, text, width, gap, draw);
  ImGui::SetCursorPos(cursor);
  ImGui::Dummy(taken);
}

}  // namespace headscope::ui
