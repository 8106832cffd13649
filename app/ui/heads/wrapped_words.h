// Wrapped words: a sentence in a given number of lines, all of it in a tooltip where it is cut.
#pragma once

#include <string>

#include "app/ui/panel.h"

namespace headscope::ui {

/// Small text from `at`, wrapped at spaces, the last line cut with "…".
void drawWrapped(const Look& look, ImVec2 at, float width, int lines, ImU32 color,
                 const std::string& text);

/// The same at the cursor, in as many lines as it takes.
void wrapped(const Look& look, ImU32 color, const std::string& text);

}  // namespace headscope::ui
