// Scrub bar: the timeline as nine segments with a tick for every moment; a click or a drag goes
// there.
#pragma once

#include "app/ui/panel.h"
#include "app/ui/timeline/playback.h"

namespace headscope::ui {

/// At the cursor, as wide as there is room.
void scrubBar(const Panel& panel, const Playback& playback);
float scrubBarHeight(const Look& look);

/// "0:12"
std::string clockText(double time);

}  // namespace headscope::ui
