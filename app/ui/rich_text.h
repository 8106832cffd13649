// Rich text: a line with raised (`^x`, `^{…}`) and lowered (`_x`, `_{…}`) letters, as formulas
// need.
//
// `\^`, `\_` and `\\` print the sign itself: "d\_model". An index directly followed by an exponent,
// or the other way round, is set above it: "K_i^T".
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

#include "app/ui/fonts.h"

namespace headscope::ui {

enum class Script { base, raised, lowered };

struct RichRun {
  std::string_view text;
  Script script = Script::base;

  bool operator==(const RichRun&) const = default;
};

/// The runs of a line; they point into `text`.
std::vector<RichRun> parseRichText(std::string_view text);

/// Width of the line and height of `base`; raised and lowered letters may overhang it a little.
ImVec2 richTextSize(const Fonts& fonts, ImFont* base, std::string_view text);

void drawRichText(ImDrawList* drawList, const Fonts& fonts, ImFont* base, ImVec2 pos, ImU32 color,
                  std::string_view text);

/// Plain text as rich text that shows just that: with a backslash before each sign.
std::string asRichText(std::string_view plain);

/// From `pos` on, wrapped at spaces to `width`, with line breaks where the text has them; `gap`
/// points between its lines. Gives what it takes; with no list it is measured alone.
ImVec2 drawRichParagraph(ImDrawList* drawList, const Fonts& fonts, ImFont* base, ImVec2 pos,
                         ImU32 color, std::string_view text, float width, float gap = 0.0F);

/// The same at the cursor of the current window.
void richParagraph(const Fonts& fonts, ImFont* base, ImU32 color, std::string_view text,
                   float width, float gap = 0.0F);

}  // namespace headscope::ui
