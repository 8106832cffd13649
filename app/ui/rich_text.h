// Rich text: a line with the superscripts (`^x`, `^{…}`) and subscripts (`_x`, `_{…}`) of formulas.
//
// `\^`, `\_` and `\\` print the sign itself: "d\_model". A subscript and a superscript that follow
// each other directly are stacked: "K_i^T".
#pragma once

#include <imgui.h>

#include <functional>
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

/// Returns the runs of a line; they point into `text`.
std::vector<RichRun> parseRichText(std::string_view text);

/// The width of the line and the height of `base`; superscripts and subscripts may overhang it a
/// little.
ImVec2 richTextSize(const Fonts& fonts, ImFont* base, std::string_view text);

void drawRichText(ImDrawList* drawList, const Fonts& fonts, ImFont* base, ImVec2 pos, ImU32 color,
                  std::string_view text);

/// Returns rich text that shows a plain text literally: a backslash precedes each sign.
std::string asRichText(std::string_view plain);

/// Calls `line` with each line of a text wrapped at spaces to `width`, a part of `text`, and with
/// its upper edge. Returns the size that the lines take.
ImVec2 eachRichLine(const Fonts& fonts, ImFont* base, std::string_view text, float width, float gap,
                    const std::function<void(std::string_view line, float y)>& line);

/// Draws a text from `pos` on, wrapped at spaces to `width`, with the text's own line breaks and
/// `gap` points between lines. Returns the size it takes; a null list only measures.
ImVec2 drawRichParagraph(ImDrawList* drawList, const Fonts& fonts, ImFont* base, ImVec2 pos,
                         ImU32 color, std::string_view text, float width, float gap = 0.0F);

/// Draws one line of rich text at the cursor, with `below` points below it.
void richLabel(const Fonts& fonts, ImFont* base, ImU32 color, std::string_view text,
               float below = 0.0F);
/// Draws a paragraph of rich text at the cursor of the current window.
void richParagraph(const Fonts& fonts, ImFont* base, ImU32 color, std::string_view text,
                   float width, float gap = 0.0F);

}  // namespace headscope::ui
