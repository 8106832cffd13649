// Pace: the time of a window's next frame.
#pragma once

namespace headscope::host {

struct PaceInput {
  bool visible = true;
  int owedFrames = 0;       // frames still to draw after an event
  bool wantsFrame = false;  // an animation runs
  double nextChange = 0.0;  // seconds from the last frame until the picture changes by itself
  bool mouseHeld = false;   // a mouse button is held; buttons repeat
  bool textEdited = false;  // a text field is active; its caret blinks
  double sinceFrame = 0.0;  // seconds since the last frame
};

/// The number of seconds to wait for events before the next frame; 0: draw at once; infinite: wait
/// for an event. A pure function.
double secondsToWait(const PaceInput& input);

}  // namespace headscope::host
