// Playback: where the timeline stands, and how keys, buttons and the clock move it. The step shown,
// what is lit and what is said all follow from that one position.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/panel.h"
#include "app/ui/stage/stage_matrix.h"
#include "core/words/moments.h"

namespace headscope::ui {

/// What the stage shows at a moment of the timeline: which head and scope, what is lit, and what is
/// veiled because it has not been reached.
struct StageMoment {
  TimelineSegment moment;
  StageScope scope = StageScope::thisHead;
  Index head = 0;  // whose matrices; while heads are gone through, not the subject's
  Lit lit{};
  std::vector<CellRange> veiled;  // of the result
  Index headsReached = 0;         // in the grid of all heads
};

/// `share` of the moment has gone by, 0 … 1.
StageMoment stageMoment(const Trace& trace, const RowId& subject, const TimelineSegment& moment,
                        double share);

/// What playing remembers between frames, all of it recomputable.
struct Playback {
  Timeline timeline;
  RowId subject;
  std::optional<StageMoment> stage;  // at the view's playTime; none off the timeline
  std::string narration;
  double now = 0.0;  // of the last frame
  // what the narration is of
  std::uint64_t pass = 0;
  TimelineSegment narrated;
  RowId narratedOf;
};

inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// Moves on by the clock. Before this frame's keys.
void advancePlayback(const PanelContext& panel, Playback& playback);

/// Shows what belongs to the position: sets the view's step, or leaves the timeline where the step
/// was changed by hand. After the keys.
void followPlayback(const PanelContext& panel, Playback& playback);

/// What is said at the start of the step that is shown, off the timeline.
std::string narrationOf(const PanelContext& panel, const Playback& playback);

/// In how many seconds the picture changes by itself.
double nextChange(const PanelContext& panel, const Playback& playback);

/// From the current step, or on from where it halted; from the start at the end.
void togglePlay(ViewState& view, const Playback& playback);
/// What ← and → do: by moments on the timeline (`whole`: by steps), halting it; by steps off it.
void goBy(ViewState& view, const Playback& playback, int count, bool whole = false);
/// What Home and End do: the first or last moment on the timeline, the first or last step off it.
void goToEnd(ViewState& view, const Playback& playback, bool last);
void leaveTimeline(ViewState& view);

}  // namespace headscope::ui
