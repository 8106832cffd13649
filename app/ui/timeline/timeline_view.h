// Timeline view: the scrub bar (the timeline as a segment for each step with a tick for every
// moment; a click or a drag goes there) and the narration below the stage.
#pragma once

#include <string>
#include <string_view>

#include "app/ui/panel.h"
#include "app/ui/parts/layout.h"
#include "app/ui/timeline/playback.h"

namespace headscope::ui {

/// At the cursor, as wide as there is room.
void scrubBar(const PanelContext& panel, const Playback& playback);
float scrubBarHeight(const FrameContext& look);

/// "0:12"
std::string clockText(double time);

/// The height the narration should be given, of what the stage has.
float narrationHeight(const FrameContext& look, float room);
/// What happens now, in the largest letters that fit.
void narrationStrip(const FrameContext& look, std::string_view text, const Rect& at);

}  // namespace headscope::ui
