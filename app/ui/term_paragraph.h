// Term paragraph: running text in which the terms of the glossary are underlined and explained.
#pragma once

#include <string_view>

#include "app/ui/frame_context.h"

namespace headscope::ui {

/// Draws a paragraph of rich text at the cursor. The first mention of each term has a dotted line
/// below it, and a tooltip that explains it.
void termParagraph(const FrameContext& look, ImFont* font, ImU32 color, std::string_view text,
                   float width, float gap = 0.0F);

}  // namespace headscope::ui
