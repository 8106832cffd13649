// Frame pace: how often the window draws, simulated with its own rule and without waiting.
#include <cmath>

#include "app/host/pace.h"
#include "app/ui/timeline/playback.h"
#include "app_driver.h"

namespace headscope::ui {
namespace {

using host::secondsToWait;

TEST(FramePace, NothingContinuesWithoutEvents) {
  EXPECT_TRUE(std::isinf(secondsToWait({true, 0, false, kNever})));
  EXPECT_EQ(secondsToWait({true, 2, false, kNever}), 0.0);
  EXPECT_TRUE(std::isinf(secondsToWait({false, 2, true, 0.1}))) << "of a window that is not seen";
}

TEST(FramePace, WhatIsSoonestCounts) {
  EXPECT_DOUBLE_EQ(secondsToWait({true, 0, true, kNever}), 1.0 / 60);
  EXPECT_DOUBLE_EQ(secondsToWait({true, 0, false, kNever, true}), 1.0 / 30);
  EXPECT_DOUBLE_EQ(secondsToWait({true, 0, false, kNever, false, true}), 0.4);
  EXPECT_DOUBLE_EQ(secondsToWait({true, 0, false, 0.1, false, true}), 0.1);
  EXPECT_DOUBLE_EQ(secondsToWait({true, 0, true, 0.1, true, true}), 1.0 / 60);
  EXPECT_DOUBLE_EQ(secondsToWait({true, 0, false, 0.0}), 1.0 / 120) << "no faster than that";
}

TEST(FramePace, TheTimeAFrameTookIsPartOfTheWait) {
  EXPECT_DOUBLE_EQ(secondsToWait({true, 0, false, 0.5, false, false, 0.2}), 0.5 - 0.2);
  EXPECT_EQ(secondsToWait({true, 0, true, kNever, false, false, 0.05}), 0.0);
}

class Pacing : public testing::Test {
 protected:
  /// The number of frames drawn in a time in which the user does nothing.
  int framesIn(double seconds) {
    int frames = 0;
    double passed = 0.0;
    while (true) {
      const double wait = secondsToWait({true, 0, ui.app().wantsFrame(), ui.app().nextChange(),
                                         false, ImGui::GetIO().WantTextInput, 0.0});
      passed += wait;
      if (!(passed < seconds)) return frames;
      constexpr double kHostFrame = 1.0 / 60;  // the step of the host's own clock
      ui.host().advance(wait - kHostFrame);
      ui.frame();
      ++frames;
    }
  }

  AppDriver ui;
};

TEST_F(Pacing, AtRestThereAreNoFrames) { EXPECT_EQ(framesIn(60.0), 0); }

TEST_F(Pacing, ASweepHasThirtyFramesASecondAndAMomentFour) {
  const Timeline timeline(ui.config(), {ui.view().selection.item, ui.view().selection.head, 0});
  bool swept = false;
  bool stood = false;
  for (const TimelineSegment& moment : timeline.moments()) {
    if (moment.length < 0.5) continue;
    const bool sweep = isSweep(moment.beat);
    if (sweep ? std::exchange(swept, true) : std::exchange(stood, true)) continue;
    ui.view().selection.playTime = moment.start;
    ui.view().frame.playing = false;
    ui.settle();
    ui.view().frame.playing = true;
    ui.frame();
    const double seconds = moment.length - 0.1;  // within it
    const double most = sweep ? 30.0 : 4.0;
    const int frames = framesIn(seconds);
    EXPECT_LE(frames, std::ceil(most * seconds) + 1) << sweep;
    EXPECT_GE(frames, std::floor(most * seconds) - 2) << sweep;
  }
  EXPECT_TRUE(swept && stood);
}

TEST_F(Pacing, DecodingHasAFrameAToken) {
  Mask causal;
  causal.causal = true;
  ui.restart(apply(*ui.app().document(), SetMask{causal}, kTestBudget).document);
  ui.view().selection.tool = "kvcache";
  ui.view().selection.decodePosition = 0;
  ui.settle();
  ui.click("Decode", "flow");
  EXPECT_LE(framesIn(4.5), 6);
  EXPECT_EQ(ui.view().selection.decodePosition, 4);
}

TEST_F(Pacing, ATipThatIsDueIsThereAfterThreeFrames) {
  ui.host().moveMouse(ui.at("causal", "top bar"));
  ui.host().frames(ui.app(), 3);
  const double due = ui.app().nextChange();
  EXPECT_GT(due, 0.0);
  EXPECT_LT(due, 1.0);
  EXPECT_FALSE(ui.app().wantsFrame());
  // Dear ImGui draws none in the first; the third is drawn where another side covers less
  EXPECT_LE(framesIn(10.0), 3);
  EXPECT_NE(ui.screen().all("##Tooltip"), "");
}

}  // namespace
}  // namespace headscope::ui
