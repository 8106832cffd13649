// Journey: how a word gets to its result, in nine places on one line. The clock, keys and buttons
// move StageView::at; a place's picture follows from it.
#pragma once

#include "app/ui/stage/stage_story.h"

namespace headscope::ui {

struct FrameState;
struct PanelContext;
struct StageView;

/// The place of the journey, and the part of it that has passed, 0 … 1.
struct JourneyMoment {
  StagePlace place = StagePlace::shares;
  double passed = 1.0;
};
/// Off the journey, the page shows the shares.
JourneyMoment momentOf(const StageView& view);

/// The place of the journey after so many seconds of playing, as StageView::at.
double journeyAt(double seconds);

/// The seconds of playing that lead to a moment, and to the end.
double secondsOf(const JourneyMoment& moment);
double journeySeconds();

/// The share of a motion that takes the first `seconds` of a place, 0 … 1, slow at both ends.
/// `from`: the second at which it begins.
float motion(const JourneyMoment& moment, double seconds, double from = 0.0);

/// The seconds in which the query meets the keys, from the first second of its place on.
inline constexpr double kScoring = 5.0;

/// Shows a place in its final state.
void goToPlace(StageView& view, FrameState& frame, StagePlace place);
/// Plays from the present place, at the end from the start; or pauses.
/// Returns whether the journey has come to its end.
bool atEnd(const StageView& view);
void toggleJourney(StageView& view, FrameState& frame);
void leaveJourney(StageView& view, FrameState& frame);

/// Folds what is unfolded on the page: the numbers, else the journey, else the settings. Returns
/// false where the page is folded.
bool foldOne(StageView& view, FrameState& frame);

/// Moves a journey that plays by the time that has passed, and requests the next frame.
void advanceJourney(const PanelContext& panel, double seconds);
/// Handles space, the arrows, page up and down (a presenter's remote), Home, End and Escape.
/// Returns true if it used a key.
bool journeyKeys(const PanelContext& panel);

}  // namespace headscope::ui
