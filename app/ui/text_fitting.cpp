// Text fitting: texts that are broken into lines, cut, or left out in parts, so that they fit a
// width (see widgets.h).
#include <algorithm>
#include <string>

#include "app/ui/widgets.h"

namespace headscope::ui {

namespace {

/// The number of bytes of a word that fit a line, at least one code point.
std::size_t fittingPart(ImFont* font, std::string_view word, float width) {
  std::size_t fits = 0;
  for (std::size_t end = 1; end <= word.size(); ++end) {
    const bool inside =
        end < word.size() && (static_cast<unsigned char>(word[end]) & 0xC0U) == 0x80U;
    if (inside) continue;
    if (fits > 0 && textSize(font, word.substr(0, end)).x > width) break;
    fits = end;
  }
  return fits;
}

}  // namespace

std::string wrapped(ImFont* font, std::string_view text, float width) {
  std::string lines;
  std::size_t start = 0, end = 0;  // of the current line
  const auto endLine = [&](std::size_t next) {
    lines += text.substr(start, end - start);
    lines += '\n';
    start = end = next;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t space = std::min(text.find_first_of(" \n", at), text.size());
    if (end > start && textSize(font, text.substr(start, space - start)).x > width) {
      endLine(at);
    }
    if (start == at && textSize(font, text.substr(at, space - at)).x > width) {
      const std::size_t part = fittingPart(font, text.substr(at, space - at), width);
      if (part < space - at) {  // a word too long for any line, such as a path
        end = at += part;
        endLine(at);
        continue;
      }
    }
    end = space;
    at = space + 1;
    if (space < text.size() && text[space] == '\n') endLine(at);
  }
  lines += text.substr(std::min(start, text.size()));
  return lines;
}

std::string elided(ImFont* font, std::string_view text, float width) {
  if (textSize(font, text).x <= width) return std::string(text);
  const float dots = textSize(font, "…").x;
  std::size_t end = text.size();
  while (end > 0) {
    --end;
    const bool inside = (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U;
    if (!inside && textSize(font, text.substr(0, end)).x + dots <= width) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string wholeParts(ImFont* font, std::string_view text, float width) {
  constexpr std::string_view kEnds[] = {" · ", "; ", ", ", " (", ": "};
  while (textSize(font, text).x > width) {
    std::size_t end = 0;
    for (const std::string_view mark : kEnds) {
      const std::size_t at = text.rfind(mark);
      if (at != std::string_view::npos) end = std::max(end, at);
    }
    if (end == 0) return elided(font, text, width);
    text = text.substr(0, end);
    const std::size_t bracket = text.rfind(" (");
    const bool open =
        bracket != std::string_view::npos && text.find(')', bracket) == std::string_view::npos;
    if (open && bracket > 0) text = text.substr(0, bracket);
  }
  return std::string(text);
}

}  // namespace headscope::ui
