// Narration strip: what happens now, below the stage, in the largest letters that fit.
#pragma once

#include <string_view>

#include "app/ui/panel.h"

namespace headscope::ui {

/// The height it should be given, of what the stage has.
float narrationHeight(const Look& look, float room);

void narrationStrip(const Look& look, std::string_view text, ImVec2 at, ImVec2 size);

}  // namespace headscope::ui
