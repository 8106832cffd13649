// Pace: when a window draws its next frame.
#pragma once

namespace headscope::host {

struct PaceInput {
  bool visible = true;
  int owedFrames = 0;       // after an event
  bool wantsFrame = false;  // an animation runs
  double nextChange = 0.0;  // seconds from the last frame until the picture changes by itself
  bool mouseHeld = false;   // buttons repeat
  bool textEdited = false;  // the caret blinks
  double sinceFrame = 0.0;  // seconds
};

/// Pure: no clock, no window. Seconds to wait for events before the next frame; 0: draw at once,
/// infinite: none until an event.
double secondsToWait(const PaceInput& input);

}  // namespace headscope::host
