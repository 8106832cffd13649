#include "app/host/pace.h"

#include <algorithm>
#include <limits>

namespace headscope::host {

namespace {

// Seconds between frames.
constexpr double kAnimation = 1.0 / 60;
constexpr double kHeldButton = 1.0 / 30;
constexpr double kCaretBlink = 0.4;
constexpr double kShortest = 1.0 / 120;  // for scheduled changes

}  // namespace

double secondsToWait(const PaceInput& input) {
  double next = std::numeric_limits<double>::infinity();
  if (!input.visible) return next;
  if (input.owedFrames > 0) return 0.0;
  if (input.wantsFrame) next = kAnimation;
  if (input.mouseHeld) next = std::min(next, kHeldButton);
  if (input.textEdited) next = std::min(next, kCaretBlink);
  next = std::min(next, std::max(input.nextChange, kShortest));
  return std::max(next - input.sinceFrame, 0.0);
}

}  // namespace headscope::host
