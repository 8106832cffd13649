// Timeline view: the scrub bar (a segment for each step with a tick for every moment; a click or a
// drag moves to a position) and the narration below the step view.
#pragma once

#include <string>
#include <string_view>

#include "app/ui/frame_context.h"
#include "app/ui/parts/layout.h"
#include "app/ui/timeline/playback.h"

namespace headscope::ui {

struct PanelContext;

/// Draws the scrub bar at the cursor, over the whole width.
void scrubBar(const PanelContext& panel, const Playback& playback);
float scrubBarHeight(const FrameContext& look);

/// Returns minutes and seconds: "0:12".
std::string clockText(double time);

/// Returns the height of the narration within a step view `room` high.
float narrationHeight(const FrameContext& look, float room);
/// Draws the narration in the largest letters that fit.
void narrationStrip(const FrameContext& look, std::string_view text, const Rect& at);

}  // namespace headscope::ui
