// Playback: the position of the timeline, and how keys, buttons and the clock move it. The step,
// the lit cells and the narration follow from that position.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/selection.h"
#include "app/ui/step_view/step_view_matrix.h"
#include "core/document/fwd.h"
#include "core/words/moments.h"

namespace headscope::ui {

struct PanelContext;
struct ViewState;

/// The state of the step view at a moment of the timeline: head and scope, lit cells, and the
/// veiled cells that have not been reached.
struct StepViewMoment {
  TimelineSegment moment;
  StepViewScope scope = StepViewScope::thisHead;
  Index head = 0;  // the head of the matrices; it changes in a sweep over heads
  Lit lit{};
  std::vector<MatrixPart> veiled;  // the veiled parts of the result
  Index headsReached = 0;          // the number of heads reached in the grid of all heads
};

/// Returns the state of the step view when `share` of the moment, 0 … 1, has passed.
StepViewMoment stepViewMoment(const Trace& trace, const RowRef& subject,
                              const TimelineSegment& moment, double share);

/// The state of playback between frames; all of it can be recomputed.
struct Playback {
  Timeline timeline;
  RowRef subject;
  std::optional<StepViewMoment>
      stepView;  // the step view at the view's playTime; none off the timeline
  std::string narration;
  double now = 0.0;  // the time of the last frame
  // the pass, moment and row that the narration describes
  std::uint64_t pass = 0;
  TimelineSegment narrated;
  RowRef narratedOf;
};

inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// Advances by the clock. Call it before this frame's keys.
void advancePlayback(const PanelContext& panel, Playback& playback);

/// Sets the view's step to the position, or leaves the timeline where the user changed the step.
/// Call it after the keys.
void followPlayback(const PanelContext& panel, Playback& playback);

/// Returns the narration for the start of the current step, off the timeline.
std::string narrationOf(const PanelContext& panel, const Playback& playback);

/// Returns the seconds until the picture changes by itself; kNever where it does not.
double nextChange(const PanelContext& panel, const Playback& playback);

/// Starts or pauses playback: from the current step, from the place of the pause, or at the end
/// from the start.
void togglePlay(ViewState& view, const Playback& playback);
/// Moves `count` moments on the timeline (`whole`: steps) and pauses it; off the timeline, moves
/// `count` steps. For ← and →.
void goBy(ViewState& view, const Playback& playback, int count, bool whole = false);
/// Moves to the first or last moment on the timeline, or off it to the first or last step. For Home
/// and End.
void goToEnd(ViewState& view, const Playback& playback, bool last);
void leaveTimeline(ViewState& view);

}  // namespace headscope::ui
