// Tip place: where a tooltip stands, so that it covers neither what it explains nor, where there is
// room elsewhere, a text or a picture.
#pragma once

#include <functional>

#include "app/ui/parts/layout.h"

namespace headscope::ui {

/// How much of what one reads or looks at a tooltip would cover at a place.
using Covered = std::function<float(const Rect& place)>;

/// The upper left corner of a tooltip of this size next to a thing: below it, or above where there
/// is no room below, right or left of it, in line with one of its edges, its middle or the mouse.
/// The place that covers least is taken, and of several the nearest to the mouse. Where all of them
/// cover much, it stands in a corner of the display that is freer. Where none has room on the
/// display, it stands on the side of the mouse that is away from the display's middle.
ImVec2 tooltipCorner(const Rect& thing, ImVec2 size, ImVec2 display, ImVec2 mouse, float gap,
                     const Covered& covered = {});

/// Places Dear ImGui's next window there, on the side that settleTip() has found while the tooltip
/// is shown.
void placeTooltipNextTo(const Rect& thing, ImVec2 size, float gap);

/// Call once a frame after everything else is drawn. Finds the side of the shown tooltip that
/// covers the least of the letters, heatmaps, ribbons and pictures of this frame. Returns whether
/// it is another than the tooltip is drawn on, so that a further frame is needed.
bool settleTip();

}  // namespace headscope::ui
