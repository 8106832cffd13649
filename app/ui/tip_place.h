// Tip place: where a tooltip stands, so that it does not cover what it explains.
#pragma once

#include "app/ui/parts/layout.h"

namespace headscope::ui {

/// The upper left corner of a tooltip of this size beside a thing: below it, or above where there
/// is no room below, right or left of it, whichever is nearest to the mouse. Where none has room on
/// the display, it stands on the side of the mouse that is away from the display's middle.
ImVec2 besideOf(const Rect& thing, ImVec2 size, ImVec2 display, ImVec2 mouse, float gap);

/// Places Dear ImGui's next window there.
void placeNextBeside(const Rect& thing, ImVec2 size, float gap);

}  // namespace headscope::ui
