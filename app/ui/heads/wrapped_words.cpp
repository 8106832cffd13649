#include "app/ui/heads/wrapped_words.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

/// How much of a text fits a line, up to a space.
std::size_t fitting(ImFont* font, std::string_view text, float width) {
  std::size_t fits = 0;
  while (fits < text.size()) {
    const std::size_t space = std::min(text.find(' ', fits + 1), text.size());
    if (textSize(font, text.substr(0, space)).x > width && fits > 0) break;
    fits = space;
    if (textSize(font, text.substr(0, fits)).x > width) break;  // one long word
  }
  return fits;
}

}  // namespace

void drawWrapped(const Look& look, ImVec2 at, float width, int lines, ImU32 color,
                 const std::string& text) {
  ImFont* font = look.fonts.small;
  const float line = fontSize(font) + look.px(1);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 start = at;
  std::string_view rest = text;
  bool cut = false;
  for (int i = 0; i < lines && !rest.empty(); ++i) {
    const bool last = i + 1 == lines;
    const std::size_t end = last ? rest.size() : fitting(font, rest, width);
    const std::string shown = elided(font, rest.substr(0, end), width);
    drawText(list, font, at, color, shown);
    cut = cut || shown.size() != end || shown != rest.substr(0, end);
    at.y += line;
    rest.remove_prefix(end);
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  }
  if (!cut) return;
  ImGui::SetCursorScreenPos(start);
  ImGui::PushID(text.c_str());
  pictureArea("words", {width, std::max(at.y - start.y, 1.0F)});
  ImGui::PopID();
  tip(look, text);
}

void wrapped(const Look& look, ImU32 color, const std::string& text) {
  ImFont* font = look.fonts.small;
  const float width = ImGui::GetContentRegionAvail().x;
  const float line = fontSize(font) + look.px(1);
  const ImVec2 start = ImGui::GetCursorScreenPos();
  ImVec2 at = start;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = fitting(font, rest, width);
    drawText(ImGui::GetWindowDrawList(), font, at, color, rest.substr(0, end));
    at.y += line;
    rest.remove_prefix(end);
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  }
  ImGui::Dummy({width, at.y - start.y});
}

}  // namespace headscope::ui
