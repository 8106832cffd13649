// Tool rows: items beside each other that wrap where a tool is narrow.
#pragma once

#include <string>

#include "app/ui/panel.h"

namespace headscope::ui {

/// Puts the next item on the line of the one before, `gap` after it, where `width` more fits.
void flowOn(const Look& look, float width, float gap = 6.0F);

/// A pill on the same line where there is room; what follows ## in its text is not shown.
bool flowingPill(const Look& look, const std::string& text, const char* about, bool enabled = true);

/// A small label before what follows it on the line.
void rowCaption(const Look& look, const char* text);

}  // namespace headscope::ui
