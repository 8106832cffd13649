#include "app/ui/stage/journey.h"

#include <algorithm>
#include <cmath>

#include "app/ui/compat.h"
#include "app/ui/frame_state.h"
#include "app/ui/panel.h"
#include "app/ui/preferences.h"
#include "app/ui/stage/stage_view.h"

namespace headscope::ui {
namespace {

constexpr double kEndOfPlace = 0.999;   // the next whole number is the next place
constexpr double kLongestMotion = 6.0;  // seconds: a place stands still after that

double endOf(StagePlace place) { return static_cast<double>(place) + kEndOfPlace; }

constexpr double kEnd = static_cast<double>(kStagePlaces - 1) + kEndOfPlace;

}  // namespace

JourneyMoment momentOf(const StageView& view) {
  if (!view.at) return {};
  const double at = std::clamp(*view.at, 0.0, kEnd);
  const double whole = std::floor(at);
  return {static_cast<StagePlace>(static_cast<int>(whole)), at - whole};
}

double journeyAt(double seconds) {
  for (int i = 0; i < kStagePlaces; ++i) {
    const double length = info(static_cast<StagePlace>(i)).seconds;
    if (seconds < length) return static_cast<double>(i) + std::min(kEndOfPlace, seconds / length);
    seconds -= length;
  }
  return kEnd;
}

double secondsOf(const JourneyMoment& moment) {
  double seconds = moment.passed * info(moment.place).seconds;
  for (int i = 0; i < static_cast<int>(moment.place); ++i) {
    seconds += info(static_cast<StagePlace>(i)).seconds;
  }
  return seconds;
}

double journeySeconds() { return secondsOf({static_cast<StagePlace>(kStagePlaces - 1), 1.0}); }

float motion(const JourneyMoment& moment, double seconds, double from) {
  const double now = moment.passed * info(moment.place).seconds;
  const double share = std::clamp((now - from) / seconds, 0.0, 1.0);
  return static_cast<float>(share * share * (3.0 - 2.0 * share));
}

bool atEnd(const StageView& view) { return view.at && *view.at >= kEnd; }

void goToPlace(StageView& view, FrameState& frame, StagePlace place) {
  frame.stagePlaying = false;
  view.at = endOf(place);
}

void toggleJourney(StageView& view, FrameState& frame) {
  frame.stagePlaying = !frame.stagePlaying;
  if (frame.stagePlaying && (!view.at || atEnd(view))) view.at = 0.0;
}

void leaveJourney(StageView& view, FrameState& frame) {
  frame.stagePlaying = false;
  view.at.reset();
}

bool foldOne(StageView& view, FrameState& frame) {
  if (view.numbers) {
    view.numbers = false;
  } else if (view.at) {
    leaveJourney(view, frame);
  } else if (view.settingsOpen) {
    view.settingsOpen = false;
  } else {
    return false;
  }
  return true;
}

void advanceJourney(const PanelContext& panel, double seconds) {
  StageView& view = panel.stageView;
  if (!panel.frame.stagePlaying || !view.at) return;
  const JourneyMoment now = momentOf(view);
  const double length = info(now.place).seconds;
  const double speed = static_cast<double>(panel.preferences.playSpeed);
  *view.at = std::min(kEnd, *view.at + seconds * speed / length);
  if (*view.at >= kEnd) panel.frame.stagePlaying = false;
  const double left = (1.0 - momentOf(view).passed) * length;
  if (panel.preferences.animate && length - left < kLongestMotion) {
    *panel.look.wantsFrame = true;
  } else {
    panel.look.changesIn(left / speed);
  }
}

bool journeyKeys(const PanelContext& panel) {
  StageView& view = panel.stageView;
  const int here = static_cast<int>(momentOf(view).place);
  const auto go = [&](int place) {
    goToPlace(view, panel.frame, static_cast<StagePlace>(std::clamp(place, 0, kStagePlaces - 1)));
    return true;
  };
  if (keyPressed(Key::space, false)) {
    toggleJourney(view, panel.frame);
    return true;
  }
  if (keyPressed(Key::left) || keyPressed(Key::pageUp)) return go(here - 1);
  if (keyPressed(Key::right) || keyPressed(Key::pageDown)) return go(here + 1);
  if (keyPressed(Key::home)) return go(0);
  if (keyPressed(Key::end)) return go(kStagePlaces - 1);
  return keyPressed(Key::escape, false) && foldOne(view, panel.frame);
}

}  // namespace headscope::ui
