#include "app/ui/mistake_badge.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/rich_text.h"
#include "app/ui/widgets.h"
#include "core/mistakes.h"

namespace headscope::ui {

std::string mistakesInWords(const AttentionConfig& config) {
  const std::vector<Mistake> on = mistakesOn(config);
  if (on.empty()) return {};
  std::string words = on.size() == 1 ? "mistake on: " : "mistakes on: ";
  for (std::size_t i = 0; i < on.size(); ++i) {
    std::string title(textOf(on[i]).title);
    title[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(title[0])));
    words += (i > 0 ? ", " : "") + title;
  }
  return words;
}

float mistakeBadgeHeight(const Look& look) { return fontSize(look.fonts.small) + look.space.small; }

float mistakeBadge(const Panel& panel, ImVec2 at, float room) {
  const Look& look = panel.look;
  const std::string all = mistakesInWords(panel.trace.config());
  if (all.empty()) return 0.0F;
  const float pad = look.space.medium;
  const std::string text = elided(look.fonts.small, all, room - 2 * pad);
  const ImVec2 size(richTextSize(look.fonts, look.fonts.small, text).x + 2 * pad,
                    mistakeBadgeHeight(look));
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos(at);
  if (ImGui::InvisibleButton("mistake on", size)) {
    panel.view.tool = kMistakesTool;
    panel.view.mistake = mistakesOn(panel.trace.config()).front();
  }
  const bool hovered = ImGui::IsItemHovered();
  tip(look, all + "\nWhat is shown is wrong on purpose. Click to see it beside the right way.");
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 end(at.x + size.x, at.y + size.y);
  list->AddRectFilled(at, end, look.theme.badSoft, size.y * 0.5F);
  list->AddRect(at, end, hovered ? look.theme.bad : withAlpha(look.theme.bad, 0.5F), size.y * 0.5F);
  drawRichText(list, look.fonts, look.fonts.small, {at.x + pad, at.y + look.px(3)}, look.theme.bad,
               text);
  ImGui::SetCursorScreenPos(cursor);
  return size.x;
}

}  // namespace headscope::ui
